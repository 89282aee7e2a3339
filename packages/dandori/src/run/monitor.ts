import type { Limit, ReflectionTrigger } from '../model/decision.ts';
import type { Failure } from '../model/failure.ts';
import { backoff, type Settings } from '../model/settings.ts';
import { type Effect, isRepeatable } from '../model/tool.ts';
import { reflectionDue } from './brief.ts';
import { reached } from './limits.ts';
import type { RunState, TaskState } from './state/state.ts';

/** The monitor's judgement of a failed attempt. `stop` is final for the task. */
type AttemptVerdict = { readonly kind: 'retry'; readonly delay: number } | { readonly kind: 'stop' };

/** The monitor's judgement of the run after an outcome. */
export type Verdict =
  | { readonly kind: 'go_on' }
  | { readonly kind: 'reflect'; readonly trigger: ReflectionTrigger }
  | { readonly kind: 'stop'; readonly limit: Limit };

export function watch(state: RunState, now: number): Verdict {
  const limit = reached(state, now);
  if (limit !== undefined) return { kind: 'stop', limit };
  const trigger = reflectionDue(state);
  return trigger === undefined ? { kind: 'go_on' } : { kind: 'reflect', trigger };
}

/** Attempts that reached the tool. Calls that asked for input or lost their driver do not count. */
export function attemptsMade({ attempts, rounds, crashes }: TaskState): number {
  return attempts - rounds - crashes;
}

interface Attempted {
  readonly effect: Effect;
  readonly attempts: number;
  readonly failure: Failure;
  readonly settings: Settings;
}

/**
 * A retry must be safe (nothing was sent, or the call is repeatable), may help, and must be within the limit.
 */
export function judge({ effect, attempts, failure, settings }: Attempted): AttemptVerdict {
  const isSafe = failure.kind === 'unavailable' || isRepeatable(effect);
  if (!isSafe || !mayPass(failure, settings) || attempts >= settings.task.attempts) return { kind: 'stop' };
  const wanted = failure.retryAfter ?? waitIn(failure.message);
  return { kind: 'retry', delay: Math.max(wanted, backoff(settings.task.backoff, attempts)) };
}

/** Whether the same call may work later. */
export function mayPass(failure: Failure, settings: Settings): boolean {
  return failure.retryable ?? looksTransient(failure, settings);
}

/** Most tools report a busy service only in words. */
function looksTransient({ kind, message }: Failure, { task: { transient = [] } }: Settings): boolean {
  return (
    kind === 'tool_error' && transient.some((text) => mentions(message.toLowerCase(), text.toLowerCase()))
  );
}

/** Whether the text occurs as words: `503` does not occur in `15030`. */
function mentions(message: string, text: string): boolean {
  const isWord = (character = '') => /[a-z0-9]/.test(character);
  for (let at = message.indexOf(text); at !== -1 && text !== ''; at = message.indexOf(text, at + 1)) {
    const isInside = isWord(message[at - 1]) && isWord(text[0]);
    if (!isInside && !(isWord(message[at + text.length]) && isWord(text.at(-1)))) return true;
  }
  return false;
}

/** Milliseconds. A tool that asks for a longer wait in its error is called again after this. */
const LONGEST_WAIT = 600_000;

/** The wait that an error asks for: `Retry-After: 2`, `"retry_after": 1.5`, `retry after 200 ms`. */
function waitIn(message: string): number {
  const [, count, unit] =
    /retry[-_ ]after["']?\s*[:=]?\s*(\d{1,9}(?:\.\d{1,3})?)\s*(ms)?/i.exec(message) ?? [];
  return count === undefined ? 0 : Math.min(Number(count) * (unit === undefined ? 1000 : 1), LONGEST_WAIT);
}

/** Whether the failure says that the call never reached the tool, so it cannot have had an effect. */
export function wasNeverSent({ kind }: Failure): boolean {
  return kind === 'unavailable' || kind === 'invalid_args' || kind === 'plan_error';
}
