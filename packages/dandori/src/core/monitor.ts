import { type Effect, isRepeatable } from '../domain/effect.ts';
import type { Failure } from '../domain/failure.ts';
import type { Settings } from '../domain/settings.ts';

/** The monitor's judgement of a failed attempt. `stop` is final for the task; the mind sees it at its next decision. */
export type Verdict = { readonly kind: 'retry'; readonly delay: number } | { readonly kind: 'stop' };

interface Attempted {
  readonly effect: Effect;
  readonly attempts: number;
  readonly failure: Failure;
  readonly settings: Settings;
}

/** A new try must be safe (nothing was sent, or repeating does no harm), may help, and must be within the limit. */
export function judge({ effect, attempts, failure, settings }: Attempted): Verdict {
  const isSafe = failure.kind === 'unavailable' || isRepeatable(effect);
  if (!isSafe || failure.retryable !== true || attempts >= settings.task.attempts) return { kind: 'stop' };
  return {
    kind: 'retry',
    delay: Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, attempts)),
  };
}

/** Whether the failure says that the tool was not reached, so that nothing can have happened. */
export function wasNeverSent({ kind }: Failure): boolean {
  return kind === 'unavailable' || kind === 'invalid_args';
}

/** Doubles with each attempt, up to a minute. */
export function backoff(first: number, attempts: number): number {
  return Math.min(first * 2 ** Math.min(attempts - 1, 30), 60_000);
}
