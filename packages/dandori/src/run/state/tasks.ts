import { assertNever } from '../../model/error.ts';
import type { BlobHandle, FactOf } from '../../model/event.ts';
import type { Failure } from '../../model/failure.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Task } from '../../model/task.ts';
import type { Effect } from '../../model/tool.ts';
import { spend } from './budget.ts';
import { type Asking, askedByCall, hasOpenCall } from './held-calls.ts';
import {
  answersCounted,
  callHeld,
  callUnheld,
  type Gate,
  type Links,
  probeMarked,
  replacementMarked,
} from './indexes.ts';
import { forgetCalls, type InnerCall, settleInnerCall } from './inner-calls.ts';
import { wait } from './placement.ts';
import { type OpenQuestion, questionExpired } from './questions.ts';
import type { RunState } from './state.ts';
import { complete, moveTo, release } from './task-moves.ts';

/** The accepted tasks and how each of them stands. */
export interface Tasks {
  /** In written order. */
  readonly tasks: Map<string, TaskState>;
  /** How many tasks were ever accepted. */
  written: number;
  /** In the order in which they ended. */
  readonly ends: TaskEnd[];
}

/** A task at the moment at which it ended. */
interface TaskEnd {
  readonly seq: number;
  readonly task: TaskState;
}

/**
 * `pending` waits for other tasks, `ready` may start, `retrying` waits for its time, `waiting` for a person,
 * `in_doubt` was called and its outcome is unknown, `blocked` cannot run because something it needs failed.
 * `expanding` is a step whose tasks are known and have not all ended.
 */
export type TaskStatus =
  | 'pending'
  | 'ready'
  | 'running'
  | 'retrying'
  | 'waiting'
  | 'in_doubt'
  | 'expanding'
  | 'succeeded'
  | 'failed'
  | 'blocked';

/** A result in the journal or, where it is large, in a blob. */
export type Stored = { readonly value: Json } | { readonly blob: BlobHandle };

export interface TaskState {
  readonly task: Task;
  readonly effect: Effect;
  readonly needs: readonly string[];
  /** More may come when an answer changes what a task touches. */
  readonly waits: string[];
  /** Where it waits for many that others wait for too. */
  readonly gates: readonly Gate[];
  /** The server; it may have a limit of its own. */
  readonly lane: string;
  readonly rank: number;
  /** US dollars a call. */
  readonly cost: number;
  /** Its place in the written order. */
  readonly order: number;
  /** The question by which a person approved the plan that it is written in. */
  readonly coveredBy: string | undefined;
  /** Of a step: its tasks. */
  readonly children: string[];
  /** Derived: only `indexes` writes it. */
  readonly links: Links;
  status: TaskStatus;
  /** Where it is `waiting`: the questions that must be answered. */
  waitsFor: readonly string[];
  /** It was called and its outcome is unknown; true also while a person is asked about it. */
  isInDoubt: boolean;
  /** Why it is unknown, of the last attempt that was lost. */
  doubt: Pick<FactOf<'task_in_doubt'>['data'], 'cause' | 'message'> | undefined;
  /** A look for the call in doubt is under way. */
  isProbed: boolean;
  /** What a look for the call in doubt has found. */
  probed: Pick<FactOf<'probe_ended'>['data'], 'attempt' | 'found' | 'message'> | undefined;
  attempts: number;
  /** Attempts that were lost because the driver died. They are not the tool's. */
  crashes: number;
  /** Of them those in a row in which the task got no further. */
  crashesInVain: number;
  /** What its service called, by key, as far as a later attempt may rely on it. */
  innerCalls: Map<string, InnerCall> | undefined;
  /** What its calls are recognised by; kept across attempts, and by a fork of the run. */
  key: string | undefined;
  /** An attempt has ended that may have changed something. */
  mayHaveTouched: boolean;
  /** The arguments as a person's choice changed them. */
  override: JsonObject | undefined;
  /** The arguments of the last attempt, with Refs filled. */
  sent: JsonObject | undefined;
  /** SHA-256 of the call that a person approved. */
  approved: string | undefined;
  /** What its last call that wanted input asked for. */
  asking: Asking | undefined;
  /** How many of its calls have ended because the server wants input first. */
  rounds: number;
  result: Stored | undefined;
  /** What is odd about the result. */
  note: string | undefined;
  failure: Failure | undefined;
  /** Of the last attempt. */
  startedAt: number | undefined;
  /** Milliseconds of all attempts together; waiting between them and for a person is left out. */
  ms: number | undefined;
  endedAt: number | undefined;
  /** When to try again. */
  dueAt: number | undefined;
  /** A revision has put others in its place; what became of it does not matter any more. */
  isSuperseded: boolean;
  /** What a person chose to have done instead of it, until that is compiled. */
  replacement: readonly Task[] | undefined;
  /** Others stand for it, as `children`: it ends as they do. */
  isReplaced: boolean;
  /** Its call was told to stop and went on. */
  isUnstopped: boolean;
}

export function hasEnded(status: TaskStatus): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'blocked';
}

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
    next.push(...one.links.dependents, ...one.links.opens.flatMap(({ dependents }) => dependents));
  }
  return found;
}

/** What has waited for its time is as ready as any other now. Here, and not when it is started: that costs no search. */
export function wakeDue(state: RunState, at: number): void {
  const { retrying } = state.indexes;
  if (retrying.size === 0) return;
  const due: TaskState[] = [];
  for (const { item: task } of retrying.inOrder(() => true)) {
    if ((task.dueAt ?? 0) > at) break;
    due.push(task);
  }
  for (const task of due) moveTo(state, task, 'ready');
}

export function taskStarted(state: RunState, data: FactOf<'task_started'>['data'], at: number): void {
  const task = state.tasks.get(data.task);
  if (task === undefined) return;
  moveTo(state, task, 'running');
  spend(state.usage, task.cost);
  forgetCalls(task, data);
  task.attempts = data.attempt;
  task.key = data.key;
  task.sent = data.args ?? task.override ?? task.task.args;
  task.startedAt = at;
  task.dueAt = undefined;
}

/** A read that was called ahead took longer than from its start as a task. */
function endAttempt(task: TaskState, at: number, took = 0): void {
  task.ms = (task.ms ?? 0) + Math.max(at - (task.startedAt ?? at), took);
}

export function taskSucceeded(state: RunState, data: FactOf<'task_succeeded'>['data'], at: number): void {
  const task = endOfCall(state, data);
  if (task === undefined) return;
  withdrawQuestions(state, task, at);
  endAttempt(task, at, data.ms);
  task.mayHaveTouched = true;
  task.note = data.note;
  succeed(state, task, data, at);
}

function succeed(
  state: RunState,
  task: TaskState,
  { result, blob }: Pick<FactOf<'task_succeeded'>['data'], 'result' | 'blob'>,
  at: number,
): void {
  task.result = blob === undefined ? { value: result ?? null } : { blob };
  task.failure = undefined;
  task.endedAt = at;
  complete(state, task, 'succeeded');
}

export function fail(state: RunState, task: TaskState, failure: Failure | undefined, at: number): void {
  task.failure = failure;
  task.endedAt = at;
  complete(state, task, 'failed');
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
    fail(state, task, data.failure, at);
    return;
  }
  task.failure = data.failure;
  task.dueAt = data.retryAt;
  moveTo(state, task, 'retrying');
}

export function taskInDoubt(state: RunState, data: FactOf<'task_in_doubt'>['data'], at: number): void {
  const task = endOfCall(state, data);
  if (task === undefined) return;
  task.mayHaveTouched = true;
  task.isUnstopped = data.unstopped === true;
  task.doubt = { cause: data.cause, message: data.message };
  if (data.forgiven === true) {
    task.crashes++;
    task.crashesInVain++;
    // What an earlier attempt failed with is not why this one is lost.
    task.failure = undefined;
  }
  if (task.status === 'waiting') {
    // The call that asked is gone. The answer is still heard.
    if (task.asking !== undefined) task.asking.call = 'lost';
    task.isInDoubt = data.next === 'settle';
    answersCounted(state, task);
    return;
  }
  // How long it ran before its driver was lost is unknown.
  if (data.cause !== 'driver_lost') endAttempt(task, at);
  if (data.next === 'again') release(state, task);
  else {
    task.isInDoubt = true;
    moveTo(state, task, 'in_doubt');
  }
}

/** The task, if this attempt is the one that is open; a late outcome of an earlier attempt counts for nothing. */
function endOfCall(
  state: RunState,
  { task: id, attempt }: { task: string; attempt: number },
): TaskState | undefined {
  const task = state.tasks.get(id);
  if (task?.attempts !== attempt || !hasOpenCall(state, task)) return undefined;
  if (task.status === 'waiting') {
    if (task.asking !== undefined) task.asking.call = 'over';
    callUnheld(state, task);
  }
  return task;
}

/** Its call was held open and has ended for good without an answer: nobody need be asked any more. */
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

export function probeStarted(state: RunState, { task: id }: FactOf<'probe_started'>['data']): void {
  const task = state.tasks.get(id);
  if (task?.status === 'in_doubt') markProbed(state, task, true);
}

export function probeEnded(state: RunState, data: FactOf<'probe_ended'>['data'], at: number): void {
  const { found, message, attempt, next } = data;
  const task = state.tasks.get(data.task);
  if (task === undefined || !task.isProbed) return;
  markProbed(state, task, false);
  if (task.attempts !== attempt) return;
  task.probed = { attempt, found, message };
  if (found === 'happened') succeed(state, task, data, at);
  else if (next === 'again') release(state, task);
}

/** What the driver that died was looking for is looked for again. */
export function probesLost(state: RunState): void {
  for (const id of [...state.indexes.probing]) {
    const task = state.tasks.get(id);
    if (task !== undefined) markProbed(state, task, false);
  }
}

function markProbed(state: RunState, task: TaskState, isProbed: boolean): void {
  task.isProbed = isProbed;
  probeMarked(state, task);
}

/** Its task waits for the answer, and with it those that the answer may concern. */
export function taskAsks(
  state: RunState,
  open: OpenQuestion,
  { attempt, held = false, holdsBack = [] }: FactOf<'question_asked'>['data'],
): void {
  const { question, askedAt } = open;
  const task = state.tasks.get(question.task ?? '');
  if (task === undefined || hasEnded(task.status)) return;
  const isOfCall = question.kind === 'elicitation' && attempt === task.attempts;
  if (isOfCall) askedByCall(task, open);
  else if (task.status === 'running') task.asking = undefined;
  if (task.status === 'running' && !held) endAttempt(task, askedAt);
  // It did nothing, and what is called after the choice is another call: a fork that chooses otherwise has a key of its own.
  if (question.kind === 'ambiguity') task.key = undefined;
  task.waitsFor = isOfCall && task.asking !== undefined ? task.asking.questions : [question.id];
  moveTo(state, task, 'waiting');
  if (isOfCall && held) callHeld(state, task);
  for (const id of holdsBack) wait(state, state.tasks.get(id), task);
}

/** What the answers lead to, as the driver decided. */
export function answerApplied(state: RunState, data: FactOf<'answer_applied'>['data'], at: number): void {
  const task = state.tasks.get(data.task);
  if (task?.status !== 'waiting') return;
  if (data.approved !== undefined) task.approved = data.approved;
  if (data.args !== undefined) task.override = data.args;
  for (const { task: later, for: earlier } of data.waits ?? [])
    wait(state, state.tasks.get(later), state.tasks.get(earlier));
  if (data.inner !== undefined) settleInnerCall(task, data.inner, state.seq);
  switch (data.to) {
    case 'ready':
      release(state, task);
      return;
    case 'running':
      goOnWithCall(state, task, at);
      return;
    case 'in_doubt':
      moveTo(state, task, 'in_doubt');
      return;
    case 'replacing':
      setReplacement(state, task, data.tasks ?? []);
      return;
    case 'succeeded':
      succeed(state, task, {}, at);
      return;
    case 'failed':
      fail(state, task, data.failure, at);
      return;
    default:
      assertNever(data.to);
  }
}

/** The time in which it was held open for a person is no time of the call. */
function goOnWithCall(state: RunState, task: TaskState, at: number): void {
  const { asking, startedAt = at } = task;
  if (asking !== undefined) {
    task.startedAt = startedAt + Math.max(0, at - asking.since);
    asking.call = 'over';
  }
  moveTo(state, task, 'running');
}

export function setReplacement(
  state: RunState,
  task: TaskState,
  replacement: readonly Task[] | undefined,
): void {
  task.replacement = replacement;
  // It has its answer, and waits for the plan now.
  task.waitsFor = [];
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
    if (failure === undefined) {
      step.result = { value: result ?? null };
      complete(state, step, 'succeeded');
    } else {
      step.failure = failure;
      complete(state, step, 'failed');
    }
  }
}
