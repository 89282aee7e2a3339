import { assertNever } from '../model/error.ts';
import type { Event, Fact } from '../model/event.ts';

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
  switch (event?.type) {
    case 'reflection_made':
      return true;
    case 'plan_proposed':
    case 'plan_revised':
      return event.data.by === 'mind';
    case 'question_asked':
      return event.data.question.task === undefined && event.data.question.plan === undefined;
    case 'run_started':
    case 'run_resumed':
    case 'decision_started':
    case 'decision_made':
    case 'decision_failed':
    case 'plan_approved':
    case 'plan_rejected':
    case 'task_started':
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'probe_ended':
    case 'hold_ended':
    case 'answer_applied':
    case 'question_answered':
    case 'question_expired':
    case 'note_added':
    case 'run_paused':
    case 'run_continued':
    case 'limit_reached':
    case 'budget_added':
    case 'cancel_requested':
    case 'run_finished':
    case 'run_rated':
    case undefined:
      return false;
    default:
      return assertNever(event);
  }
}

/** Whether both events are questions of the same call, which ended because it needs input. */
export function asksMore(before: Event | undefined, event: Event | undefined): boolean {
  if (before?.type !== 'question_asked' || event?.type !== 'question_asked') return false;
  const task = endedBy(event);
  return task !== undefined && task === endedBy(before) && event.data.attempt === before.data.attempt;
}

/** The task whose running attempt ends with this fact. */
export function endedBy(fact: Fact): string | undefined {
  switch (fact.type) {
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
      return fact.data.task;
    case 'question_asked':
      // A question of a held call does not end the call.
      return fact.data.attempt === undefined || fact.data.held === true ? undefined : fact.data.question.task;
    case 'run_started':
    case 'run_resumed':
    case 'decision_started':
    case 'decision_made':
    case 'decision_failed':
    case 'reflection_made':
    case 'plan_proposed':
    case 'plan_revised':
    case 'plan_approved':
    case 'plan_rejected':
    case 'task_started':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'probe_ended':
    case 'hold_ended':
    case 'answer_applied':
    case 'question_answered':
    case 'question_expired':
    case 'note_added':
    case 'run_paused':
    case 'run_continued':
    case 'limit_reached':
    case 'budget_added':
    case 'cancel_requested':
    case 'run_finished':
    case 'run_rated':
      return undefined;
    default:
      return assertNever(fact);
  }
}
