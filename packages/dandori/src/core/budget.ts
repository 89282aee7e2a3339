import type { RunState } from './state.ts';
import { textsOf } from './texts.ts';

export type Limit = 'steps' | 'calls' | 'time' | 'cost';

/** The limit that forbids another decision with tasks, if any. Checked before anything is dispatched. */
export function reached(state: RunState, now: number): Limit | undefined {
  const { limits } = state.settings;
  if (timeLeft(state, now) <= 0) return 'time';
  if (limits.cost !== undefined && (state.usage.cost ?? 0) >= limits.cost) return 'cost';
  // The last call is kept back for the closing answer, unless there is only one.
  if (state.calls >= Math.max(1, limits.calls - 1)) return 'calls';
  // After a plan of the user's no task is added any more, only the answer is missing.
  if (!state.planGiven && state.steps >= limits.steps) return 'steps';
  return undefined;
}

export function timeLeft(state: RunState, now: number): number {
  const sinceLast = state.isTakenUp ? Math.max(0, now - state.lastAt) : 0;
  return state.settings.limits.time - state.activeMs - sinceLast;
}

/** A run that used up its steps can still say what it found. */
export function canConclude(state: RunState, now: number): boolean {
  const { calls, cost } = state.settings.limits;
  const isPaid = cost === undefined || (state.usage.cost ?? 0) < cost;
  return state.calls < calls && timeLeft(state, now) > 0 && isPaid;
}

export function describeLimit(state: RunState, limit: Limit): string {
  const { limits } = state.settings;
  const texts = textsOf(state);
  if (limit === 'steps') return texts.stepsReached(limits.steps);
  if (limit === 'calls') return texts.callsReached(limits.calls);
  if (limit === 'cost') return texts.costReached(limits.cost);
  return texts.timeReached(Math.round(limits.time / 1000));
}
