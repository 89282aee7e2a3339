import type { JsonObject } from '../../model/json.ts';
import type { Access } from '../../model/plan.ts';
import { disturb, filledIn } from '../../plan/hazards.ts';
import { waitFor } from './indexes.ts';
import type { RunState } from './state.ts';
import { moveTo } from './task-moves.ts';
import { hasEnded, type TaskState } from './tasks.ts';

/**
 * A person's choice may change what a task touches, and with it what it must wait for and what must wait for it.
 *
 * P1  While the question is open, later tasks that any of its options would disturb are held back.
 * P2  A task goes on after the earlier ones that its new arguments disturb.
 * P3  Where a later one has touched the same already, the order cannot be kept any more: the task may not be called.
 */
export function heldBackBy(state: RunState, task: TaskState, options: readonly JsonObject[]): string[] {
  const found = options.flatMap((args) => around(state, task, args).later.filter((one) => !hasTouched(one)));
  return [...new Set(found)].filter((one) => canWait(one, task)).map(({ task: { id } }) => id);
}

/** Where a task with these arguments belongs: who then waits for whom, or the later one that has overtaken it. */
export function placeOf(
  state: RunState,
  task: TaskState,
  args: JsonObject,
): { readonly waits: { task: string; for: string }[] } | { readonly overtaker: TaskState } {
  const { earlier, later } = around(state, task, args);
  const overtaker = later.find(hasTouched);
  if (overtaker !== undefined) return { overtaker };
  const pairs = [
    ...later.map((other) => [other, task] as const),
    ...earlier.filter(({ status }) => !hasEnded(status)).map((other) => [task, other] as const),
  ];
  const needed = pairs.filter(([one, other]) => canWait(one, other));
  return { waits: needed.map(([one, other]) => ({ task: one.task.id, for: other.task.id })) };
}

/** The tasks that it would disturb with these arguments, by where they stand in the plan. */
function around(
  { accesses, tasks }: RunState,
  { task: { id } }: TaskState,
  args: JsonObject,
): { earlier: TaskState[]; later: TaskState[] } {
  const earlier = new Set<TaskState>();
  const later = new Set<TaskState>();
  const own = accesses.filter((access) => access.id === id).map((access) => filledIn(access, args));
  let found = earlier;
  for (const access of own.length === 0 ? [] : accesses) {
    if (access.id === id) found = later;
    const other = access.id === id ? undefined : tasks.get(access.id);
    if (other !== undefined && own.some((one) => disturb(one, asItStands(access, other)))) found.add(other);
  }
  return { earlier: [...earlier], later: [...later] };
}

function asItStands(access: Access, { override, task }: TaskState): Access {
  return filledIn(access, override ?? task.args);
}

function hasTouched({ mayHaveTouched, status }: TaskState): boolean {
  return mayHaveTouched || status === 'running';
}

/** Whether it is not over, and does not wait already. */
function canWait({ status, waits, needs }: TaskState, { task: { id } }: TaskState): boolean {
  return !hasEnded(status) && !waits.includes(id) && !needs.includes(id);
}

export function wait(state: RunState, later: TaskState | undefined, earlier: TaskState | undefined): void {
  if (later === undefined || earlier === undefined || !canWait(later, earlier)) return;
  waitFor(later, earlier);
  if (later.status === 'ready' || later.status === 'retrying') moveTo(state, later, 'pending');
}
