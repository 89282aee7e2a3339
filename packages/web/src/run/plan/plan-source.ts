import type { Event } from '#dandori/model/event.ts';
import { writePlan } from '#dandori/plan/write.ts';
import { isPlanAsked } from '#dandori/run/state/plan.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { planTasks } from '#dandori/views/plan.ts';

/** The plan of a run as a file, the one that a person is asked about first. Undefined where nothing is planned. */
export function planSource(state: RunState): string | undefined {
  const tasks = planTasks(state);
  return tasks.length === 0 ? undefined : writePlan({ goal: state.goal, tasks });
}

/** The question that asks about the plan, where one does. */
export function planQuestionOf(state: RunState): string | undefined {
  return state.end === undefined && isPlanAsked(state) ? state.draft?.question : undefined;
}

/** The last event at which the run can be forked: nothing can follow its end. */
export function lastForkable(events: readonly Event[]): number {
  const stop = events.find(({ type }) => type === 'run_finished' || type === 'cancel_requested');
  return stop === undefined ? (events.at(-1)?.seq ?? 1) : stop.seq - 1;
}
