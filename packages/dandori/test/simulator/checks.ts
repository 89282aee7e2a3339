import type { Event } from '../../src/model/event.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { isStep, type Task } from '../../src/model/task.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState, TaskState } from '../../src/run/state/state.ts';
import type { SimulatedFile } from './disk.ts';
import { calledBy, effectOf, effectsOf, type Scenario } from './scenario.ts';
import type { Course } from './simulation.ts';

/** A violation. The text starts with its kind. */
export type Violation = `${
  | 'law'
  | 'twice'
  | 'lost'
  | 'unwritten'
  | 'early'
  | 'unapproved'
  | 'unproved'
  | 'unended'
  | 'answer'
  | 'error'
  | 'differs'}: ${string}`;

/** Checks that acknowledged events still exist. Call it after each crash. */
export function lostLines({ lines, acknowledged }: SimulatedFile): Violation[] {
  for (const [seq, text] of acknowledged) {
    if (lines[seq - 1]?.text !== text) return [`lost: event ${seq} was acknowledged and is gone: ${text}`];
  }
  return [];
}

/** Checks what must be true of every run, whatever its course. */
export function violations(course: Course, scenario: Scenario): Violation[] {
  const { events, file, complaints, tooEarly } = course;
  const state = fold(events);
  if (state === undefined) return ['lost: the run has no events'];
  return [
    ...complaints.map((complaint): Violation => `error: ${complaint}`),
    ...brokenLaws(events).map((law): Violation => `law: ${law}`),
    ...lostLines(file),
    ...tooEarly,
    ...[...state.tasks.values()].flatMap((task) => effectViolations(task, course)),
    ...scenario.batches
      .flat()
      .flatMap((task) => [...unwrittenEffects(task, course), ...unapprovedEffects(task, scenario, course)]),
    ...lostResults(events, state),
    ...unheardNotes(state, scenario),
    ...endViolations(state, scenario),
  ];
}

function effectViolations({ task, effect, status }: TaskState, { world }: Course): Violation[] {
  return effectsOf(task).flatMap((name): Violation[] => {
    const times = world.effects(name);
    if (times > 1) return [`twice: ${effect} ${task.operation} ${name} took effect ${times} times`];
    const isMissing = times === 0 && status === 'succeeded' && effect !== 'read' && !isStep(task);
    return isMissing
      ? [`lost: ${task.operation} ${name} is said to have succeeded and never took effect`]
      : [];
  });
}

/** Every effect in the world must have been journaled first. */
function unwrittenEffects(task: Task, { events, world }: Course): Violation[] {
  const isInside = calledBy(task.operation) !== undefined;
  const isWritten = (name: string) =>
    events.some(({ type, data }) =>
      isInside
        ? type === 'inner_call_started' && data.args.name === name
        : type === 'task_started' && data.task === name,
    );
  return effectsOf(task)
    .filter((name) => world.effects(name) > 0 && !isWritten(name))
    .map(
      (name): Violation =>
        `unwritten: ${task.operation} ${name} took effect, and the journal does not say that it was called`,
    );
}

/** Based on the scenario alone, not on what the driver says it asked. */
function unapprovedEffects(
  { id, operation }: Task,
  { settings, behaviours, isPersonSilent }: Scenario,
  { world }: Course,
): Violation[] {
  const effect = effectOf(operation);
  const isAsked =
    settings.approval === 'always' ||
    (settings.approval === 'writes' && effect !== 'read') ||
    (settings.approval === 'destructive' && effect === 'destructive');
  const isApproved = !isPersonSilent && behaviours.get(id)?.isRefused !== true;
  const isDone = effectsOf({ id, operation }).some((name) => world.effects(name) > 0);
  return !isAsked || isApproved || !isDone
    ? []
    : [`unapproved: ${operation} ${id} took effect, and nobody had said yes to it`];
}

function lostResults(events: readonly Event[], state: RunState): Violation[] {
  return events.flatMap((event): Violation[] => {
    const isFound = event.type === 'probe_ended' && event.data.found === 'happened';
    if (event.type !== 'task_succeeded' && !isFound) return [];
    const { task: id, result = null, blob } = event.data;
    const task = state.tasks.get(id);
    const is = stringifyJson(task?.result);
    const was = stringifyJson(blob === undefined ? { value: result } : { blob });
    return task?.status === 'succeeded' && is === was
      ? []
      : [`lost: the result of ${id} was ${was} and is ${is}`];
  });
}

/** The mind must have seen every note before its final answer. */
function unheardNotes({ end, notes, decisions }: RunState, { isGenerous }: Scenario): Violation[] {
  const last = decisions.at(-1);
  const note = notes.at(-1);
  if (end?.outcome !== 'answered' || !isGenerous || note === undefined) return [];
  return note.seq < (last?.startedSeq ?? 0) ? [] : [`lost: nobody was told the note of event ${note.seq}`];
}

function endViolations(state: RunState, { isPersonSilent, settings }: Scenario): Violation[] {
  const { end, cancel } = state;
  const { openQuestions } = state.indexes;
  if (end === undefined) {
    const isForEver = isPersonSilent && settings.questions?.expireAfter === undefined;
    return isForEver && openQuestions > 0 && cancel === undefined ? [] : ['unended: the run has no end'];
  }
  if (cancel !== undefined && end.outcome !== 'cancelled')
    return [`answer: it was cancelled and ended ${end.outcome}`];
  return [];
}

/**
 * If no irreversible call was in doubt and nothing was cut short, the end must be the same as without faults.
 */
export function differingEnd(course: Course, undisturbed: Course): Violation[] {
  if (!isComparable(course) || !isComparable(undisturbed)) return [];
  const [is, should] = [course, undisturbed].map(({ events }) => endOf(events));
  return is === should ? [] : [`answer: ${is}\n  and without faults: ${should}`];
}

export function isComparable({ events }: Pick<Course, 'events'>): boolean {
  return events.every(
    ({ type, data }) =>
      type !== 'cancel_requested' &&
      type !== 'question_expired' &&
      !(type === 'question_asked' && data.question.kind === 'in_doubt'),
  );
}

function endOf(events: readonly Event[]): string {
  const end = events.at(-1);
  if (end?.type !== 'run_finished') return 'no end';
  return `${end.data.outcome} ${end.data.answer}`;
}
