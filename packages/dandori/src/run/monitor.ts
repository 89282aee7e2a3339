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
  if (!isSafe || failure.retryable !== true || attempts >= settings.task.attempts) return { kind: 'stop' };
  return {
    kind: 'retry',
    delay: Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, attempts)),
  };
}

/** Whether the failure says that the call never reached the tool, so it cannot have had an effect. */
export function wasNeverSent({ kind }: Failure): boolean {
  return kind === 'unavailable' || kind === 'invalid_args' || kind === 'plan_error';
}
