import type { FactOf } from '../../model/event.ts';
import type { RunState } from './state.ts';

/** Raises the limits of a run. One that was exhausted is open again; any other end stays. */
export function budgetAdded(state: RunState, added: FactOf<'budget_added'>['data']): RunState {
  const { limits, planning } = state.settings;
  const more = (limit: number, by = 0) => limit + by;
  state.settings = {
    ...state.settings,
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
  state.limitReached = undefined;
  state.loopTold = undefined;
  state.lastWord = state.seq;
  state.stumbles = 0;
  if (state.end?.outcome === 'exhausted') {
    state.end = undefined;
    state.isContinued = true;
  }
  return state;
}
