import type { Event, Fact, FactOf, Purpose } from '../../src/model/event.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { Json } from '../../src/model/json.ts';
import type { Question } from '../../src/model/question.ts';
import type { Action, Task } from '../../src/model/task.ts';
import type { Effect } from '../../src/model/tool.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { type SettingsChanges, settingsWith } from '../settings.ts';

export const SETTINGS = settingsWith({
  concurrency: 4,
  limits: { steps: 3, calls: 10, time: 60_000 },
  task: { timeoutMs: 1_000 },
  repairs: 1,
});

/**
 * A journal from facts; a number among them lets that many milliseconds pass. The events are of version 1, so that no test
 * has to write down what the engine decides about each fact.
 */
export function journalOf(...entries: readonly (Fact | number)[]): Event[] {
  return journalFrom(entries);
}

export function journalFrom(entries: readonly (Fact | number)[]): Event[] {
  let at = 0;
  const events: Event[] = [];
  for (const entry of entries) {
    if (typeof entry === 'number') at += entry;
    else events.push({ v: 1, run: 'r1', seq: events.length + 1, at, ...entry } as Event);
  }
  return events;
}

export function stateOf(...entries: readonly (Fact | number)[]): RunState {
  const state = fold(journalOf(...entries));
  if (state === undefined) throw new Error('no events');
  return state;
}

export function started(
  changes: SettingsChanges = {},
  data: Partial<FactOf<'run_started'>['data']> = {},
): Fact {
  const settings = {
    ...SETTINGS,
    ...changes,
    limits: { ...SETTINGS.limits, ...changes.limits },
    task: { ...SETTINGS.task, ...changes.task },
  };
  return { type: 'run_started', data: { goal: 'do it', settings, mind: 'test', ...data } };
}

export const resumed: Fact = { type: 'run_resumed', data: { by: 'test' } };

export function thinks(decision: number, purpose: Purpose = 'act'): Fact {
  return { type: 'decision_started', data: { decision, purpose } };
}

export function decides(decision: number, operations?: Action[]): Fact {
  return { type: 'decision_made', data: { decision, ms: 1, ...(operations && { operations }) } };
}

export function failsToDecide(decision: number, failure: Failure): Fact {
  return { type: 'decision_failed', data: { decision, failure, ms: 1 } };
}

export function answer(args: Action['args']): Action {
  return { id: 'a', operation: 'answer', args };
}

export interface Planned extends Partial<Task> {
  readonly id: string;
  readonly effect?: Effect;
  readonly needs?: string[];
  readonly waits?: string[];
  readonly rank?: number;
  readonly cost?: number;
}

export function toTask({ id, operation = `box.${id}`, args = {}, after, expect, timeoutMs }: Planned): Task {
  return {
    id,
    operation,
    args,
    ...(after && { after }),
    ...(expect && { expect }),
    ...(timeoutMs && { timeoutMs }),
  };
}

export function proposes(tasks: readonly Planned[], by: 'mind' | 'user' = 'mind', version = 1): Fact {
  return { type: 'plan_proposed', data: { version, by, tasks: tasks.map(toTask) } };
}

export function approves(tasks: readonly Planned[], version = 1, question?: string): Fact {
  const checked = tasks.map(({ id, effect = 'read', needs, waits, rank, cost }) => ({
    id,
    effect,
    ...(needs && { needs }),
    ...(waits && { waits }),
    ...(rank && { rank }),
    ...(cost && { cost }),
  }));
  return { type: 'plan_approved', data: { version, tasks: checked, ...(question && { question }) } };
}

/** A run with an accepted plan of the user's. */
export function running(tasks: readonly Planned[], changes: SettingsChanges = {}): Fact[] {
  return [started(changes, { planGiven: true }), proposes(tasks, 'user'), approves(tasks)];
}

export function starts(task: string, attempt = 1): Fact {
  return { type: 'task_started', data: { task, attempt, key: `r1/${task}` } };
}

export function succeeds(task: string, attempt = 1, result: Json = null): Fact {
  return { type: 'task_succeeded', data: { task, attempt, result, ms: 1 } };
}

export function fails(task: string, attempt = 1, failure: Partial<Failure> = {}): Fact {
  return {
    type: 'task_failed',
    data: { task, attempt, failure: { kind: 'tool_error', message: 'no', ...failure }, ms: 1 },
  };
}

export function inDoubt(task: string, attempt = 1): Fact {
  return { type: 'task_in_doubt', data: { task, attempt, cause: 'driver_lost' } };
}

export function asks(id: string, question: Partial<Question> = {}, attempt?: number): Fact {
  const whole: Question = { id, kind: 'in_doubt', text: '?', ...question };
  return { type: 'question_asked', data: { question: whole, ...(attempt && { attempt }) } };
}

/** A call asks a person: it is held open, or has ended for the answer. */
export function elicits(id: string, task: string, { held = false, attempt = 1 } = {}): Fact {
  const question: Question = { id, kind: 'elicitation', text: '?', task };
  const how = held ? { held } : { input: { name: id } };
  return { type: 'question_asked', data: { question, attempt, ...how } };
}

export function endsHold(task: string, attempt = 1): Fact {
  return { type: 'hold_ended', data: { task, attempt } };
}

export function answers(question: string, value: Json): Fact {
  return { type: 'question_answered', data: { question, answer: value } };
}

export function expires(question: string): Fact {
  return { type: 'question_expired', data: { question, as: 'declined' } };
}

export const pauses: Fact = { type: 'run_paused', data: {} };

export const cancels: Fact = { type: 'cancel_requested', data: { reason: 'enough' } };

export const ends: Fact = { type: 'run_finished', data: { outcome: 'answered', answer: 'done' } };
