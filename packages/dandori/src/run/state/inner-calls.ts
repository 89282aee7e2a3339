import { assertNever } from '../../model/error.ts';
import type { FactOf } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Effect, isRepeatable } from '../../model/tool.ts';
import { wasNeverSent } from '../monitor.ts';
import { hasOpenCall } from './held-calls.ts';
import type { RunState } from './state.ts';
import type { Stored, TaskState } from './task-state.ts';

type Ended = FactOf<'inner_call_ended'>['data'];

/** How a call that a service made has ended. */
type InnerOutcome =
  | { readonly kind: 'succeeded'; readonly result: Stored }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'lost'; readonly lost: NonNullable<Ended['lost']> }
  | { readonly kind: 'ambiguous'; readonly ambiguous: NonNullable<Ended['ambiguous']> };

/** A call that a service made while its task ran. */
export interface InnerCall {
  readonly key: string;
  readonly operation: string;
  readonly args: JsonObject;
  readonly effect: Effect;
  readonly attempt: number;
  readonly startedSeq: number;
  endedSeq: number;
  /** Undefined if the journal does not record how the call ended. */
  outcome: InnerOutcome | undefined;
  /** The call is itself a service that made calls. Those show how far it got. */
  isEntered: boolean;
}

/*
 * What a later attempt of the task may rely on:
 *
 * I1  A call that may have changed something is never forgotten. If it succeeded, the service is given its
 *     recorded result and the call is not made again.
 * I2  The frontier is the start of the last call that may have changed something. Anything that ended before
 *     it may have led to that call, so earlier reads and failures are answered from the record too. Otherwise
 *     a service that processes "what is left" would read a shorter list and confuse its next call with one
 *     that is done.
 * I3  Nothing was done because of what ended after the frontier. Reads and failures there are forgotten, so
 *     that a service that waits for something sees the current state.
 * I4  A call whose end is unknown is made again under its own key if it is idempotent. Otherwise a person is
 *     asked.
 */

export function innerCallStarted(state: RunState, data: FactOf<'inner_call_started'>['data']): void {
  const task = openTask(state, data);
  if (task === undefined) return;
  const { key, operation, args, effect, attempt } = data;
  const { seq } = state;
  put(task, { key, operation, args, effect, attempt, startedSeq: seq, endedSeq: seq });
}

export function innerCallEnded(state: RunState, data: Ended): void {
  const task = openTask(state, data);
  if (task === undefined) return;
  const { key, attempt } = data;
  const { seq } = state;
  const outcome = outcomeIn(data);
  const begun = task.innerCalls?.get(key);
  if (begun !== undefined && data.args === undefined) {
    begun.outcome = outcome;
    begun.endedSeq = seq;
  } else {
    const { operation, args = {}, effect = 'read' } = data;
    put(task, { key, operation, args, effect, attempt, startedSeq: seq, endedSeq: seq, outcome });
  }
  // The task makes progress, so earlier driver crashes no longer count against it.
  if (outcome.kind === 'succeeded') task.crashesWithoutProgress = 0;
}

function openTask(
  state: RunState,
  { task: id, attempt }: { task: string; attempt: number },
): TaskState | undefined {
  const task = state.tasks.get(id);
  return task?.attempts === attempt && hasOpenCall(state, task) ? task : undefined;
}

type Begun = Omit<InnerCall, 'outcome' | 'isEntered'> & { readonly outcome?: InnerOutcome };

function put(task: TaskState, call: Begun): void {
  task.innerCalls ??= new Map();
  const calls = task.innerCalls;
  const isEntered = calls.get(call.key)?.isEntered ?? false;
  calls.set(call.key, { outcome: undefined, ...call, isEntered });
  const caller = calls.get(call.key.slice(0, call.key.lastIndexOf('/')));
  if (caller !== undefined) caller.isEntered = true;
}

function outcomeIn({ result, blob, failure, lost, ambiguous }: Ended): InnerOutcome {
  if (failure !== undefined) return { kind: 'failed', failure };
  if (lost !== undefined) return { kind: 'lost', lost };
  if (ambiguous !== undefined) return { kind: 'ambiguous', ambiguous };
  return { kind: 'succeeded', result: blob === undefined ? { value: result ?? null } : { blob } };
}

/** What a new attempt must find out again (I3): calls to forget, and calls whose outcome is unknown again. */
export function staleCalls({ innerCalls }: Pick<TaskState, 'innerCalls'>): {
  readonly forgets: string[];
  readonly reopens: string[];
} {
  const forgets: string[] = [];
  const reopens: string[] = [];
  const frontier = innerCalls === undefined ? 0 : frontierOf(innerCalls);
  for (const call of innerCalls?.values() ?? []) {
    if (isOpen(call, frontier)) {
      if (call.outcome !== undefined) reopens.push(call.key);
    } else if (call.endedSeq > frontier && !mayHaveHappened(call)) forgets.push(call.key);
  }
  return { forgets, reopens };
}

export function forgetCalls(
  { innerCalls }: TaskState,
  { forgets = [], reopens = [] }: Pick<FactOf<'task_started'>['data'], 'forgets' | 'reopens'>,
): void {
  if (innerCalls === undefined) return;
  for (const key of forgets) innerCalls.delete(key);
  for (const key of reopens) {
    const call = innerCalls.get(key);
    if (call !== undefined) call.outcome = undefined;
  }
}

function frontierOf(calls: ReadonlyMap<string, InnerCall>): number {
  let frontier = 0;
  for (const call of calls.values())
    if (mayHaveHappened(call)) frontier = Math.max(frontier, call.startedSeq);
  return frontier;
}

/** Whether the call may have changed something, according to the journal. */
function mayHaveHappened({ effect, outcome }: InnerCall): boolean {
  if (effect === 'read') return false;
  switch (outcome?.kind) {
    case 'failed':
      // An idempotent call that failed is made again under its own key.
      return !isRepeatable(effect) && !saysNothingHappened(outcome.failure);
    case 'ambiguous':
      return false;
    case 'succeeded':
    case 'lost':
    case undefined:
      return true;
    default:
      return assertNever(outcome);
  }
}

export function saysNothingHappened(failure: Failure): boolean {
  return wasNeverSent(failure) || failure.kind === 'cancelled';
}

/**
 * Whether the outcome must still be found out. If the service continued after a lost call, it has handled the
 * loss (I2).
 */
function isOpen({ effect, outcome, endedSeq }: InnerCall, frontier: number): boolean {
  if (effect === 'read') return false;
  return outcome === undefined || (outcome.kind === 'lost' && endedSeq > frontier);
}

/** The first call of the service that a person must check. */
export function innerCallInDoubt(task: TaskState): InnerCall | undefined {
  return innerCallsInDoubt(task)[0];
}

/** There are several only if the service made them at once. */
export function innerCallsInDoubt({ innerCalls }: Pick<TaskState, 'innerCalls'>): InnerCall[] {
  if (innerCalls === undefined) return [];
  const frontier = frontierOf(innerCalls);
  return [...innerCalls.values()].filter(
    (call) => isOpen(call, frontier) && !isRepeatable(call.effect) && !call.isEntered,
  );
}

/** A person has checked the call in doubt. */
export function settleInnerCall(
  { innerCalls }: Pick<TaskState, 'innerCalls'>,
  { key, took }: NonNullable<FactOf<'answer_applied'>['data']['inner']>,
  seq: number,
): void {
  const call = innerCalls?.get(key);
  if (call === undefined) return;
  if (took === 'no_effect') innerCalls?.delete(key);
  else {
    call.outcome = { kind: 'succeeded', result: { value: null } };
    call.endedSeq = seq;
  }
}

/** Whether a person must check another call of the service after this one. */
export function isInDoubtAfter(
  { innerCalls = new Map() }: TaskState,
  inner: NonNullable<FactOf<'answer_applied'>['data']['inner']>,
  seq: number,
): boolean {
  const after = new Map([...innerCalls].map(([key, call]) => [key, { ...call }]));
  settleInnerCall({ innerCalls: after }, inner, seq);
  return innerCallsInDoubt({ innerCalls: after }).length > 0;
}

/** Finished calls that a later attempt does not repeat, in order. Reads change nothing and are left out. */
export function finishedInnerCalls({ innerCalls }: TaskState): InnerCall[] {
  const calls = [...(innerCalls?.values() ?? [])];
  return calls.filter(({ effect, outcome }) => effect !== 'read' && outcome?.kind === 'succeeded');
}
