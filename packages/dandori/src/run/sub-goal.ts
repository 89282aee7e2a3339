import { limitsAsked, type Share, SUB_GOAL } from '../model/sub-goal.ts';
import { dollars } from '../model/text.ts';
import { callsUsed, costUsed, tokensUsed, workTimeLeft } from './limits.ts';
import { hasEnded, type RunState, type TaskState } from './state/state.ts';

/** The share of the run's limits that a sub-goal gets. A retry keeps the share. */
export function shareFor(task: TaskState, state: RunState, run: string): Share {
  if (task.share !== undefined) return task.share;
  const { limits } = state.settings;
  const asked = limitsAsked(task.override ?? task.task.args);
  // The last call is for the closing answer.
  const calls = partOf(limits.calls - callsUsed(state) - 1, asked.calls, state);
  const tokens = limits.tokens && partOf(limits.tokens - tokensUsed(state), asked.tokens, state);
  const cost = limits.cost && dollars(partOf(limits.cost - costUsed(state), asked.cost, state));
  return {
    run,
    calls: Math.floor(calls),
    ...(tokens !== undefined && { tokens: Math.floor(tokens) }),
    ...(cost !== undefined && { cost }),
  };
}

/** The requested amount, if that much is left. Otherwise an equal share with the other sub-goals and the run. */
function partOf(left: number, asked: number | undefined, { tasks }: RunState): number {
  let waiting = 0;
  for (const { task, status, share } of tasks.values())
    if (task.operation === SUB_GOAL && share === undefined && !hasEnded(status)) waiting++;
  const fair = waiting === 0 ? left : Math.max(Math.min(1, left), left / (waiting + 1));
  return Math.max(0, Math.min(left, asked ?? fair));
}

/** Milliseconds for a sub-goal: its own limit, or what the run has left. */
export function timeFor(task: TaskState, state: RunState, now: number): number {
  const { seconds = Number.POSITIVE_INFINITY } = limitsAsked(task.sent ?? task.task.args);
  return Math.max(1, Math.min(seconds * 1000, workTimeLeft(state, now)));
}
