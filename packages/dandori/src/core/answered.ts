import { assertNever } from '../domain/error.ts';
import type { FactOf } from '../domain/event.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Option, Question } from '../domain/question.ts';
import { escaped } from './inject.ts';
import { placeAnew } from './place.ts';
import type { RunState, TaskState } from './state.ts';
import { textsOf } from './texts.ts';
import { complete, makeReady, release } from './transition.ts';

/** What an answer changes. That it fits the question was checked before it was journaled. */
export function applyAnswer(
  state: RunState,
  data: FactOf<'question_answered'>['data'],
  at: number,
): RunState {
  const open = state.questions.get(data.question);
  if (open === undefined || open.answer !== undefined) return state;
  open.answer = { value: data.answer, at };
  state.openQuestions--;
  const task = open.question.task === undefined ? undefined : state.tasks.get(open.question.task);
  if (task?.status === 'waiting')
    continueTask(state, task, { question: open.question, answer: data.answer, at });
  return state;
}

interface Answered {
  readonly question: Question;
  readonly answer: Json;
  readonly at: number;
}

function continueTask(state: RunState, task: TaskState, { question, answer, at }: Answered): void {
  switch (question.kind) {
    case 'approval':
      if (answer === 'approve') {
        task.approved = question.digest;
        release(state, task);
      } else reject(state, task, at);
      return;
    case 'in_doubt':
      settle(state, task, { question, answer, at });
      return;
    case 'ambiguity': {
      const chosen = question.options?.find(({ value }) => JSON.stringify(value) === JSON.stringify(answer));
      if (chosen !== undefined) task.override = withChoice(task, chosen);
      goOn(state, task, at);
      return;
    }
    case 'missing_input':
      release(state, task);
      return;
    default:
      assertNever(question.kind);
  }
}

/** The arguments of a task with what an option changes in them. A tool wrote it, so that no text in it is a Ref. */
export function withChoice({ override, task }: TaskState, { args }: Option): JsonObject {
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

function reject(state: RunState, task: TaskState, at: number): void {
  task.failure = { kind: 'rejected', message: textsOf(state).notApproved(task.task.operation) };
  task.endedAt = at;
  complete(state, task, 'failed');
}

/** A person has looked: it happened, it did not (so it is called again), or it is to be given up. */
function settle(state: RunState, task: TaskState, { answer, at }: Answered): void {
  if (answer === 'again') {
    makeReady(state, task);
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
