import type { JsonObject } from '../../model/json.ts';
import type { Access } from '../../model/plan.ts';
import { disturb, filledIn } from '../../plan/hazards.ts';
import { waitFor } from './indexes.ts';
import type { RunState } from './state.ts';
import { moveTo } from './task-moves.ts';
import { hasEnded, type TaskState } from './task-state.ts';

/**
 * A person's choice may change what a task touches. This changes which tasks it waits for and which tasks
 * wait for it.
 *
 * P1  While the question is open, later tasks that conflict with any of its options are held back.
 * P2  A task continues after the earlier tasks that conflict with its new arguments.
 * P3  If a later task has already touched the same resource, the order is broken and the task may not be
 *     called.
 */
export function heldBackBy(state: RunState, task: TaskState, options: readonly JsonObject[]): string[] {
  const found = options.flatMap((args) => around(state, task, args).later.filter((one) => !hasTouched(one)));
  return [...new Set(found)].filter((one) => canWait(one, task)).map(({ task: { id } }) => id);
}

/**
 * The place of a task with these arguments: the waits that it needs, or the later task that has overtaken it.
 */
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

/** The tasks that conflict with these arguments: those before it in the plan and those after it. */
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

/** Whether the task has not ended and does not wait for the other one yet. */
function canWait({ status, waits, needs }: TaskState, { task: { id } }: TaskState): boolean {
  return !hasEnded(status) && !waits.includes(id) && !needs.includes(id);
}

/** Makes a task wait for another one, unless it already does or has ended. */
export function holdBack(
  state: RunState,
  later: TaskState | undefined,
  earlier: TaskState | undefined,
): void {
  if (later === undefined || earlier === undefined || !canWait(later, earlier)) return;
  waitFor(later, earlier);
  if (later.status === 'ready' || later.status === 'retrying')
    moveTo(state, later, { status: 'pending', dueAt: later.dueAt });
}
