import { asObject, type JsonObject, sameJson } from '../../model/json.ts';
import type { OpenQuestion } from './questions.ts';
import type { RunState } from './state.ts';
import type { TaskState } from './task-state.ts';

/** How often a task may be called again because its server wants more input. */
export const MOST_ROUNDS = 10;
/** How many questions the calls of one task may ask. */
export const MOST_QUESTIONS = 100;
/** Milliseconds that a call is held open for an answer, unless the settings say otherwise. */
const HOLD = 300_000;

/**
 * What a call asked for. `ended`: the call ended because the server needs input first. `held`: the call stays
 * open until the question is answered. `ending`: the hold timed out, and the server is told that there is no
 * answer. `lost`: the call is lost, but the answer can still be used. `over`: the call continued or ended,
 * and no longer waits for an answer.
 */
export interface Asking {
  readonly attempt: number;
  readonly questions: string[];
  call: 'ended' | 'held' | 'ending' | 'lost' | 'over';
  readonly since: number;
}

/** A person's response to a server that asked. `cancel`: the person neither accepted nor declined. */
export type InputResponse =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** The input for calling a task again. */
export interface Inputs {
  readonly responses: Readonly<Record<string, InputResponse>>;
  readonly state?: string | undefined;
}

/** A call asks for input. Either it has ended, or it is held open until the question is answered. */
export function askedByCall(task: TaskState, { question, askedAt, isHeld }: OpenQuestion): void {
  const { attempts: attempt, asking, status } = task;
  if (asking?.attempt === attempt && status === 'waiting') asking.questions.push(question.id);
  else {
    const earlier = asking?.attempt === attempt ? asking.questions : [];
    const call = isHeld ? 'held' : 'ended';
    task.asking = { attempt, questions: [...earlier, question.id], call, since: askedAt };
    if (!isHeld) task.rounds++;
  }
  // The call may have done part of its work before it asked.
  task.mayHaveTouched = true;
}

export function hasOpenCall({ indexes }: RunState, { task, status }: TaskState): boolean {
  return status === 'running' || indexes.held.has(task.id);
}

/** When the hold times out. */
export function heldUntil({ settings }: RunState, { asking }: TaskState): number {
  if (asking?.call !== 'held') return Number.POSITIVE_INFINITY;
  return asking.since + (settings.questions?.hold ?? HOLD);
}

export function inputsOf(state: RunState, task: TaskState): Inputs | undefined {
  if (task.asking?.call !== 'ended') return undefined;
  const asked = questionsOf(state, task.asking.questions);
  const responses = asked.flatMap((one) =>
    one.input?.name === undefined ? [] : [[one.input.name, responseTo(one)] as const],
  );
  const kept = asked.map(({ input }) => input?.state).find((one) => one !== undefined);
  return { responses: Object.fromEntries(responses), ...(kept !== undefined && { state: kept }) };
}

export function questionsOf({ questions }: RunState, ids: readonly string[]): OpenQuestion[] {
  return ids.flatMap((id) => questions.get(id) ?? []);
}

export function responseTo({ question, answer }: OpenQuestion): InputResponse {
  if (answer === undefined) return { action: 'cancel' };
  if (answer.declined === true) return { action: answer.isExpired === true ? 'cancel' : 'decline' };
  return {
    action: 'accept',
    ...(question.form !== undefined && { content: asObject(answer.value) }),
  };
}

/** The answer that an earlier call of the task got to the same question. Each answer is used once. */
export function savedAnswer(
  state: RunState,
  task: TaskState,
  asked: { readonly request: object; readonly used: ReadonlySet<string> },
): OpenQuestion | undefined {
  return [...state.questions.values()].find(
    ({ question, isHeld, answer, attempt }) =>
      isHeld &&
      question.task === task.task.id &&
      attempt !== task.attempts &&
      answer !== undefined &&
      !asked.used.has(question.id) &&
      sameJson(comparable(question), comparable(asked.request)),
  );
}

function comparable({ text, form, url }: { text?: string; form?: JsonObject; url?: string }): JsonObject {
  return { text: text ?? '', form: form ?? null, url: url ?? '' };
}
