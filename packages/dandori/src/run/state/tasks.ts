import { assertNever } from '../../model/error.ts';
import type { FactOf } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Question } from '../../model/question.ts';
import type { Task } from '../../model/task.ts';
import { spend } from './budget.ts';
import { askedByCall, hasOpenCall } from './held-calls.ts';
import { answersCounted, callHeld, callUnheld, probeMarked, replacementMarked } from './indexes.ts';
import { forgetCalls, settleInnerCall } from './inner-calls.ts';
import { callsRefused, permissionUsed, strangerHeard, wordsPassedOn } from './orders.ts';
import { holdBack } from './placement.ts';
import type { Allowed } from './previews.ts';
import { type OpenQuestion, questionExpired } from './questions.ts';
import type { RunState } from './state.ts';
import { complete, moveTo, release } from './task-moves.ts';
import { hasEnded, READY, RUNNING, type TaskState } from './task-state.ts';

/** The accepted tasks and their status. */
export interface Tasks {
  /** Tasks in written order. */
  readonly tasks: Map<string, TaskState>;
  /** How many tasks were ever accepted. */
  written: number;
  /** Ended tasks, in the order in which they ended. */
  readonly ends: TaskEnd[];
  readonly allowed: Allowed[];
}

interface TaskEnd {
  readonly seq: number;
  readonly task: TaskState;
}

/** The task that asked and all tasks that wait for it. Empty if only the mind's next decision waits. */
export function blockedBy({ task, plan }: Question, state: RunState): string[] {
  const { draft, tasks } = state;
  if (plan !== undefined && draft?.version === plan) return draft.tasks.map(({ id }) => id);
  if (task === undefined) return [];
  return [...withDependents(task, state)].filter((id) => !hasEnded(tasks.get(id)?.status ?? 'blocked'));
}

/** The task and all tasks that wait for it, directly or indirectly. */
export function withDependents(task: string, { tasks }: RunState): Set<string> {
  const found = new Set<string>();
  const next = [task];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    const one = tasks.get(id);
    if (found.has(id) || one === undefined) continue;
    found.add(id);
    next.push(...one.links.dependents, ...one.links.opens.flatMap(({ dependents }) => dependents));
  }
  return found;
}

/** Makes due retries ready. Done at each event, so that starting a task needs no search. */
export function wakeDue(state: RunState, at: number): void {
  const { retrying } = state.indexes;
  if (retrying.size === 0) return;
  const due: TaskState[] = [];
  for (const { item: task } of retrying.inOrder()) {
    if ((task.dueAt ?? 0) > at) break;
    due.push(task);
  }
  for (const task of due) moveTo(state, task, READY);
}

export function taskStarted(state: RunState, data: FactOf<'task_started'>['data'], at: number): void {
  const task = state.tasks.get(data.task);
  if (task === undefined || hasEnded(task.status)) return;
  moveTo(state, task, RUNNING);
  spend(state.usage, task.cost);
  forgetCalls(task, data);
  task.attempts = data.attempt;
  task.key = data.key;
  task.sent = data.args ?? task.override ?? task.task.args;
  task.startedAt = at;
  if (data.share !== undefined) {
    task.share = data.share;
    state.shares.set(data.task, data.share);
  }
  const { permission } = data.trust ?? {};
  if (permission !== undefined && !task.isOrdered) {
    task.isOrdered = true;
    task.isPermitted = true;
    permissionUsed(state, permission);
  }
}

/** A prefetched read may have taken longer than the time since its start as a task. */
function endAttempt(task: TaskState, at: number, took = 0): void {
  task.ms = (task.ms ?? 0) + Math.max(at - (task.startedAt ?? at), took);
}

export function taskSucceeded(state: RunState, data: FactOf<'task_succeeded'>['data'], at: number): void {
  const task = endOfCall(state, data);
  if (task === undefined) return;
  withdrawQuestions(state, task, at);
  endAttempt(task, at, data.ms);
  task.mayHaveTouched = true;
  succeed(state, task, data, at);
}

function succeed(
  state: RunState,
  task: TaskState,
  { result, blob, note }: Pick<FactOf<'task_succeeded'>['data'], 'result' | 'blob' | 'note'>,
  at: number,
): void {
  const stored = blob === undefined ? { value: result ?? null } : { blob };
  complete(state, task, { status: 'succeeded', result: stored, note, endedAt: at });
}

export function failTask(state: RunState, task: TaskState, failure: Failure | undefined, at: number): void {
  complete(state, task, { status: 'failed', failure, endedAt: at });
}

export function taskFailed(state: RunState, data: FactOf<'task_failed'>['data'], at: number): void {
  const task = endOfCall(state, data);
  if (task === undefined) return;
  withdrawQuestions(state, task, at);
  endAttempt(task, at, data.ms);
  task.isUnstopped = data.unstopped === true;
  if (data.unsent === true) spend(state.usage, -task.cost);
  else task.mayHaveTouched = true;
  if (data.retryAt === undefined) {
    failTask(state, task, data.failure, at);
    return;
  }
  task.lastFailure = data.failure;
  moveTo(state, task, { status: 'retrying', dueAt: data.retryAt });
}

export function taskInDoubt(state: RunState, data: FactOf<'task_in_doubt'>['data'], at: number): void {
  const task = endOfCall(state, data);
  if (task === undefined) return;
  task.mayHaveTouched = true;
  task.isUnstopped = data.unstopped === true;
  const doubt = data.next === 'again' ? undefined : { cause: data.cause, message: data.message };
  if (data.forgiven === true) {
    task.crashes++;
    task.crashesWithoutProgress++;
    // The failure of an earlier attempt is not the reason why this one is lost.
    task.lastFailure = undefined;
  }
  if (task.phase.status === 'waiting') {
    // The call that asked is lost. The answer is still used.
    if (task.asking !== undefined) task.asking.call = 'lost';
    task.phase.doubt = doubt;
    answersCounted(state, task);
    return;
  }
  // If the driver was lost, the duration of the attempt is unknown.
  if (data.cause !== 'driver_lost') endAttempt(task, at);
  if (data.next === 'again') release(state, task);
  else moveTo(state, task, { status: 'in_doubt', doubt, isProbed: false });
}

/** The task, if this attempt is the open one. A late outcome of an earlier attempt is ignored. */
function endOfCall(
  state: RunState,
  {
    task: id,
    attempt,
    hasHeardStrangers,
  }: { task: string; attempt: number; hasHeardStrangers?: true | undefined },
): TaskState | undefined {
  const task = state.tasks.get(id);
  if (task?.attempts !== attempt || !hasOpenCall(state, task)) return undefined;
  // An error that is retried is told to the mind too.
  if (hasHeardStrangers === true) wordsPassedOn(state);
  else if (task.share === undefined) strangerHeard(state, task.task.operation);
  if (task.status === 'waiting') {
    if (task.asking !== undefined) task.asking.call = 'over';
    callUnheld(state, task);
  }
  return task;
}

/** The held call has ended without an answer, so its questions are closed. */
function withdrawQuestions(state: RunState, task: TaskState, at: number): void {
  if (task.status !== 'waiting') return;
  for (const question of task.waitsFor) questionExpired(state, { question, as: 'declined' }, at);
}

export function holdEnded(state: RunState, { task: id, attempt }: FactOf<'hold_ended'>['data']): void {
  const task = state.indexes.held.has(id) ? state.tasks.get(id) : undefined;
  if (task?.asking?.attempt !== attempt) return;
  task.asking.call = 'ending';
  answersCounted(state, task);
}

export function probeStarted(
  state: RunState,
  { task: id, operation }: FactOf<'probe_started'>['data'],
): void {
  const task = state.tasks.get(id);
  if (task === undefined) return;
  task.probe = operation;
  markProbed(state, task, true);
}

export function probeEnded(state: RunState, data: FactOf<'probe_ended'>['data'], at: number): void {
  const { found, message, attempt, next } = data;
  const task = state.tasks.get(data.task);
  if (task === undefined || !markProbed(state, task, false)) return;
  if (task.attempts !== attempt) return;
  task.probed = { attempt, found, message };
  if (task.probe !== undefined) strangerHeard(state, task.probe);
  if (found !== 'happened') task.probe = undefined;
  if (found === 'happened') succeed(state, task, data, at);
  else if (next === 'again') release(state, task);
}

/** Probes that were lost with the driver are started again. */
export function probesLost(state: RunState): void {
  for (const id of [...state.indexes.probing]) {
    const task = state.tasks.get(id);
    if (task !== undefined) markProbed(state, task, false);
  }
}

/** Returns whether something changed. */
function markProbed(state: RunState, { task, phase }: TaskState, isProbed: boolean): boolean {
  if (phase.status !== 'in_doubt' || phase.isProbed === isProbed) return false;
  phase.isProbed = isProbed;
  probeMarked(state, task.id, isProbed);
  return true;
}

/** The task waits for the answer, and so do the tasks that the answer may affect. */
export function taskAsks(
  state: RunState,
  open: OpenQuestion,
  { attempt, held = false, holdsBack = [], hasHeardStrangers }: FactOf<'question_asked'>['data'],
): void {
  const { question, askedAt } = open;
  const task = state.tasks.get(question.task ?? '');
  if (task === undefined || hasEnded(task.status)) return;
  const isOfGoal = question.subGoal !== undefined;
  if (isOfGoal && hasHeardStrangers === true) wordsPassedOn(state);
  else if (attempt !== undefined && !isOfGoal) strangerHeard(state, task.task.operation);
  const isOfCall = (question.kind === 'elicitation' || isOfGoal) && attempt === task.attempts;
  if (isOfCall) askedByCall(task, open);
  else if (task.status === 'running') task.asking = undefined;
  if (task.status === 'running' && !held) endAttempt(task, askedAt);
  // The call had no effect, and the choice leads to a different call. A fork with another choice needs its
  // own key.
  if (question.kind === 'ambiguity' && !isOfGoal) task.key = undefined;
  const questions = isOfCall && task.asking !== undefined ? task.asking.questions : [question.id];
  moveTo(state, task, { status: 'waiting', questions, doubt: task.doubt });
  if (isOfCall && held) callHeld(state, task);
  for (const id of holdsBack) holdBack(state, state.tasks.get(id), task);
}

/** Applies the consequence of the answers that the driver journaled. */
export function answerApplied(state: RunState, data: FactOf<'answer_applied'>['data'], at: number): void {
  const task = state.tasks.get(data.task);
  if (task?.status !== 'waiting') return;
  if (data.approved !== undefined) task.approved = data.approved;
  if (data.allows !== undefined) {
    const { digests } = data.allows;
    state.allowed.push({
      ...data.allows,
      ...(digests && { digests: [...digests] }),
      question: data.question,
    });
  }
  if (data.refuses !== undefined) callsRefused(state, data.refuses, data.question);
  if (data.args !== undefined) task.override = data.args;
  for (const { task: later, for: earlier } of data.waits ?? [])
    holdBack(state, state.tasks.get(later), state.tasks.get(earlier));
  if (data.inner !== undefined) settleInnerCall(task, data.inner, state.seq);
  switch (data.to) {
    case 'ready':
      release(state, task);
      return;
    case 'running':
      goOnWithCall(state, task, at);
      return;
    case 'in_doubt':
      moveTo(state, task, { status: 'in_doubt', doubt: task.doubt, isProbed: false });
      return;
    case 'replacing':
      setReplacement(state, task, data.tasks ?? []);
      return;
    case 'succeeded':
      succeed(state, task, {}, at);
      return;
    case 'failed':
      failTask(state, task, data.failure, at);
      return;
    default:
      assertNever(data.to);
  }
}

/** The time for which the call was held open does not count as its duration. */
function goOnWithCall(state: RunState, task: TaskState, at: number): void {
  const { asking, startedAt = at } = task;
  if (asking !== undefined) {
    task.startedAt = startedAt + Math.max(0, at - asking.since);
    asking.call = 'over';
  }
  moveTo(state, task, RUNNING);
}

export function setReplacement(
  state: RunState,
  task: TaskState,
  replacement: readonly Task[] | undefined,
): void {
  const { phase } = task;
  if (phase.status !== 'waiting') return;
  phase.replacement = replacement;
  // The task has its answer, and now waits for the plan.
  phase.questions = [];
  answersCounted(state, task);
  replacementMarked(state, task);
}

export function stepsEnded(
  state: RunState,
  ended: NonNullable<FactOf<'decision_made'>['data']['endedSteps']>,
): void {
  for (const { step: id, result, failure } of ended) {
    const step = state.tasks.get(id);
    if (step === undefined || hasEnded(step.status)) continue;
    complete(
      state,
      step,
      failure === undefined
        ? { status: 'succeeded', result: { value: result ?? null } }
        : { status: 'failed', failure },
    );
  }
}
