import { isObject, type JsonObject, sameJson } from '../../model/json.ts';
import { isRepeatable } from '../../model/tool.ts';
import { isAtWork, type OpenQuestion, type RunState, type TaskState } from './state.ts';
import { moveTo, release } from './task-moves.ts';

/** How often a task may be called again because its server wants more input. */
export const MOST_ROUNDS = 10;
/** How many questions the calls of one task may ask. */
export const MOST_QUESTIONS = 100;
/** Milliseconds that a call is held open for an answer, where the settings do not say. */
const HOLD = 300_000;

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
export function askedByCall(state: RunState, task: TaskState, asked: OpenQuestion): void {
  const { question, askedAt, isHeld } = asked;
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
  if (isHeld) state.held.add(task.task.id);
}

/** Whether a call of the task is out of the house. */
export function hasOpenCall(state: RunState, { task, status }: TaskState): boolean {
  return status === 'running' || state.held.has(task.id);
}

/** Whether nothing is under way but calls that wait for a person. Such time counts for nobody. */
export function isOnlyHolding(state: RunState): boolean {
  return state.held.size > 0 && !isAtWork(state);
}

/** When the call is given up for want of an answer. */
export function heldUntil(state: RunState, { asking }: TaskState): number {
  if (asking?.call !== 'held') return Number.POSITIVE_INFINITY;
  return asking.since + (state.settings.questions?.hold ?? HOLD);
}

/** The call that asked is gone. Whoever answers is heard all the same. */
export function loseCall(state: RunState, task: TaskState, at: number): void {
  if (task.asking === undefined) return;
  state.held.delete(task.task.id);
  task.asking.call = 'lost';
  task.isInDoubt = !isRepeatable(task.effect);
  goOnWithInput(state, task, at);
}

/** After an answer: nothing happens before the last one is there. */
export function goOnWithInput(state: RunState, task: TaskState, at: number): void {
  const { asking } = task;
  if (asking === undefined || questionsOf(state, task).some(({ answer }) => answer === undefined)) return;
  if (asking.call === 'held') {
    state.held.delete(task.task.id);
    task.startedAt = (task.startedAt ?? at) + Math.max(0, at - asking.since);
    moveTo(state, task, 'running');
  } else if (asking.call === 'ended') release(state, task);
  else if (asking.call === 'lost' && isRepeatable(task.effect)) release(state, task);
  else if (asking.call === 'lost') moveTo(state, task, 'in_doubt');
}

/** Whether a person will not do what the server wants done before it is called again, and cannot be told so. */
export function isRefused(state: RunState, task: TaskState): boolean {
  const asked = questionsOf(state, task);
  const isPrecondition = ({ isHeld, input }: OpenQuestion) => !isHeld && input?.name === undefined;
  return (
    asked.every(({ answer }) => answer !== undefined) &&
    asked.some((one) => isPrecondition(one) && one.answer?.declined === true)
  );
}

export function inputsOf(state: RunState, task: TaskState): Inputs | undefined {
  if (task.asking?.call !== 'ended') return undefined;
  const asked = questionsOf(state, task);
  const responses = asked.flatMap((one) =>
    one.input?.name === undefined ? [] : [[one.input.name, responseTo(one)] as const],
  );
  const given = asked.map(({ input }) => input?.state).find((one) => one !== undefined);
  return { responses: Object.fromEntries(responses), ...(given !== undefined && { state: given }) };
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

function questionsOf(state: RunState, { asking }: TaskState): OpenQuestion[] {
  return (asking?.questions ?? []).flatMap((id) => state.questions.get(id) ?? []);
}
