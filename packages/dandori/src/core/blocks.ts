import type { Question } from '../domain/question.ts';
import { hasEnded, type RunState } from './state.ts';

/** The tasks that wait for the answer, from the one that asked on. None where it is the mind's next decision that waits. */
export function blockedBy({ task, plan }: Question, state: RunState): string[] {
  const { draft, tasks } = state;
  if (plan !== undefined && draft?.version === plan) return draft.tasks.map(({ id }) => id);
  if (task === undefined) return [];
  return [...behind(task, state)].filter((id) => !hasEnded(tasks.get(id)?.status ?? 'blocked'));
}

/** The task and all that waits for it, directly or not. */
export function behind(task: string, { tasks }: RunState): Set<string> {
  const found = new Set<string>();
  const next = [task];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    const one = tasks.get(id);
    if (found.has(id) || one === undefined) continue;
    found.add(id);
    next.push(...one.dependents, ...one.opens.flatMap(({ dependents }) => dependents));
  }
  return found;
}
