import type { Limit, ReflectionTrigger } from '../model/decision.ts';
import type { Failure } from '../model/failure.ts';
import type { Settings } from '../model/settings.ts';
import { backoff } from '../model/settings.ts';
import { type Effect, isRepeatable } from '../model/tool.ts';
import { reflectionDue } from './brief.ts';
import { reached } from './limits.ts';
import type { RunState, TaskState } from './state/state.ts';

/** The monitor's judgement of a failed attempt. `stop` is final for the task. */
type AttemptVerdict = { readonly kind: 'retry'; readonly delay: number } | { readonly kind: 'stop' };

/** The monitor's judgement of the run as it stands after an outcome. */
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

/** Attempts that the tool had: a call that only wanted input first was none, nor was one whose driver died. */
export function attemptsMade({ attempts, rounds, crashes }: TaskState): number {
  return attempts - rounds - crashes;
}

interface Attempted {
  readonly effect: Effect;
  readonly attempts: number;
  readonly failure: Failure;
  readonly settings: Settings;
}

/** A new try must be safe (nothing was sent, or repeating does no harm), may help, and must be within the limit. */
export function judge({ effect, attempts, failure, settings }: Attempted): AttemptVerdict {
  const isSafe = failure.kind === 'unavailable' || isRepeatable(effect);
  if (!isSafe || failure.retryable !== true || attempts >= settings.task.attempts) return { kind: 'stop' };
  return {
    kind: 'retry',
    delay: Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, attempts)),
  };
}

/** Whether the failure says that the tool was not reached, so that nothing can have happened. */
export function wasNeverSent({ kind }: Failure): boolean {
  return kind === 'unavailable' || kind === 'invalid_args' || kind === 'plan_error';
}
