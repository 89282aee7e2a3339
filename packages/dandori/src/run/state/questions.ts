import type { FactOf } from '../../model/event.ts';
import { canonicalJson, isObject, type Json, type JsonObject, stringifyJson } from '../../model/json.ts';
import type { Question } from '../../model/question.ts';
import type { Language } from '../../model/text.ts';
import type { Queued } from '../../plan/ready-queue.ts';
import { answersCounted, questionClosed, questionOpened } from './indexes.ts';
import type { RunState } from './state.ts';
import type { TaskState } from './task-state.ts';

/** The questions to people, and their answers. */
export interface Questions {
  /** In the order in which they were asked. */
  readonly questions: Map<string, OpenQuestion>;
  /** The language of the user's last answer that tells it. */
  spoken: Language | undefined;
}

export interface OpenQuestion {
  readonly question: Question;
  readonly askedAt: number;
  /** The attempt that asked. */
  readonly attempt?: number | undefined;
  /** Whether a call is held open for it. */
  readonly isHeld: boolean;
  /** The form in which the server expects the answer. */
  readonly input?: FactOf<'question_asked'>['data']['input'];
  answer: Answer | undefined;
  /** Its entry in the queue of questions that expire. */
  queued: Queued<OpenQuestion> | undefined;
}

/** The answer to a question, or how it ended without one. */
export interface Answer {
  readonly value: Json;
  readonly at: number;
  readonly declined?: boolean;
  readonly comment?: string;
  readonly by?: string;
  readonly language?: Language;
  /** The question expired before it was answered. */
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

/** The answer was checked before it was journaled. `answer_applied` records its consequence. */
export function questionAnswered(
  state: RunState,
  { question: id, answer: value, declined, comment, by, language }: FactOf<'question_answered'>['data'],
  at: number,
): void {
  const open = state.questions.get(id);
  if (open === undefined || open.answer !== undefined) return;
  if (open.question.kind === 'missing_input' && open.question.subGoal === undefined)
    state.lastWord = state.seq;
  state.spoken = language ?? state.spoken;
  close(state, open, {
    value,
    at,
    ...(declined === true && { declined }),
    ...(comment !== undefined && { comment }),
    ...(by !== undefined && { by }),
    ...(language !== undefined && { language }),
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

/**
 * Whether a task has all the answers that it waits for. If a hold is ending, the server is first told that
 * there is no answer.
 */
export function isAnswerDue(
  { questions }: Pick<RunState, 'questions'>,
  { waitsFor, asking }: TaskState,
): boolean {
  if (waitsFor.length === 0) return false;
  const asked = waitsFor.map((id) => questions.get(id));
  const isOfCall = asked[0]?.question.kind === 'elicitation';
  return asked.every((one) => one?.answer !== undefined) && !(isOfCall && asking?.call === 'ending');
}

/** The label of the option that was chosen. Undefined if the answer is not an option. */
export function chosenLabel({ question: { options = [] }, answer }: OpenQuestion): string | undefined {
  if (answer === undefined || answer.declined === true) return undefined;
  const given = stringifyJson(answer.value);
  return options.find(({ value }) => stringifyJson(value) === given)?.label;
}

/** Whether the user has refused exactly this call before, and has added no note since. */
export function wasRejected({ questions, notes }: RunState, operation: string, args: JsonObject): boolean {
  const wanted = canonicalJson(args);
  return [...questions.values()].some(({ question: { kind, context }, answer }) => {
    if (kind !== 'approval' || answer === undefined || answer.isExpired === true) return false;
    const isNo = answer.declined === true || String(answer.value).startsWith('reject');
    if (!isNo || !isObject(context) || context.operation !== operation) return false;
    const isSame = isObject(context.args) && canonicalJson(context.args) === wanted;
    return isSame && !notes.some(({ passedOnBy, at }) => passedOnBy === undefined && at >= answer.at);
  });
}

/** The id of the next question: q1, q2, … `skipped`: how many questions of the same batch come before it. */
export function nextQuestion({ questions }: Questions, skipped = 0): string {
  let left = skipped;
  for (let number = questions.size + 1; ; number++) {
    // An id may be taken: if a command came in between, an earlier question may have been dropped.
    if (questions.has(`q${number}`)) continue;
    if (left === 0) return `q${number}`;
    left--;
  }
}
