import type { Limit } from '../model/decision.ts';
import type { Said } from '../model/failure.ts';
import { dollars } from '../model/text.ts';
import { revisionsLeft } from './brief.ts';
import { isInsisting, isStuck } from './loop.ts';
import { isOnlyHolding, type RunState } from './state/state.ts';

/** The limit that forbids another decision with tasks, if any. Checked before anything is dispatched. */
export function reached(state: RunState, now: number): Limit | undefined {
  const { limits } = state.settings;
  const { stepCount } = state.indexes;
  if (workTimeLeft(state, now) <= 0) return 'time';
  if (state.limitReached !== undefined) return state.limitReached;
  if (limits.tokens !== undefined && tokensUsed(state) >= limits.tokens) return 'tokens';
  if (limits.cost !== undefined && (costUsed(state) >= limits.cost || isTooDear(state))) return 'cost';
  // The last model call is reserved for the closing answer, unless the limit is one call.
  if (callsUsed(state) >= Math.max(1, limits.calls - 1)) return 'calls';
  // A plan from the user gets no more tasks. Only the answer is missing.
  if (state.planGiven) return undefined;
  if (state.plansAccepted >= limits.steps + stepCount + refusedSteps(state)) return 'steps';
  if (state.tasks.size - stepCount >= limits.tasks) return 'tasks';
  if (mustRevise(state) && revisionsLeft(state) === 0) return 'revisions';
  return isStuck(state) ? 'loop' : undefined;
}

/**
 * Decisions whose calls were all refused, by the user or by a rule. They changed nothing, so they do not count as
 * steps. If the mind had read external content, the reads before them do not count either: they may have prepared
 * the refused call.
 */
function refusedSteps({ decisions, tasks, questions, settings }: RunState): number {
  if (questions.size === 0 && settings.trust?.rules === undefined) return 0;
  const isRefused = (id: string) => {
    const { status, mayHaveTouched, failure } = tasks.get(id) ?? {};
    return status === 'failed' && mayHaveTouched === false && failure?.kind === 'rejected';
  };
  let refused = 0;
  let reads = 0;
  for (const { proposed, isInfluenced = false } of decisions) {
    if (proposed.length === 0) continue;
    if (proposed.every(({ id }) => isRefused(id))) {
      refused += reads + 1;
      reads = 0;
    } else {
      const isRead = isInfluenced && proposed.every(({ id }) => tasks.get(id)?.effect === 'read');
      reads = isRead ? reads + 1 : 0;
    }
  }
  return refused;
}

/** Includes what is reserved for sub-goals. */
export function tokensUsed({ usage, shares }: RunState): number {
  return usage.inputTokens + usage.outputTokens + setAside(shares, 'tokens');
}

export function costUsed({ usage, shares }: Pick<RunState, 'usage' | 'shares'>): number {
  return (usage.cost ?? 0) + setAside(shares, 'cost');
}

export function callsUsed({ modelCalls, shares }: RunState): number {
  return modelCalls + setAside(shares, 'calls');
}

function setAside(shares: RunState['shares'], of: 'calls' | 'tokens' | 'cost'): number {
  let sum = 0;
  for (const share of shares.values()) sum += share[of] ?? 0;
  return sum;
}

/**
 * A task has failed and the mode requires a complete plan, so the run can only continue with a revised plan.
 */
function mustRevise({ settings, sinceReflection }: RunState): boolean {
  const isPlanned = settings.mode === 'planned' || settings.mode === 'hierarchical';
  return isPlanned && settings.planning !== undefined && sinceReflection.failed > 0;
}

export function timeLeft(state: RunState, now: number): number {
  const isCounted = state.isTakenUp && !isOnlyHolding(state);
  const sinceLast = isCounted ? Math.max(0, now - state.lastAt) : 0;
  return state.settings.limits.time - state.activeMs - sinceLast;
}

/** The time for everything but the closing answer. The built-in planner needs none to write it. */
export function workTimeLeft(state: RunState, now: number): number {
  const reserved = state.mind === 'built-in' ? 0 : (state.settings.limits.closing ?? 0);
  return timeLeft(state, now) - reserved;
}

/** Whether the run can pay for all of these calls together. */
export function canPay(state: RunState, cost: number): boolean {
  const { limits } = state.settings;
  return limits.cost === undefined || cost === 0 || dollars(costUsed(state) + cost) <= limits.cost;
}

/** Whether a task is waiting that the remaining budget cannot pay for. */
function isTooDear(state: RunState): boolean {
  for (const queue of [state.indexes.ready, state.indexes.retrying]) {
    for (const { item } of queue.inOrder()) if (!canPay(state, item.cost)) return true;
  }
  return false;
}

/** Whether one more model call is possible. A run that used up its steps can still report what it found. */
export function canConclude(state: RunState, now: number): boolean {
  const { calls, cost, tokens } = state.settings.limits;
  const isPaid = cost === undefined || costUsed(state) < cost;
  const hasTokens = tokens === undefined || tokensUsed(state) < tokens;
  const isPossible = isPaid && hasTokens && (state.limitReached === undefined || state.isClosingReserved);
  return callsUsed(state) < calls && timeLeft(state, now) > 0 && isPossible;
}

/** Reports the limit as missing work, together with its value. */
export function limitSaid(state: RunState, limit: Limit): Said {
  const { limits, planning } = state.settings;
  const most: Readonly<Record<Limit, number | undefined>> = {
    ...limits,
    cost: limits.cost,
    tokens: limits.tokens,
    revisions: planning?.revisions,
    loop: undefined,
  };
  const params = {
    limit,
    ...(most[limit] !== undefined && { most: most[limit] }),
    ...(limit === 'loop' && isInsisting(state) && { isInsisting: true }),
  };
  return { code: 'limit', params };
}
