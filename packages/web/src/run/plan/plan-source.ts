import type { Event } from '#dandori/model/event.ts';
import { writePlan } from '#dandori/plan/write.ts';
import { isPlanAsked } from '#dandori/run/state/plan.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { planTasks } from '#dandori/views/plan.ts';

/** The plan of a run as a file; the proposed one if it waits for approval. Undefined without a plan. */
export function planSource(state: RunState): string | undefined {
  const tasks = planTasks(state);
  return tasks.length === 0 ? undefined : writePlan({ goal: state.goal, tasks });
}

/** The id of the open plan approval, if there is one. */
export function planQuestionOf(state: RunState): string | undefined {
  return state.end === undefined && isPlanAsked(state) ? state.draft?.question : undefined;
}

/** The last event at which the run can be forked, which is before its end. */
export function lastForkable(events: readonly Event[]): number {
  const stop = events.find(({ type }) => type === 'run_finished' || type === 'cancel_requested');
  return stop === undefined ? (events.at(-1)?.seq ?? 1) : stop.seq - 1;
}
