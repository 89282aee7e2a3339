import type { JsonObject } from '../../model/json.ts';
import type { Access } from '../../model/plan.ts';
import { disturb, filledIn } from '../../plan/hazards.ts';
import { hasEnded, type RunState, type TaskState } from './state.ts';
import { moveTo } from './task-moves.ts';

/**
 * A person's choice may change what a task touches, and with it what it must wait for and what must wait for it.
 *
 * P1  While the question is open, later tasks that any of its options would disturb are held back.
 * P2  A task goes on after the earlier ones that its new arguments disturb.
 * P3  Where a later one has touched the same already, the order cannot be kept any more: the task may not be called.
 */
export function holdBack(state: RunState, task: TaskState, options: readonly JsonObject[]): void {
  for (const args of options) {
    const { later } = around(state, task, args);
    for (const other of later) if (!hasTouched(other)) wait(state, other, task);
  }
}

/** Puts a task with changed arguments in its place; the later one that has overtaken it, where there is one. */
export function placeAnew(state: RunState, task: TaskState, args: JsonObject): TaskState | undefined {
  const { earlier, later } = around(state, task, args);
  const overtaker = later.find(hasTouched);
  if (overtaker !== undefined) return overtaker;
  for (const other of later) wait(state, other, task);
  for (const other of earlier) if (!hasEnded(other.status)) wait(state, task, other);
  return undefined;
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

function wait(state: RunState, later: TaskState, earlier: TaskState): void {
  const { id } = earlier.task;
  if (hasEnded(later.status) || later.waits.includes(id) || later.needs.includes(id)) return;
  later.waits.push(id);
  earlier.dependents.push(later.task.id);
  later.unmet++;
  if (later.status === 'ready' || later.status === 'retrying') moveTo(state, later, 'pending');
}
