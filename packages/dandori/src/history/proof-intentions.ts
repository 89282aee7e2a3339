import { fillArgs } from '../driver/index.ts';
import type { Event } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';
import { decide } from '../run/decide.ts';
import type { Intention } from '../run/intention.ts';
import { timeLeft, workTimeLeft } from '../run/limits.ts';
import type { RunState, TaskState } from '../run/state/state.ts';
import type { Proving } from './proof.ts';

/**
 * What `decide` may have returned between the last fact and this one. Its result changes with time only if a
 * retry becomes due, the mind can be asked again, a question expires, or the time is up.
 */
export function* intentions(state: RunState, until: number): Generator<Intention> {
  const from = state.lastAt;
  const turns = [state.thinkAfter, until + timeLeft(state, until), until + workTimeLeft(state, until)];
  for (const { item } of state.indexes.retrying.inOrder()) {
    const { dueAt = until } = item;
    if (dueAt >= until) break;
    turns.push(dueAt);
  }
  if (state.indexes.openQuestions > 0)
    for (const { question } of state.questions.values()) turns.push(question.expiresAt ?? from);
  const moments = new Set([until, from, ...turns.filter((time) => time > from && time < until)]);
  for (const moment of moments) yield* decide(state, moment);
}

export function isIntended(
  event: Event,
  { state }: Proving,
  isIt: (intention: Intention) => boolean,
): Intention | undefined {
  for (const intention of intentions(state, event.at)) if (isIt(intention)) return intention;
  return undefined;
}

/** The arguments of the next call of a task. A string says why they cannot be filled in. */
export async function fill(
  { override, task }: TaskState,
  { state, results }: Proving,
): Promise<JsonObject | string> {
  const written = override ?? task.args;
  const injected = await fillArgs(written, { state, results });
  return injected.ok ? injected.args : injected.problems.map(({ message }) => message).join('; ');
}
