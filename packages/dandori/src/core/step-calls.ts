import type { RunState } from './state.ts';
import { isStep } from './step.ts';

/** The calls that a step stands for, in written order, those of steps in it too; a call stands for itself. */
export function callsOf(id: string, tasks: RunState['tasks']): string[] {
  const task = tasks.get(id);
  if (task === undefined || task.isSuperseded) return [];
  return isStep(task.task) ? task.children.flatMap((child) => callsOf(child, tasks)) : [id];
}

/** The call whose result is that of the step. */
export function resultCallOf(id: string, tasks: RunState['tasks']): string | undefined {
  const task = tasks.get(id);
  if (task === undefined || !isStep(task.task)) return task?.task.id;
  const last = task.children.findLast((child) => tasks.get(child)?.isSuperseded === false);
  return last === undefined ? undefined : resultCallOf(last, tasks);
}
