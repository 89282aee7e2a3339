import type { Task } from '../domain/task.ts';
import { isPlanAsked } from './plan-word.ts';
import type { RunState } from './state.ts';

/**
 * The plan that a person is asked about; else as it was accepted, without what a revision put others in place of, or as
 * it was proposed, whatever became of it.
 */
export function planTasks(state: RunState): readonly Task[] {
  const standing = [...state.tasks.values()].filter(({ isSuperseded }) => !isSuperseded);
  const accepted = standing.map(({ task }) => task);
  return accepted.length > 0 && !isPlanAsked(state) ? accepted : (state.draft?.tasks ?? []);
}
