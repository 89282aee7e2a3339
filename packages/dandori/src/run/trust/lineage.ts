import type { JsonObject } from '../../model/json.ts';
import type { Task } from '../../model/task.ts';
import { type FoundRef, refsIn } from '../../plan/fill-refs.ts';
import { mayHoldRefs } from '../../plan/refs.ts';
import { isOvertaken, isOwnName, isTrustedResult, isTrustedSource, waitsOf } from '../state/orders.ts';
import type { RunState, TaskState } from '../state/state.ts';
import { hasTasks } from '../state/task-moves.ts';

/** Everything that a result was made from: the call, and what went into its arguments. */
export interface Lineage {
  /** The user ordered every call in it, so no stranger chose what was read. */
  readonly isOrdered: boolean;
  /** No stranger's words are in it. */
  readonly isTrusted: boolean;
}

/** Of tasks that succeeded: nothing about them changes, unless the first external content is read. */
const known = { before: new WeakMap<TaskState, Lineage>(), after: new WeakMap<TaskState, Lineage>() };

export function lineageOf(state: RunState, id: string): Lineage {
  const cache = state.orders.strangersSince === undefined ? known.before : known.after;
  let isOrdered = true;
  let isTrusted = true;
  let isFinal = true;
  const seen = new Set<string>();
  const next = [id];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    const task = state.tasks.get(one);
    const found = task && cache.get(task);
    isOrdered &&= found?.isOrdered ?? task?.isOrdered === true;
    isTrusted &&=
      found?.isTrusted ?? (task?.isOrdered === true && !task.isPermitted && isTrustedHere(state, task));
    if (found !== undefined) continue;
    isFinal &&= task?.status === 'succeeded';
    if (task !== undefined) next.push(...madeFrom(task));
  }
  const root = state.tasks.get(id);
  if (isFinal && root !== undefined) cache.set(root, { isOrdered, isTrusted });
  return { isOrdered, isTrusted };
}

/** The task, and all tasks whose results went into its own. */
export function lineage(state: RunState, id: string): ReadonlySet<string> {
  const found = new Set<string>();
  const next = [id];
  for (let one = next.pop(); one !== undefined; one = next.pop()) {
    if (found.has(one)) continue;
    found.add(one);
    const task = state.tasks.get(one);
    if (task !== undefined) next.push(...madeFrom(task));
  }
  return found;
}

function madeFrom(task: TaskState): readonly string[] {
  return hasTasks(task) ? task.children : sourcesOf(task);
}

function isTrustedHere(state: RunState, of: TaskState): boolean {
  const { children } = of;
  const { operation } = of.task;
  if (operation === 'result.read') return isTrustedSource(state, operation);
  // The mind wrote what a step without tasks returns, and the plan that `plan.get` returns.
  if (children.length === 0 && (isOwnName(operation) || operation.startsWith('task.')))
    return state.orders.strangersSince === undefined;
  return children.length > 0 || isTrustedResult(state, of);
}

/** The tasks whose results went into this one. The name for `result.read` may itself come from a Ref. */
function sourcesOf({ task, sent }: TaskState): string[] {
  const named = task.operation === 'result.read' && typeof sent?.task === 'string' ? [sent.task] : [];
  return [...named, ...readBy(task)];
}

/**
 * Whether the user ordered everything that must have succeeded before this task: what it reads, what it waits
 * for, and what those waited for. If one task in the chain was not ordered, or an earlier call was taken out of
 * the plan, the answer is no.
 */
export function isOrderedUpTo(state: RunState, task: TaskState): boolean {
  const { tasks, orders } = state;
  const { needs } = task;
  if (!orders.hasOthers) return true;
  if (orders.dropped.size > 0 && waitsOf(task).some((id) => isOvertaken(state, id))) return false;
  const seen = new Set<string>();
  const next = [...needs];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const earlier = tasks.get(id);
    if (earlier?.isOrdered !== true) return false;
    next.push(...earlier.needs);
  }
  return true;
}

/** The tasks whose results this one reads, by Ref or by name. */
export function readBy({ operation, args }: Pick<Task, 'operation' | 'args'>): readonly string[] {
  const read = refsOf(args).map(({ ref }) => ref.task);
  return operation === 'result.read' && typeof args.task === 'string' ? [args.task, ...read] : read;
}

const refsKnown = new WeakMap<JsonObject, readonly FoundRef[]>();

/** The Refs in the arguments of a task, which never change. */
export function refsOf(args: JsonObject): readonly FoundRef[] {
  if (!mayHoldRefs(args)) return NONE;
  const known = refsKnown.get(args);
  if (known !== undefined) return known;
  const found = refsIn(args);
  refsKnown.set(args, found);
  return found;
}

const NONE: readonly FoundRef[] = [];

/**
 * Whether no stranger's text can have led to the call or stands in it. Otherwise a sub-goal starts as if it had read
 * the text itself, and a note is labelled. That the user approved the call does not count: what the text leads to later
 * was not shown.
 */
export function isCleanCall(task: TaskState, state: RunState): boolean {
  if (!task.isFromUser) return false;
  return (
    task.isOrdered && !task.isPermitted && readBy(task.task).every((id) => lineageOf(state, id).isTrusted)
  );
}
