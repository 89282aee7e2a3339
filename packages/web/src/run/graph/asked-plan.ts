import { type PlanAbout, planAbout } from '#dandori/model/question.ts';
import type { RunState } from '#dandori/run/state/state.ts';
import { openQuestions } from '#dandori/views/report.ts';

export type AskedTask = PlanAbout['tasks'][number];

/** The tasks of a plan that a person is asked about, as the compiler has seen them: what each does and waits for. */
export function askedTasks(state: RunState): ReadonlyMap<string, AskedTask> {
  const asked = openQuestions(state).find(({ kind }) => kind === 'plan_approval');
  const about = asked === undefined ? undefined : planAbout.safeParse(asked.context).data;
  return new Map((about?.tasks ?? []).map((task) => [task.id, task]));
}
