import { type Json, stringifyJson } from '../../model/json.ts';
import { isTrustedResult } from '../state/orders.ts';
import type { RunState } from '../state/state.ts';

/** A sentence in a result that reads like an instruction to the model. */
export interface Flag {
  readonly task: string;
  readonly operation: string;
  readonly quote: string;
}

/**
 * Phrases of texts that want to be obeyed. They are shown to the user and decide nothing: a stranger can word
 * an order in any way.
 */
const PHRASES = [
  /\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:previous|above|earlier|prior|all)\b/i,
  /\b(?:system|assistant|developer)\s*(?:(?:message|prompt|note)\s*)?:/i,
  /<\/?(?:system|information|instructions?|important)>/i,
  /\bimportant\s*(?:!+|:|\bmessage\b|\binstructions?\b)/i,
  /\b(?:you (?:must|should|need to|have to)|before you (?:can|do)|make sure (?:to|that) you)\b/i,
  /\b(?:do not|don't) (?:tell|mention|ask|inform)\b/i,
  /\btodo\s*:/i,
  /(?:これまで|以前|上記|前)の(?:指示|命令)[^。\n]{0,20}(?:無視|忘れ)/,
  /(?:必ず|ただちに|直ちに|今すぐ)[^。\n]{0,30}(?:せよ|しろ|してください|すること)/,
];

const LONGEST = 200;
/** Characters of a result that are looked at, and the most sentences that are shown. */
const LONGEST_TEXT = 200_000;
const MOST = 3;

/** What the run has read of strangers that reads like an instruction. */
export function flagsIn(state: RunState, resultOf: (task: string) => Json | undefined): Flag[] {
  const found: Flag[] = [];
  for (const { task } of state.ends) {
    const { id, operation } = task.task;
    if (isTrustedResult(state, task)) continue;
    const said = task.failure === undefined ? resultOf(id) : task.failure.message;
    const quote = said === undefined ? undefined : instructionIn(stringifyJson(said).slice(0, LONGEST_TEXT));
    if (quote !== undefined) found.push({ task: id, operation, quote });
    if (found.length === MOST) break;
  }
  return found;
}

export function instructionIn(text: string): string | undefined {
  for (const phrase of PHRASES) {
    const { index } = phrase.exec(text) ?? {};
    if (index === undefined) continue;
    const sentence = text.slice(index, index + LONGEST).split(/(?<=[.!?])\s|(?<=[。！？])|\\n|"/, 1)[0] ?? '';
    return sentence.trim();
  }
  return undefined;
}
