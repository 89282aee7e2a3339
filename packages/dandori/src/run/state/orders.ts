import type { FactOf } from '../../model/event.ts';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.ts';
import { OWN_SERVER, OWN_TOOLS, RUN_TOOLS } from '../../model/own-tools.ts';
import { SUB_GOAL } from '../../model/sub-goal.ts';
import { type Action, isStep, type Task } from '../../model/task.ts';
import { refsIn } from '../../plan/fill-refs.ts';
import { lastDecision } from './decisions.ts';
import type { Draft } from './plan.ts';
import type { RunState } from './state.ts';
import { hasEnded, type TaskState } from './task-state.ts';

/**
 * Whose orders the run follows. What the mind decides before it has read a stranger's text is the user's
 * order. What it decides afterwards may be an order of the stranger who wrote the text.
 *
 * T1  Every result, error and question of a source that is not trusted counts as read by the mind once it is
 *     journaled. The mind stays in this state until the end of the run.
 * T2  A call is ordered if the user wrote or approved it, or if the mind planned it before T1.
 * T3  An order is used once. If its call failed or was taken out of the plan, the same call may use it again,
 *     after the same tasks and with the same expectation. Otherwise a stranger could have a payment made
 *     without the check before it.
 * T4  An id stays bound to its order. Otherwise a stranger could swap the ids of two ordered reads, and so
 *     what the Refs to them mean.
 * T5  Ordered calls keep their written order where it matters: a call that waited for another one before a
 *     revision waits for it afterwards. Otherwise a stranger could have a file deleted before it is mailed.
 */
export interface Orders {
  /** The event with the first text of a stranger. Undefined if there is none. */
  strangersSince: number | undefined;
  /** Orders whose call failed or was taken out of the plan. */
  readonly free: TaskState[];
  /** The ids under which orders were freed. */
  readonly bound: Set<string>;
  /** Ordered calls with an effect that a revision took out of the plan before they began. */
  readonly dropped: Set<string>;
  /** Whether the run has a task that is no order. */
  hasOthers: boolean;
  /** Calls that the mind announced before it had read anything. */
  readonly permissions: Permission[];
  /** Tools whose calls the user refuses unless the user ordered them. */
  readonly refused: string[];
}

/** A call that the mind said it may need: the operation, and what may aim it. */
export interface Permission {
  readonly operation: string;
  /** Per argument: a value, or where the value comes from. */
  readonly args: JsonObject;
  /** How many more calls it permits. */
  left: number;
}

/** Where the value of an announced argument comes from: the result of an ordered call of this operation. */
export interface Source {
  readonly from: string;
  /** JMESPath, or the name of a field at any depth. Empty for the whole result. */
  readonly path: string;
  /** Which call of this operation, by arguments of it. Empty if there is only one. */
  readonly args: JsonObject;
}

/** The most calls that one permission can allow. */
const MOST_TIMES = 50;

export function createOrders({ seq, data }: { seq: number; data: FactOf<'run_started'>['data'] }): Orders {
  const isTold = data.hasHeardStrangers === true || data.unseen !== undefined;
  const isHeard = data.settings.trust !== undefined && isTold;
  return {
    strangersSince: isHeard ? seq : undefined,
    free: [],
    bound: new Set(),
    dropped: new Set(),
    hasOthers: false,
    permissions: [],
    refused: [],
  };
}

/**
 * Whether the results of this operation can contain no stranger's words. `sources` has full names of tools,
 * and the first part of names under which every tool is trusted.
 */
export function isTrustedSource({ settings: { trust }, sources }: RunState, operation: string): boolean {
  if (trust === undefined) return true;
  // A sub-goal returns what it has read, and an attachment is not the user's words.
  if (operation === SUB_GOAL || operation === 'attachment.read') return false;
  // An own tool only returns what its source has already returned.
  if (isOwnName(operation)) return sources.includes(OWN_SERVER);
  if (sources.includes(operation)) return true;
  const [server = ''] = operation.split('.', 1);
  return sources.includes(server);
}

/** Whether no stranger's words are in what the call returned, or its probe instead of it. */
export function isTrustedResult(state: RunState, { task: { operation }, probe }: TaskState): boolean {
  return isTrustedSource(state, operation) && (probe === undefined || isTrustedSource(state, probe));
}

export function isOwnName(operation: string): boolean {
  return Object.hasOwn(OWN_TOOLS, operation) || Object.hasOwn(RUN_TOOLS, operation);
}

/** A source that is not trusted has said something that the mind will read. */
export function strangerHeard(state: RunState, operation: string): void {
  const { orders } = state;
  if (orders.strangersSince !== undefined || isTrustedSource(state, operation)) return;
  orders.strangersSince = state.seq;
}

/** The mind reads a stranger's text with the event that follows. */
export function strangersBefore({ orders, settings }: RunState, seq: number): void {
  if (settings.trust !== undefined) orders.strangersSince ??= seq - 1;
}

/** Words that a model of another run passed on. */
export function wordsPassedOn(state: RunState): void {
  if (state.settings.trust !== undefined) state.orders.strangersSince ??= state.seq;
}

/**
 * Whether the mind may have read a stranger's text before it decided. The built-in planner obeys no text. A
 * run that it began can be resumed with a model.
 */
export function isInfluenced(
  { orders, mind }: RunState,
  { model }: Pick<FactOf<'decision_made'>['data'], 'model'>,
): boolean {
  return orders.strangersSince !== undefined && (mind !== 'built-in' || model !== undefined);
}

/** Whether a call that starts without a reason (`task_started.trust`) needs none, ordered or not. */
export function needsNoReason({ task: { operation }, effect }: TaskState, { sources }: RunState): boolean {
  const isOwn = Object.hasOwn(RUN_TOOLS, operation) || operation === SUB_GOAL;
  return effect === 'read' || (isOwn && sources.includes(OWN_SERVER));
}

/** Its Refs could not be filled in, so it was not sent. */
export function isUnfilled(
  { task }: TaskState,
  { args }: Pick<FactOf<'task_started'>['data'], 'args'>,
): boolean {
  return args === undefined && refsIn(task.args).length > 0;
}

/** Whether the calls of this draft are the user's orders. */
export function isOrder(state: RunState, draft: Draft | undefined, isApproved: boolean): boolean {
  if (state.settings.trust === undefined || isApproved || draft?.by === 'user') return true;
  return lastDecision(state)?.isInfluenced !== true;
}

/**
 * Whether the calls by which a choice replaces a task are the user's orders. The user saw only a label, and the tool made
 * the calls from its arguments. So these must be the user's too.
 */
export function isOrderedChoice(state: RunState, { task, isOrdered, isPermitted }: TaskState): boolean {
  if (!isOrdered || isPermitted || !isTrustedSource(state, task.operation)) return false;
  return state.orders.strangersSince === undefined || refsIn(task.args).length === 0;
}

/** The user refuses calls. If the time was up, only those that waited for the same answer. */
export function callsRefused(
  { orders, tasks }: RunState,
  { operation, tasks: waiting }: NonNullable<FactOf<'answer_applied'>['data']['refuses']>,
  question: string,
): void {
  if (waiting === undefined) orders.refused.push(operation);
  for (const id of waiting ?? []) {
    const task = tasks.get(id);
    if (task !== undefined) task.unanswered = question;
  }
}

/** Whether the user refused the call, or did not answer in time. */
export function isRefused({ orders }: RunState, { task, isOrdered, unanswered }: TaskState): boolean {
  return unanswered !== undefined || (!isOrdered && orders.refused.includes(task.operation));
}

/** Takes the free order for the same call after the same tasks, if there is one. */
export function takeOrder(state: RunState, taking: TaskState): boolean {
  const { task, needs } = taking;
  const { free, bound } = state.orders;
  if (free.length === 0) return false;
  const waits = new Set([...needs, ...waitsOf(taking)]);
  const wanted = callOf(task);
  const isBound = bound.has(task.id);
  const index = free.findIndex(
    (one) =>
      one.task.operation === task.operation &&
      (!isBound || one.task.id === task.id) &&
      callOf(one.task) === wanted &&
      one.needs.every((id) => needs.includes(id) || isDone(state, id)) &&
      waitsOf(one).every((id) => waits.has(id) || !isOvertaken(state, id)),
  );
  if (index < 0) return false;
  free.splice(index, 1);
  return true;
}

/** Whether a call that waited for this one, because both use the same resource, would now come before it. */
export function isOvertaken({ tasks, orders }: RunState, id: string): boolean {
  const earlier = tasks.get(id);
  return earlier === undefined ? orders.dropped.has(id) : !hasEnded(earlier.status);
}

export function waitsOf({ waits, gates }: TaskState): string[] {
  return gates.length === 0 ? waits : [...waits, ...gates.flatMap(({ members }) => members)];
}

function callOf({ args, expect }: Task): string {
  return canonicalJson(expect === undefined ? [args] : [args, expect]);
}

function isDone({ tasks }: RunState, id: string): boolean {
  const task = tasks.get(id);
  return task?.status === 'succeeded' && task.isOrdered;
}

/** The call of this order was not made, or failed. */
export function orderFreed({ orders, settings }: RunState, task: TaskState): void {
  if (!task.isOrdered || settings.trust === undefined || isStep(task.task)) return;
  orders.free.push(task);
  orders.bound.add(task.task.id);
  if (task.attempts === 0 && task.effect !== 'read') orders.dropped.add(task.task.id);
  orders.hasOthers = true;
  task.isOrdered = false;
}

/** The mind announces calls that it may need later. */
export function callsAnnounced(state: RunState, operations: readonly Action[] = []): void {
  if (state.settings.trust === undefined || lastDecision(state)?.isInfluenced === true) return;
  for (const { operation, args } of operations)
    if (operation === 'may') state.orders.permissions.push(...permissionsIn(args.calls));
}

function permissionsIn(calls: Json | undefined): Permission[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call) => {
    if (!isObject(call) || typeof call.operation !== 'string') return [];
    const { operation, args = {}, times = 1 } = call;
    const left = typeof times === 'number' && times >= 1 ? Math.min(Math.floor(times), MOST_TIMES) : 1;
    return isObject(args) ? [{ operation, args, left }] : [];
  });
}

export function permissionUsed({ orders }: RunState, index: number): void {
  const permission = orders.permissions[index];
  if (permission !== undefined) permission.left--;
}
