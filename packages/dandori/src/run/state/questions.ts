import { assertNever } from '../../model/error.ts';
import type { FactOf } from '../../model/event.ts';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Option, Question } from '../../model/question.ts';
import { escaped } from '../../plan/fill-refs.ts';
import { textsOf } from '../../views/texts/run.ts';
import { goOnWithInput, isRefused } from './held-calls.ts';
import { innerCallInDoubt, settleInnerCall } from './inner-calls.ts';
import { placeAnew } from './placement.ts';
import type { Given as Answer, RunState, TaskState } from './state.ts';
import { complete, makeReady, moveTo, release } from './task-moves.ts';

/** What an answer changes. That it fits the question was checked before it was journaled. */
export function applyAnswer(
  state: RunState,
  { question, answer, declined = false, comment, by }: FactOf<'question_answered'>['data'],
  at: number,
): RunState {
  return close(state, question, { answer, declined, comment, by, at });
}

export function applyExpiry(
  state: RunState,
  { question: id, as }: FactOf<'question_expired'>['data'],
  at: number,
): RunState {
  const question = state.questions.get(id)?.question;
  if (question === undefined) return state;
  const comment = textsOf(state).expired(question.text);
  const late = { isExpired: true, at };
  if (as === 'default')
    return close(state, id, { answer: question.default ?? null, declined: false, ...late });
  if (as === 'cancelled') state.cancel ??= { reason: comment };
  return close(state, id, { answer: null, declined: true, comment, ...late });
}

interface Given {
  readonly answer: Json;
  readonly declined: boolean;
  readonly comment?: string | undefined;
  readonly by?: string | undefined;
  readonly isExpired?: boolean;
  readonly at: number;
}

function close(state: RunState, id: string, given: Given): RunState {
  const open = state.questions.get(id);
  if (open === undefined || open.answer !== undefined) return state;
  open.answer = kept(given);
  state.openQuestions--;
  const { question } = open;
  if (question.task === undefined) state.runQuestions--;
  if (question.kind === 'missing_input' && given.isExpired !== true) state.lastWord = state.seq;
  if (open.queued !== undefined) state.expiring.delete(open.queued);
  open.queued = undefined;
  const task = question.task === undefined ? undefined : state.tasks.get(question.task);
  if (task?.status !== 'waiting') return state;
  // A server hears a no like any other answer, where it can be told.
  if (question.kind === 'elicitation' && !isRefused(state, task)) goOnWithInput(state, task, given.at);
  else if (given.declined || question.kind === 'elicitation') decline(state, task, { question, ...given });
  else continueTask(state, task, { question, ...given });
  return state;
}

function kept({ answer: value, declined, comment, by, isExpired, at }: Given): Answer {
  return {
    value,
    at,
    ...(declined && { declined }),
    ...(comment !== undefined && { comment }),
    ...(by !== undefined && { by }),
    ...(isExpired && { isExpired }),
  };
}

interface Answered extends Given {
  readonly question: Question;
}

function continueTask(state: RunState, task: TaskState, answered: Answered): void {
  const { question, answer, at } = answered;
  switch (question.kind) {
    case 'approval':
      if (answer === 'approve') {
        task.approved = question.digest;
        release(state, task);
      } else decline(state, task, answered);
      return;
    case 'in_doubt':
      settle(state, task, answered);
      return;
    case 'ambiguity': {
      const chosen = question.options?.find(({ value }) => stringifyJson(value) === stringifyJson(answer));
      if (chosen?.tasks !== undefined) {
        task.replacement = chosen.tasks;
        state.replacing.add(task.task.id);
        return;
      }
      if (chosen !== undefined) task.override = withChoice(task, chosen);
      else if (question.form !== undefined && isObject(answer))
        task.override = withChoice(task, { args: answer });
      goOn(state, task, at);
      return;
    }
    case 'missing_input':
    case 'plan_approval':
      release(state, task);
      return;
    case 'elicitation':
      return;
    default:
      assertNever(question.kind);
  }
}

/** The arguments of a task with what a choice changes in them. Nobody wrote it for us, so that no text in it is a Ref. */
export function withChoice({ override, task }: TaskState, { args }: Pick<Option, 'args'>): JsonObject {
  return { ...(override ?? task.args), ...(args && (escaped(args) as JsonObject)) };
}

/** What the choice made it touch may be in use, or may have been used by one that is written later. */
function goOn(state: RunState, task: TaskState, at: number): void {
  const overtaker = placeAnew(state, task, task.override ?? task.task.args);
  if (overtaker === undefined) {
    release(state, task);
    return;
  }
  const { id, operation } = overtaker.task;
  task.failure = {
    kind: 'plan_error',
    message: `The answer makes ${task.task.operation} touch what ${id} (${operation}) has touched already, although it is written later. It was not called, so that nothing happens out of order.`,
  };
  task.endedAt = at;
  complete(state, task, 'failed');
}

/** A call that nobody can tell about is not undone by a person who will not look. */
function decline(state: RunState, task: TaskState, { question, comment, isExpired, at }: Answered): void {
  const { operation } = task.task;
  const texts = textsOf(state);
  if (question.kind === 'in_doubt') task.failure = { kind: 'timeout', message: texts.givenUp(operation) };
  else {
    const declined = question.kind === 'approval' ? texts.notApproved(operation) : texts.declined(operation);
    // Where nobody answered in time, nobody has said no.
    const message = isExpired === true ? (comment ?? declined) : texts.withReason(declined, comment);
    task.failure = { kind: 'rejected', message };
  }
  task.endedAt = at;
  complete(state, task, 'failed');
}

/**
 * A person has looked: it happened, it did not (so it is called again), or it is to be given up. Of a service that was
 * interrupted in a call of its own: `again_after` where that call took effect, `again` where it did not.
 */
function settle(state: RunState, task: TaskState, { answer, at }: Answered): void {
  if (answer === 'again' || answer === 'again_after') {
    settleInnerCall(task, answer === 'again' ? 'no_effect' : 'effect', state.seq);
    // A service may have made several calls at once: a person is asked about one after the other.
    if (innerCallInDoubt(task) === undefined) makeReady(state, task);
    else moveTo(state, task, 'in_doubt');
    return;
  }
  task.endedAt = at;
  if (answer === 'happened') {
    task.result = { value: null };
    complete(state, task, 'succeeded');
    return;
  }
  task.failure = {
    kind: 'timeout',
    message: textsOf(state).givenUp(task.task.operation),
  };
  complete(state, task, 'failed');
}

/** Questions are counted in a run: q1, q2, … `skipped`: how many are asked together with it and before it. */
export function nextQuestion({ questions }: RunState, skipped = 0): string {
  let left = skipped;
  for (let number = questions.size + 1; ; number++) {
    // One that was asked before the last may have been dropped, where a command came in between.
    if (questions.has(`q${number}`)) continue;
    if (left === 0) return `q${number}`;
    left--;
  }
}
