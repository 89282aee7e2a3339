import type { Message } from '../domain/conversation.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Question } from '../domain/question.ts';
import { progressOf } from './briefing.ts';
import type { ConversationState } from './conversation.ts';
import { cut } from './digest.ts';
import type { RunState } from './state.ts';

/** Tokens of what was said, about. Beyond it the older half is left out. */
const MOST_TOKENS = 6_000;
const LONGEST_MESSAGE = 2_000;
const LONGEST_GOAL = 200;
const MOST_RUNS = 20;

/**
 * What the mind of a new run is told of its conversation: what was said before, then the runs that have not ended.
 * It only grows from one run to the next, until it is too long and its older half is left out at once: caches live on
 * that. Undefined where there is nothing to tell.
 */
export function contextFor(
  { messages, runs }: ConversationState,
  { until, open }: { until: string; open: readonly RunState[] },
): string | undefined {
  const all = [...messages.values()];
  const earlier = all.slice(
    0,
    all.findIndex(({ id }) => id === until),
  );
  const lines = recent(earlier.map(lineOf));
  const others = open.filter(({ run }) => runs.get(run) !== until).slice(0, MOST_RUNS);
  if (lines.length + others.length === 0) return undefined;
  const said = lines.length === 0 ? [] : ['What was said so far:', ...lines];
  const under =
    others.length === 0 ? [] : ['Runs of this conversation that have not ended:', ...others.map(runLine)];
  return `<conversation>\n${withoutTags([...said, ...under].join('\n'))}\n</conversation>`;
}

/** A line that was written by a tool or a model must not begin like one of the user's. */
function lineOf({ role, kind, text, run, step, question }: Message): string {
  const body = cut(text.trim(), LONGEST_MESSAGE).replaceAll('\n', '\n  ');
  if (role === 'user') return `user: ${body}`;
  if (kind === 'report') return `you (report on step ${step} of run ${run}): ${body}`;
  return kind === 'question' ? `you (question ${question} of run ${run}): ${body}` : `you: ${body}`;
}

function recent(lines: readonly string[]): readonly string[] {
  const weights = lines.map(roughTokens);
  let from = 0;
  let total = 0;
  for (const [index, weight] of weights.entries()) {
    total += weight;
    if (total <= MOST_TOKENS) continue;
    for (; total > MOST_TOKENS / 2 && from < index; from++) total -= weights[from] ?? 0;
  }
  return lines.slice(from);
}

/** Four letters make a token, and so does one character of Japanese. */
function roughTokens(text: string): number {
  const wide = text.match(/[\u0250-\uffff]/g)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wide;
}

function runLine(state: RunState): string {
  const progress = progressOf(state);
  const open = [...state.questions.values()].filter(({ answer }) => answer === undefined);
  const parts = [
    ...(progress === undefined ? [] : [`${progress.done} of ${progress.total} steps done`]),
    ...open.map(({ question }) => questionText(question)),
  ];
  const goal = stringifyJson(cut(state.goal, LONGEST_GOAL));
  return `- run ${state.run}, ${goal}: ${parts.length === 0 ? 'under way' : parts.join('; ')}`;
}

function questionText({ id, kind, text }: Question): string {
  return `waits for the user's answer to ${id} (${kind}): ${cut(text.replaceAll(/\s+/g, ' '), LONGEST_GOAL)}`;
}

function withoutTags(text: string): string {
  return text.replaceAll(/<(?=\s*\/?\s*conversation)/gi, '&lt;');
}
