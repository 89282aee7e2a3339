import { assertNever } from '../domain/error.ts';
import { isStuck, revisionsLeft } from './briefing.ts';
import type { RunState } from './state.ts';

export type Limit = 'steps' | 'calls' | 'tasks' | 'time' | 'cost' | 'tokens' | 'revisions' | 'loop';

/** The limit that forbids another decision with tasks, if any. Checked before anything is dispatched. */
export function reached(state: RunState, now: number): Limit | undefined {
  const { limits } = state.settings;
  if (timeLeft(state, now) <= 0) return 'time';
  if (state.limitReached !== undefined) return state.limitReached;
  if (limits.tokens !== undefined && tokensUsed(state) >= limits.tokens) return 'tokens';
  if (limits.cost !== undefined && (state.usage.cost ?? 0) >= limits.cost) return 'cost';
  // The last call is kept back for the closing answer, unless there is only one.
  if (state.calls >= Math.max(1, limits.calls - 1)) return 'calls';
  // After a plan of the user's no task is added any more, only the answer is missing.
  if (state.planGiven) return undefined;
  if (state.steps >= limits.steps + state.stepCount) return 'steps';
  if (state.tasks.size >= limits.tasks) return 'tasks';
  if (mustRevise(state) && revisionsLeft(state) === 0) return 'revisions';
  return isStuck(state) ? 'loop' : undefined;
}

export function tokensUsed({ usage }: RunState): number {
  return usage.inputTokens + usage.outputTokens;
}

/** Something has failed and the plan is meant to be whole: to go on is to change it. */
function mustRevise({ settings, sinceReflection }: RunState): boolean {
  const isPlanned = settings.mode === 'planned' || settings.mode === 'hierarchical';
  return isPlanned && settings.planning !== undefined && sinceReflection.failed > 0;
}

export function timeLeft(state: RunState, now: number): number {
  const sinceLast = state.isTakenUp ? Math.max(0, now - state.lastAt) : 0;
  return state.settings.limits.time - state.activeMs - sinceLast;
}

/** A run that used up its steps can still say what it found. */
export function canConclude(state: RunState, now: number): boolean {
  const { calls, cost, tokens } = state.settings.limits;
  const isPaid = cost === undefined || (state.usage.cost ?? 0) < cost;
  const hasTokens = tokens === undefined || tokensUsed(state) < tokens;
  const isPossible = isPaid && hasTokens && state.limitReached === undefined;
  return state.calls < calls && timeLeft(state, now) > 0 && isPossible;
}

export function describeLimit(state: RunState, limit: Limit): string {
  const { limits, planning } = state.settings;
  switch (limit) {
    case 'steps':
      return `the limit of ${limits.steps} ${limits.steps === 1 ? 'step' : 'steps'} (execution.max_steps) is reached`;
    case 'calls':
      return `the limit of ${limits.calls} model calls (execution.max_model_calls) is reached`;
    case 'tasks':
      return `the limit of ${limits.tasks} tasks (planning.max_subtasks) is reached`;
    case 'cost':
      return `the limit of $${limits.cost} (execution.max_cost) is reached`;
    case 'tokens':
      return `the limit of ${limits.tokens} tokens (execution.max_tokens) is reached`;
    case 'revisions':
      return `the limit of ${planning?.revisions} revisions (planning.revision.max_revisions) is reached`;
    case 'loop':
      return 'the run went in circles: it was told so once and did the same again';
    case 'time':
      return `the limit of ${Math.round(limits.time / 1000)} s (execution.max_time) is reached`;
    default:
      return assertNever(limit);
  }
}
