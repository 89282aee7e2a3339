import { DandoriError } from '../model/error.ts';
import type { Event, Fact } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';
import type { RunState } from '../run/state/state.ts';

/**
 * Moves a fork point to the end of a group of events. A decision and the facts that follow from it are
 * written together and make no sense apart. The same applies to a start with its given plan, and to all
 * questions of one call.
 */
export function wholeDecision(events: readonly Event[], seq: number): number {
  const [first, second] = events;
  const isPlanGiven = first?.type === 'run_started' && first.data.planGiven === true;
  let end = isPlanGiven && second?.type === 'plan_proposed' ? Math.max(seq, 2) : seq;
  const isBehind = () => events[end - 1]?.type === 'decision_made' || isOfDecision(events[end - 1]);
  while ((isOfDecision(events[end]) && isBehind()) || asksMore(events[end - 1], events[end])) end++;
  return end;
}

/** Whether an event was written together with the decision before it. */
export function isOfDecision(event: Event | undefined): boolean {
  return event !== undefined && handleFact(event, OF_DECISION) === true;
}

const isByMind = ({ data }: Event & { type: 'plan_proposed' | 'plan_revised' }) => data.by === 'mind';

const OF_DECISION: FactHandlers<boolean> = {
  reflection_made: () => true,
  plan_proposed: isByMind,
  plan_revised: isByMind,
  question_asked: ({ data: { question } }) => question.task === undefined && question.plan === undefined,
};

/** Whether both events are questions of the same call, which ended because it needs input. */
export function asksMore(before: Event | undefined, event: Event | undefined): boolean {
  if (before?.type !== 'question_asked' || event?.type !== 'question_asked') return false;
  const task = endedBy(event);
  return task !== undefined && task === endedBy(before) && event.data.attempt === before.data.attempt;
}

/** The task whose running attempt ends with this fact. */
export function endedBy({ type, data }: Fact): string | undefined {
  if (type === 'task_succeeded' || type === 'task_failed' || type === 'task_in_doubt') return data.task;
  if (type !== 'question_asked') return undefined;
  // A question of a held call does not end the call.
  return data.attempt === undefined || data.held === true ? undefined : data.question.task;
}

/** The error for an event number that the run does not have. */
export function noEvent(run: string, seq: number, last: number): DandoriError {
  return new DandoriError('usage', `The run ${run} has no event ${seq}.`, { fix: eventsOf(run, last) });
}

export function eventsOf(run: string, last: number): string {
  return `Its events are 1 to ${last}: see them with \`dandori log ${run}\`.`;
}

/** Where to begin to do everything again: after the goal, and after the plan if the user gave it. */
export function startPoint(events: readonly Event[]): number {
  const given = events[1];
  return given?.type === 'plan_proposed' && given.data.by === 'user' ? 2 : 1;
}

/**
 * The event to fork from so that only what failed is repeated: before the first call of the failed task, or after the
 * last progress if the model failed.
 */
export function failedPoint(events: readonly Event[], { tasks }: Pick<RunState, 'tasks'>): number {
  const failed = events.find(
    ({ type, data }) =>
      type === 'task_started' &&
      tasks.get(data.task)?.status === 'failed' &&
      tasks.get(data.task)?.isSuperseded === false,
  );
  if (failed !== undefined) return failed.seq - 1;
  const progress = events.findLast(({ type }) => type === 'task_succeeded' || type === 'plan_approved');
  return progress?.seq ?? startPoint(events);
}
