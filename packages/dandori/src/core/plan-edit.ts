import type { Diagnostic } from '../domain/diagnostic.ts';
import type { Fact } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Change } from '../domain/revision.ts';
import type { Task } from '../domain/task.ts';
import { canonical } from './canonical.ts';
import { notBegun } from './plan-change.ts';
import type { RunState } from './state.ts';

/**
 * A whole plan of a person's in place of what a run has: what was begun must stand in it as it is, or not at all, and
 * everything else stands for what was not begun. Undefined where nothing changes; a diagnostic says what cannot be.
 */
export function changedPlan(state: RunState, tasks: readonly Task[]): Fact | Diagnostic | undefined {
  const left = new Map(notBegun(state).map((task) => [task.id, task]));
  const fixed = (id: string) => (left.has(id) ? undefined : state.tasks.get(id)?.task);
  const changed = tasks.find((task) => {
    const begun = fixed(task.id);
    return begun !== undefined && !isSame(begun, task);
  });
  if (changed !== undefined)
    return {
      code: 'duplicate-id',
      task: changed.id,
      message: `${changed.id} was begun and stays as it is`,
      hint: 'write what is to be done in its place as a task with another id',
    };
  const wanted = tasks.filter(({ id }) => fixed(id) === undefined);
  const changes = changesBetween(left, wanted);
  if (changes.length === 0) return undefined;
  const version = state.planVersion + 1;
  if (state.tasks.size === 0)
    return { type: 'plan_proposed', data: { version, by: 'user', tasks: [...wanted] } };
  const removes = [...left.keys()];
  return {
    type: 'plan_revised',
    data: { version, by: 'user', reason: 'edited by a person', changes, removes, tasks: [...wanted] },
  };
}

function changesBetween(left: ReadonlyMap<string, Task>, wanted: readonly Task[]): Change[] {
  const kept = new Set(wanted.map(({ id }) => id));
  const changes: Change[] = [
    ...wanted.flatMap((task): Change[] => {
      const before = left.get(task.id);
      if (before === undefined) return [{ kind: 'add', task: task.id }];
      return isSame(before, task) ? [] : [{ kind: 'replace', task: task.id }];
    }),
    ...[...left.keys()].filter((id) => !kept.has(id)).map((id) => ({ kind: 'remove' as const, task: id })),
  ];
  const order = [...left.keys()].filter((id) => kept.has(id));
  const isMoved = wanted.filter(({ id }) => left.has(id)).some(({ id }, index) => id !== order[index]);
  return isMoved ? [...changes, { kind: 'reorder' }] : changes;
}

/** What it says to do. An empty list of tasks to wait for is no list. */
function isSame(one: Task, other: Task): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ after = [], ...task }: Task): string {
  return stringifyJson(canonical({ ...task, ...(after.length > 0 && { after }) } as Json));
}
