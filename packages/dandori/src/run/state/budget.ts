import type { Usage } from '../../model/decision.ts';
import { type Event, type FactOf, isCommand } from '../../model/event.ts';
import type { Settings } from '../../model/settings.ts';
import { dollars } from '../../model/text.ts';

/** What the run may use and what it has used. */
export interface Budget {
  /** As journaled with the start, with the limits as they were raised since. */
  settings: Settings;
  /** Of model calls and tool calls together. */
  readonly usage: Usage;
  modelCalls: number;
  /** Model calls that were lost because the driver died, and are not in `modelCalls` for that. */
  forgivenCalls: number;
  /** Decisions whose plan was accepted: what `max_steps` counts. */
  plansAccepted: number;
  /** Milliseconds during which a driver drove the run. */
  activeMs: number;
  /** Time of the last fact that a driver wrote; of the start before that. */
  lastAt: number;
  /** Whether a driver has written yet. */
  isTakenUp: boolean;
  /** A limit that what comes next would break. */
  limitReached: FactOf<'limit_reached'>['data']['limit'] | undefined;
}

export function createBudget(settings: Settings, at: number): Budget {
  return {
    settings,
    usage: { inputTokens: 0, outputTokens: 0 },
    modelCalls: 0,
    forgivenCalls: 0,
    plansAccepted: 0,
    activeMs: 0,
    lastAt: at,
    isTakenUp: false,
    limitReached: undefined,
  };
}

/**
 * Only time in which a driver drove the run counts: not the days between a crash and a resume, nor those in a queue, nor
 * those in which it only holds calls open for a person. True where a driver wrote the event.
 */
export function keepTime(budget: Budget, event: Event, isOnlyHolding: boolean): boolean {
  if (isFromOutside(event)) {
    // An answer ends the wait, whenever the driver hears of it.
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

export function addUsage({ usage }: Budget, more: Usage | undefined): void {
  if (more === undefined) return;
  usage.inputTokens += more.inputTokens;
  usage.outputTokens += more.outputTokens;
  if (more.cachedInputTokens !== undefined)
    usage.cachedInputTokens = (usage.cachedInputTokens ?? 0) + more.cachedInputTokens;
  if (more.estimated === true) usage.estimated = true;
  if (more.cost !== undefined) spend(usage, more.cost);
}

/** A call is paid for when it starts, so that those that run at once cannot overrun the limit together. */
export function spend(usage: Usage, cost: number): void {
  if (cost !== 0) usage.cost = dollars((usage.cost ?? 0) + cost);
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
}
