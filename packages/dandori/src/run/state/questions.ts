import type { FactOf } from '../../model/event.ts';
import type { Json } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Queued } from '../../plan/ready-queue.ts';
import { answersCounted, questionClosed, questionOpened } from './indexes.ts';
import type { RunState } from './state.ts';
import type { TaskState } from './tasks.ts';

/** What people were asked, and what became of it. */
export interface Questions {
  /** In the order in which they were asked. */
  readonly questions: Map<string, OpenQuestion>;
}

export interface OpenQuestion {
  readonly question: Question;
  readonly askedAt: number;
  /** The attempt that asked. */
  readonly attempt?: number | undefined;
  /** Whether a call is held open for it. */
  readonly isHeld: boolean;
  /** How the server wants the answer. */
  readonly input?: FactOf<'question_asked'>['data']['input'];
  answer: Answer | undefined;
  /** Where it stands among those that expire. */
  queued: Queued<OpenQuestion> | undefined;
}

/** What became of a question. */
export interface Answer {
  readonly value: Json;
  readonly at: number;
  readonly declined?: boolean;
  readonly comment?: string;
  readonly by?: string;
  /** Nobody answered in time. */
  readonly isExpired?: boolean;
}

export function questionAsked(
  state: RunState,
  { question, attempt, held: isHeld = false, input }: FactOf<'question_asked'>['data'],
  at: number,
): OpenQuestion {
  const open: OpenQuestion = {
    question,
    askedAt: at,
    attempt,
    isHeld,
    input,
    answer: undefined,
    queued: undefined,
  };
  questionOpened(state, open);
  state.questions.set(question.id, open);
  return open;
}

/** That it fits the question was checked before it was journaled. What it leads to is `answer_applied`. */
export function questionAnswered(
  state: RunState,
  { question: id, answer: value, declined, comment, by }: FactOf<'question_answered'>['data'],
  at: number,
): void {
  const open = state.questions.get(id);
  if (open === undefined || open.answer !== undefined) return;
  if (open.question.kind === 'missing_input') state.lastWord = state.seq;
  close(state, open, {
    value,
    at,
    ...(declined === true && { declined }),
    ...(comment !== undefined && { comment }),
    ...(by !== undefined && { by }),
  });
}

export function questionExpired(
  state: RunState,
  { question: id, as, message }: Pick<FactOf<'question_expired'>['data'], 'question' | 'as' | 'message'>,
  at: number,
): void {
  const open = state.questions.get(id);
  if (open === undefined || open.answer !== undefined) return;
  const value = as === 'default' ? (open.question.default ?? null) : null;
  const isDeclined = as !== 'default';
  close(state, open, {
    value,
    at,
    ...(isDeclined && { declined: true, ...(message !== undefined && { comment: message }) }),
    isExpired: true,
  });
}

function close(state: RunState, open: OpenQuestion, answer: Answer): void {
  open.answer = answer;
  questionClosed(state, open);
  const task = state.tasks.get(open.question.task ?? '');
  if (task !== undefined) answersCounted(state, task);
}

/** Whether a task has all the answers that it waits for. A call whose hold is ending is told first that nobody answers. */
export function isAnswerDue(
  { questions }: Pick<RunState, 'questions'>,
  { status, waitsFor, asking }: Pick<TaskState, 'status' | 'waitsFor' | 'asking'>,
): boolean {
  if (status !== 'waiting' || waitsFor.length === 0) return false;
  const asked = waitsFor.map((id) => questions.get(id));
  const isOfCall = asked[0]?.question.kind === 'elicitation';
  return asked.every((one) => one?.answer !== undefined) && !(isOfCall && asking?.call === 'ending');
}

/** Questions are counted in a run: q1, q2, … `skipped`: how many are asked together with it and before it. */
export function nextQuestion({ questions }: Questions, skipped = 0): string {
  let left = skipped;
  for (let number = questions.size + 1; ; number++) {
    // One that was asked before the last may have been dropped, where a command came in between.
    if (questions.has(`q${number}`)) continue;
    if (left === 0) return `q${number}`;
    left--;
  }
}
