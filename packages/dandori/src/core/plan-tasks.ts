import type { Task } from '../domain/task.ts';
import { isPlanAsked } from './plan-word.ts';
import type { RunState } from './state.ts';

/** The plan that a person is asked about; else as it was accepted, or as it was proposed, whatever became of it. */
export function planTasks(state: RunState): readonly Task[] {
  const accepted = [...state.tasks.values()].map(({ task }) => task);
  return accepted.length > 0 && !isPlanAsked(state) ? accepted : (state.draft?.tasks ?? []);
}
