import type { Usage } from '../../model/decision.ts';
import type { Event, FactOf } from '../../model/event.ts';
import { isCommand } from '../../model/event-kinds.ts';
import type { Settings } from '../../model/settings.ts';
import type { Share } from '../../model/sub-goal.ts';
import { dollars } from '../../model/text.ts';

/** What the run may use and what it has used. */
export interface Budget {
  /** The settings from the start of the run, with limits that were raised since. */
  settings: Settings;
  /** Usage of model calls and tool calls together. */
  readonly usage: Usage;
  modelCalls: number;
  /** What is set aside for sub-goals that have not ended, by task. */
  readonly shares: Map<string, Share>;
  /** Model calls that were lost because the driver died. `modelCalls` does not include them. */
  forgivenCalls: number;
  /** Decisions whose plan was accepted. `max_steps` limits this number. */
  plansAccepted: number;
  /** Milliseconds during which a driver drove the run. */
  activeMs: number;
  /** Time of the last fact that a driver wrote. Before that, the time of the start. */
  lastAt: number;
  /** Whether a driver has written a fact yet. */
  isTakenUp: boolean;
  /** The limit that the next action would exceed. */
  limitReached: FactOf<'limit_reached'>['data']['limit'] | undefined;
  /** The closing answer was reserved when that limit was reached. */
  isClosingReserved: boolean;
}

export function createBudget(settings: Settings, at: number): Budget {
  return {
    settings,
    usage: { inputTokens: 0, outputTokens: 0 },
    modelCalls: 0,
    shares: new Map(),
    forgivenCalls: 0,
    plansAccepted: 0,
    activeMs: 0,
    lastAt: at,
    isTakenUp: false,
    limitReached: undefined,
    isClosingReserved: false,
  };
}

/**
 * Counts only the time in which a driver works on the run. Time between a crash and a resume, in a queue, or
 * only holding calls open for a person does not count. Returns whether a driver wrote the event.
 */
export function keepTime(budget: Budget, event: Event, isOnlyHolding: boolean): boolean {
  if (isFromOutside(event)) {
    // An answer ends the wait, even if the driver reads it later.
    if (isOnlyHolding) budget.lastAt = Math.max(budget.lastAt, event.at);
    return false;
  }
  if (budget.isTakenUp && event.type !== 'run_resumed' && !isOnlyHolding)
    budget.activeMs += Math.max(0, event.at - budget.lastAt);
  budget.isTakenUp = true;
  budget.lastAt = event.at;
  return true;
}

function isFromOutside(event: Event): boolean {
  if (event.type === 'plan_proposed' || event.type === 'plan_revised') return event.data.by === 'user';
  return isCommand(event.type);
}

export function modelCallForgiven(budget: Budget): void {
  budget.forgivenCalls++;
  budget.modelCalls--;
}

/** An own tool has called the model, or a sub-goal has ended. */
export function modelCalled(
  budget: Budget,
  { usage, calls = 1 }: Pick<FactOf<'task_succeeded'>['data'], 'usage' | 'calls'>,
): void {
  if (usage === undefined) return;
  budget.modelCalls += calls;
  addUsage(budget, usage);
}

export function addUsage({ usage }: Budget, more: Usage | undefined): void {
  if (more === undefined) return;
  usage.inputTokens += more.inputTokens;
  usage.outputTokens += more.outputTokens;
  if (more.cachedInputTokens !== undefined)
    usage.cachedInputTokens = (usage.cachedInputTokens ?? 0) + more.cachedInputTokens;
  if (more.estimated === true) usage.estimated = true;
  if (more.cost !== undefined) spend(usage, more.cost);
}

/** A call is paid for when it starts, so that concurrent calls cannot exceed the limit together. */
export function spend(usage: Usage, cost: number): void {
  if (cost !== 0) usage.cost = dollars((usage.cost ?? 0) + cost);
}

export function limitReached(budget: Budget, { limit, reserved }: FactOf<'limit_reached'>['data']): void {
  budget.limitReached = limit;
  budget.isClosingReserved = reserved === true;
}

export function limitsRaised(budget: Budget, added: FactOf<'budget_added'>['data']): void {
  const { limits, planning } = budget.settings;
  const more = (limit: number, by = 0) => limit + by;
  budget.settings = {
    ...budget.settings,
    limits: {
      ...limits,
      steps: more(limits.steps, added.steps),
      calls: more(limits.calls, added.calls),
      tasks: more(limits.tasks, added.tasks),
      time: more(limits.time, added.time),
      ...(limits.cost !== undefined && { cost: more(limits.cost, added.cost) }),
      ...(limits.tokens !== undefined && { tokens: more(limits.tokens, added.tokens) }),
    },
    ...(planning && { planning: { ...planning, revisions: more(planning.revisions, added.revisions) } }),
  };
  budget.limitReached = undefined;
  budget.isClosingReserved = false;
}
