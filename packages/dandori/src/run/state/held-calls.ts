import { isObject, type JsonObject, sameJson } from '../../model/json.ts';
import type { OpenQuestion } from './questions.ts';
import type { RunState } from './state.ts';
import type { TaskState } from './tasks.ts';

/** How often a task may be called again because its server wants more input. */
export const MOST_ROUNDS = 10;
/** How many questions the calls of one task may ask. */
export const MOST_QUESTIONS = 100;
/** Milliseconds that a call is held open for an answer, where the settings do not say. */
const HOLD = 300_000;

/**
 * What a call asked for. `ended`: the server said that it wants input first. `held`: the call is open until it is answered.
 * `ending`: it was held for long enough, and the server is told that nobody answers. `lost`: the call is gone, and the
 * answer is not. `over`: the call went on or ended, and nothing of it waits for an answer any more.
 */
export interface Asking {
  readonly attempt: number;
  readonly questions: string[];
  call: 'ended' | 'held' | 'ending' | 'lost' | 'over';
  readonly since: number;
}

/** What a person gave to a server that asked. `cancel`: nobody said yes or no. */
export type InputResponse =
  | { readonly action: 'accept'; readonly content?: JsonObject }
  | { readonly action: 'decline' | 'cancel' };

/** What a call is made again with. */
export interface Inputs {
  readonly responses: Readonly<Record<string, InputResponse>>;
  readonly state?: string | undefined;
}

/** A call asks for input: it has ended for it, or it is held open until it is answered. */
export function askedByCall(task: TaskState, { question, askedAt, isHeld }: OpenQuestion): void {
  const { attempts: attempt, asking, status } = task;
  if (asking?.attempt === attempt && status === 'waiting') asking.questions.push(question.id);
  else {
    const earlier = asking?.attempt === attempt ? asking.questions : [];
    const call = isHeld ? 'held' : 'ended';
    task.asking = { attempt, questions: [...earlier, question.id], call, since: askedAt };
    if (!isHeld) task.rounds++;
  }
  // It may have done a part of its work before it asked.
  task.mayHaveTouched = true;
}

/** Whether a call of the task is out of the house. */
export function hasOpenCall({ indexes }: RunState, { task, status }: TaskState): boolean {
  return status === 'running' || indexes.held.has(task.id);
}

/** When the call is given up for want of an answer. */
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
    ...(question.form !== undefined && { content: isObject(answer.value) ? answer.value : {} }),
  };
}

/** What was answered when an earlier call of the task asked the same, as often as it did. */
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
