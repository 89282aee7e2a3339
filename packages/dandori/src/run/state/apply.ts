import type { Usage } from '../../model/decision.ts';
import { assertNever } from '../../model/error.ts';
import { type Event, type FactOf, isCommand } from '../../model/event.ts';
import { backoff } from '../../model/settings.ts';
import { dollars } from '../../model/text.ts';
import { isRepeatable } from '../../model/tool.ts';
import { attemptsMade, judge, wasNeverSent } from '../monitor.ts';
import { budgetAdded } from './budget.ts';
import { applyOffer } from './decisions.ts';
import { askedByCall, hasOpenCall, isOnlyHolding, loseCall } from './held-calls.ts';
import { beginAgain, innerCallEnded, innerCallStarted } from './inner-calls.ts';
import { holdBack } from './placement.ts';
import { planApproved, planProposed, planRejected, planRevised, updateStep } from './plan.ts';
import { applyAnswer, applyExpiry, withChoice } from './questions.ts';
import {
  type Decision,
  hasEnded,
  initial,
  type OpenQuestion,
  type RunState,
  type TaskState,
} from './state.ts';
import { complete, makeReady, moveTo } from './task-moves.ts';
import { probeEnded, probeStarted } from './tasks.ts';

/**
 * Folds one event into the state. The state is changed in place and returned: a copy of 100,000 tasks for each event
 * would make a run quadratic. Whoever needs an older state folds again from the journal.
 *
 * A1  The same events give the same state, on any machine and at any time.
 * A2  No event is refused: what is in the journal has happened. Odd ones (an outcome of an attempt that is over)
 *     change nothing, and `laws` reports them.
 */
export function apply(state: RunState | undefined, event: Event): RunState {
  if (event.type === 'run_started') return initial(event);
  if (state === undefined) throw new Error(`A run begins with run_started, not with ${event.type}.`);
  keepTime(state, event);
  state.seq = event.seq;
  switch (event.type) {
    case 'run_resumed':
      return runResumed(state);
    case 'decision_started':
      return decisionStarted(state, event.data);
    case 'decision_made':
      return decisionMade(state, event.data);
    case 'decision_failed':
      return decisionFailed(state, event.data, event.at);
    case 'reflection_made':
      state.reflections.push({ ...event.data, at: event.at });
      return state;
    case 'plan_proposed':
      return planProposed(state, event.data);
    case 'plan_revised':
      return planRevised(state, event.data);
    case 'plan_approved':
      return planApproved(state, event.data, event.at);
    case 'plan_rejected':
      return planRejected(state, event.data, event.at);
    case 'task_started':
      return taskStarted(state, event.data, event.at);
    case 'task_succeeded':
      return taskSucceeded(state, event.data, event.at);
    case 'task_failed':
      return taskFailed(state, event.data, event.at);
    case 'task_in_doubt':
      return taskInDoubt(state, event.data, event.at);
    case 'inner_call_started':
      return innerCallStarted(state, event.data);
    case 'inner_call_ended':
      return innerCallEnded(state, event.data);
    case 'probe_started':
      return probeStarted(state, event.data);
    case 'probe_ended':
      return probeEnded(state, event.data, event.at);
    case 'question_asked':
      return questionAsked(state, event.data, event.at);
    case 'hold_ended':
      return holdEnded(state, event.data);
    case 'question_answered':
      return applyAnswer(state, event.data, event.at);
    case 'question_expired':
      return applyExpiry(state, event.data, event.at);
    case 'note_added':
      state.notes.push({ ...event.data, seq: event.seq, at: event.at });
      state.lastWord = event.seq;
      return state;
    case 'run_paused':
      state.paused ??= event.data;
      return state;
    case 'run_continued':
      state.paused = undefined;
      return state;
    case 'limit_reached':
      state.limitReached = event.data.limit;
      return state;
    case 'budget_added':
      return budgetAdded(state, event.data);
    case 'cancel_requested':
      state.cancel ??= event.data;
      return state;
    case 'run_finished':
      state.end = { ...event.data, at: event.at };
      return state;
    case 'run_rated':
      state.rating = event.data;
      return state;
    default:
      return assertNever(event);
  }
}

export function fold(events: Iterable<Event>): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) state = apply(state, event);
  return state;
}

/** Only time in which somebody drove the run counts: not the days between a crash and a resume, nor those in a queue. */
function keepTime(state: RunState, event: Event): void {
  const isIdle = isOnlyHolding(state);
  if (isFromOutside(event)) {
    // An answer ends the wait, whenever the driver hears of it.
    if (isIdle) state.lastAt = Math.max(state.lastAt, event.at);
    return;
  }
  if (state.isTakenUp && event.type !== 'run_resumed' && !isIdle)
    state.activeMs += Math.max(0, event.at - state.lastAt);
  state.isTakenUp = true;
  state.lastAt = event.at;
  if (state.retrying.size > 0) wakeDue(state, event.at);
}

/** What has waited for its time is as ready as any other now. Here, and not when it is started: that costs no search. */
function wakeDue(state: RunState, at: number): void {
  const due: TaskState[] = [];
  for (const { item: task } of state.retrying.inOrder(() => true)) {
    if ((task.dueAt ?? 0) > at) break;
    due.push(task);
  }
  for (const task of due) moveTo(state, task, 'ready');
}

function isFromOutside(event: Event): boolean {
  if (event.type === 'plan_proposed' || event.type === 'plan_revised') return event.data.by === 'user';
  return isCommand(event.type);
}

function runResumed(state: RunState): RunState {
  // A model that makes the driver die each time must not be asked for ever.
  const isForgiven = state.lostCalls < (state.settings.task.restarts ?? 0);
  if (state.thinking !== undefined && state.mind !== 'built-in' && isForgiven) {
    state.lostCalls++;
    state.calls--;
  }
  state.thinking = undefined;
  state.probing.clear();
  return state;
}

function decisionStarted(
  state: RunState,
  { decision, purpose, brief, offer }: FactOf<'decision_started'>['data'],
): RunState {
  state.thinking = { decision, purpose, brief, offer, startedSeq: state.seq };
  if (brief?.loop !== undefined && brief.loop.circle === undefined) state.loopTold ??= decision;
  if (state.mind !== 'built-in') state.calls++;
  return state;
}

function decisionMade(state: RunState, data: FactOf<'decision_made'>['data']): RunState {
  const { reflect, report = [] } = state.thinking?.brief ?? {};
  if (reflect !== undefined) state.sinceReflection = { ended: 0, failed: 0 };
  for (const step of report) state.unreported.delete(step);
  close(state, data.decision, { reasoning: data.reasoning, operations: data.operations ?? [] });
  addUsage(state.usage, data.usage);
  state.isContinued = false;
  // Only the very next decision can correct it: after that, what it was about may have been begun.
  state.refused = undefined;
  for (const { operation, args } of data.operations ?? []) {
    if (operation === 'plan.update_step') updateStep(state, args);
  }
  return state;
}

function decisionFailed(state: RunState, data: FactOf<'decision_failed'>['data'], at: number): RunState {
  close(state, data.decision, { failure: data.failure, next: data.next });
  addUsage(state.usage, data.usage);
  if (data.next !== undefined) {
    // Another model has made no mistake yet, and nobody has told it to wait.
    state.stumbles = 0;
    state.thinkAfter = at;
    return state;
  }
  // A wrong key or a model that does not exist is no better at the second try.
  const isHopeless = data.failure.kind === 'model_error' && data.failure.retryable === false;
  state.stumbles += isHopeless ? state.settings.repairs + 1 : 1;
  const wait = Math.max(data.failure.retryAfter ?? 0, backoff(state.settings.task.backoff, state.stumbles));
  // A broken answer is asked for again at once: waiting helps a busy server, not a confused model.
  state.thinkAfter = data.failure.retryable === true ? at + wait : at;
  return state;
}

function close(state: RunState, number: number, how: Partial<Decision>): void {
  const { purpose = 'act', brief, offer, startedSeq = state.seq } = state.thinking ?? {};
  state.thinking = undefined;
  // Only now: of a thought that was lost the mind remembers nothing.
  applyOffer(state, offer);
  state.decisions.push({
    number,
    purpose,
    brief,
    startedSeq,
    reasoning: undefined,
    operations: [],
    proposed: [],
    diagnostics: undefined,
    failure: undefined,
    offer,
    ...how,
  });
}

function addUsage(total: Usage, more: Usage | undefined): void {
  if (more === undefined) return;
  total.inputTokens += more.inputTokens;
  total.outputTokens += more.outputTokens;
  if (more.cachedInputTokens !== undefined) {
    total.cachedInputTokens = (total.cachedInputTokens ?? 0) + more.cachedInputTokens;
  }
  if (more.estimated === true) total.estimated = true;
  if (more.cost !== undefined) spend(total, more.cost);
}

/** A call is paid for when it starts, so that those that run at once cannot overrun the limit together. */
function spend(total: Usage, cost: number): void {
  if (cost !== 0) total.cost = dollars((total.cost ?? 0) + cost);
}

function taskStarted(state: RunState, data: FactOf<'task_started'>['data'], at: number): RunState {
  const task = state.tasks.get(data.task);
  if (task === undefined) return state;
  moveTo(state, task, 'running');
  spend(state.usage, task.cost);
  beginAgain(task);
  task.attempts = data.attempt;
  task.key = data.key;
  task.sent = data.args ?? task.override ?? task.task.args;
  task.startedAt = at;
  task.dueAt = undefined;
  return state;
}

/** A read that was called ahead took longer than from its start as a task. */
function endAttempt(task: TaskState, at: number, took = 0): void {
  task.ms = (task.ms ?? 0) + Math.max(at - (task.startedAt ?? at), took);
}

function taskSucceeded(state: RunState, data: FactOf<'task_succeeded'>['data'], at: number): RunState {
  const task = endOfCall(state, data);
  if (task === undefined) return state;
  withdrawQuestions(state, task, at);
  endAttempt(task, at, data.ms);
  task.mayHaveTouched = true;
  task.note = data.note;
  task.result = data.blob === undefined ? { value: data.result ?? null } : { blob: data.blob };
  task.failure = undefined;
  task.endedAt = at;
  complete(state, task, 'succeeded');
  return state;
}

function taskFailed(state: RunState, data: FactOf<'task_failed'>['data'], at: number): RunState {
  const task = endOfCall(state, data);
  if (task === undefined) return state;
  withdrawQuestions(state, task, at);
  endAttempt(task, at, data.ms);
  task.failure = data.failure;
  task.isUnstopped = data.unstopped === true;
  if (wasNeverSent(data.failure)) spend(state.usage, -task.cost);
  else task.mayHaveTouched = true;
  const { settings } = state;
  const attempts = attemptsMade(task);
  const verdict = judge({ effect: task.effect, attempts, failure: data.failure, settings });
  if (verdict.kind === 'retry') {
    task.dueAt = at + verdict.delay;
    moveTo(state, task, 'retrying');
  } else {
    task.endedAt = at;
    complete(state, task, 'failed');
  }
  return state;
}

function taskInDoubt(state: RunState, data: FactOf<'task_in_doubt'>['data'], at: number): RunState {
  const task = endOfCall(state, data);
  if (task === undefined) return state;
  task.mayHaveTouched = true;
  task.isUnstopped = data.unstopped === true;
  task.doubt = { cause: data.cause, message: data.message };
  if (data.cause === 'driver_lost' && state.settings.task.restarts !== undefined) {
    task.crashes++;
    task.crashesInVain++;
    // What an earlier attempt failed with is not why this one is lost.
    task.failure = undefined;
  }
  if (task.status === 'waiting') {
    loseCall(state, task, at);
    return state;
  }
  // How long it ran before its driver was lost, nobody knows.
  if (data.cause !== 'driver_lost') endAttempt(task, at);
  if (isRepeatable(task.effect)) makeReady(state, task);
  else {
    task.isInDoubt = true;
    moveTo(state, task, 'in_doubt');
  }
  return state;
}

/** The task, if this attempt is the one that is open; a late outcome of an earlier attempt counts for nothing. */
function endOfCall(
  state: RunState,
  { task: id, attempt }: { task: string; attempt: number },
): TaskState | undefined {
  const task = state.tasks.get(id);
  if (task?.attempts !== attempt || !hasOpenCall(state, task)) return undefined;
  state.held.delete(id);
  return task;
}

/** Its call was held open and has ended for good without an answer: nobody need be asked any more. */
function withdrawQuestions(state: RunState, task: TaskState, at: number): void {
  if (task.status !== 'waiting') return;
  for (const question of task.asking?.questions ?? []) applyExpiry(state, { question, as: 'declined' }, at);
}

function holdEnded(state: RunState, { task: id, attempt }: FactOf<'hold_ended'>['data']): RunState {
  const task = state.held.has(id) ? state.tasks.get(id) : undefined;
  if (task?.asking?.attempt === attempt) task.asking.call = 'ending';
  return state;
}

function questionAsked(
  state: RunState,
  { question, attempt, held: isHeld = false, input }: FactOf<'question_asked'>['data'],
  at: number,
): RunState {
  if (state.questions.has(question.id)) return state;
  const open: OpenQuestion = {
    question,
    askedAt: at,
    attempt,
    isHeld,
    input,
    answer: undefined,
    queued: undefined,
  };
  const order = state.questions.size;
  state.questions.set(question.id, open);
  state.openQuestions++;
  if (question.expiresAt !== undefined)
    open.queued = state.expiring.add(open, { lane: '', rank: -question.expiresAt, order });
  if (question.task === undefined) state.runQuestions++;
  if (question.kind === 'plan_approval') {
    const { draft } = state;
    if (draft?.version === question.plan) state.draft = draft && { ...draft, question: question.id };
    return state;
  }
  if (question.task === undefined) state.stumbles = 0;
  const task = question.task === undefined ? undefined : state.tasks.get(question.task);
  if (task === undefined || hasEnded(task.status)) return state;
  if (question.kind === 'elicitation' && attempt === task.attempts) askedByCall(state, task, open);
  else if (task.status === 'running') task.asking = undefined;
  if (task.status === 'running' && !isHeld) endAttempt(task, at);
  // It did nothing, and what is called after the choice is another call: a fork that chooses otherwise has a key of its own.
  if (question.kind === 'ambiguity') task.key = undefined;
  moveTo(state, task, 'waiting');
  const choices = question.kind === 'ambiguity' ? (question.options ?? []) : [];
  holdBack(
    state,
    task,
    choices.map((option) => withChoice(task, option)),
  );
  return state;
}
