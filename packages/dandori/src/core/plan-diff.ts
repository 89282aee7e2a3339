import { stringifyJson } from '../domain/json-text.ts';
import type { Task } from '../domain/task.ts';
import { canonical } from './canonical.ts';
import type { Draft, RunState } from './state.ts';

/** What a proposed plan changes in what was accepted before and is not begun, or in the one that a person rejected. */
export interface PlanDiff {
  readonly added: readonly string[];
  /** As they were before. */
  readonly changed: readonly Task[];
  readonly removed: readonly Task[];
}

/** Undefined where there was nothing before it: then all of it is new. */
export function planDiff({ tasks, removes = [] }: Draft, state: RunState): PlanDiff | undefined {
  const accepted = removes.flatMap((id) => state.tasks.get(id)?.task ?? []);
  const before = accepted.length > 0 ? accepted : state.vetoed;
  if (before.length === 0) return undefined;
  const now = new Map(tasks.map((task) => [task.id, task]));
  const earlier = new Set(before.map(({ id }) => id));
  return {
    added: tasks.filter(({ id }) => !earlier.has(id)).map(({ id }) => id),
    changed: before.filter((task) => {
      const written = now.get(task.id);
      return written !== undefined && textOf(written) !== textOf(task);
    }),
    removed: before.filter(({ id }) => !now.has(id)),
  };
}

function textOf(task: Task): string {
  return stringifyJson(canonical(task));
}
