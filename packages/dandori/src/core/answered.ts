import { assertNever } from '../domain/error.ts';
import type { FactOf } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import type { RunState, TaskState } from './state.ts';
import { textsOf } from './texts.ts';
import { complete, makeReady } from './transition.ts';

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
        makeReady(state, task);
      } else reject(state, task, at);
      return;
    case 'in_doubt':
      settle(state, task, { question, answer, at });
      return;
    case 'ambiguity': {
      const chosen = question.options?.find(({ value }) => JSON.stringify(value) === JSON.stringify(answer));
      task.override = { ...(task.override ?? task.task.args), ...chosen?.args };
      makeReady(state, task);
      return;
    }
    case 'missing_input':
      makeReady(state, task);
      return;
    default:
      assertNever(question.kind);
  }
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
