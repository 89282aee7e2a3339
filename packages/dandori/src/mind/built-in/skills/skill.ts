import { asObject, type Json, type JsonObject } from '../../../model/json.ts';
import type { Language } from '../../../model/text.ts';

/** One call of a tool. */
export interface Call {
  readonly operation: string;
  readonly args: JsonObject;
  /** Arguments from the result of the previous call: the path of each. */
  readonly fromLast?: Readonly<Record<string, string>>;
}

/**
 * The next move of a skill: tool calls, a final answer, a question, or the reason why the goal can't be done.
 */
export type SkillMove =
  | { readonly kind: 'call'; readonly calls: readonly Call[] }
  | { readonly kind: 'answer'; readonly text: string }
  | {
      readonly kind: 'ask';
      readonly question: string;
      /** What is asked, in any language. */
      readonly about: string;
      readonly options?: readonly string[];
    }
  | { readonly kind: 'cannot'; readonly why: string };

export interface Request {
  /** The user's words: half-width, in lower case, without final punctuation. */
  readonly text: string;
  /** The user's words, unchanged. */
  readonly raw: string;
  readonly language: Language;
  /** Whether the goal is an order. A question, a condition or a negation is not. */
  readonly isOrder: boolean;
  readonly has: (operation: string) => boolean;
  /** In adaptive mode arguments contain real values and no Refs. */
  readonly isAdaptive: boolean;
  /** Whether the configuration requires one tool to be called before the other. */
  readonly isRuled: (before: string, after: string) => boolean;
  readonly isDone: (call: Call) => boolean;
  /** The result of a succeeded call. Undefined if it is too large to be in memory. */
  readonly result: (call: Call) => Json | undefined;
  /** The user's answer, whatever language it was asked in. `question`: its text in journals without `about`. */
  readonly answerTo: (about: string, question: string) => Json | undefined;
}

/**
 * Handles one kind of everyday goal with the shipped servers. It is a pure function of the goal and the
 * results so far. It is called again after each result and continues from there. `undefined` means that the
 * goal is of another kind.
 */
export type Skill = (request: Request) => SkillMove | undefined;

/**
 * The results of all these calls, or the calls that are still missing. If a result is too large, the move is
 * undefined, and the general planner takes over.
 */
export function resultsOf(
  calls: readonly Call[],
  { isDone, result }: Request,
): { readonly missing: SkillMove | undefined } | { readonly results: readonly JsonObject[] } {
  const open = calls.filter((call) => !isDone(call));
  if (open.length > 0) return { missing: { kind: 'call', calls: open } };
  const found = calls.map(result);
  if (found.includes(undefined)) return { missing: undefined };
  return { results: found.map((value) => asObject(value)) };
}

/** The moves of several requests as one. What cannot be done or must be asked comes first, the answers last. */
export function joinedMoves(moves: readonly SkillMove[]): SkillMove {
  const obstacle = moves.find(({ kind }) => kind === 'cannot' || kind === 'ask');
  if (obstacle !== undefined) return obstacle;
  const calls = moves.flatMap((move) => (move.kind === 'call' ? move.calls : []));
  if (calls.length > 0) return { kind: 'call', calls };
  const texts = moves.flatMap((move) => (move.kind === 'answer' ? [move.text] : []));
  return { kind: 'answer', text: texts.join('\n') };
}

export function asRows(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map((row) => asObject(row)) : [];
}

export function pick<Text>(language: Language, japanese: Text, english: Text): Text {
  return language === 'ja' ? japanese : english;
}
