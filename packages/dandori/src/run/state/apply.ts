import { assertNever, DandoriError } from '../../model/error.ts';
import { EVENT_VERSION, type Event } from '../../model/event.ts';
import { tasksAccepted } from './accepted-tasks.ts';
import { addUsage, keepTime, limitReached, limitsRaised, modelCalled, modelCallForgiven } from './budget.ts';
import { cancelRequested, reopened, runPaused } from './control.ts';
import {
  decisionFailed,
  decisionMade,
  decisionStarted,
  limitsWereRaised,
  noteAdded,
  planRefused,
  startOver,
} from './decisions.ts';
import { isOnlyHolding } from './indexes.ts';
import { innerCallEnded, innerCallStarted } from './inner-calls.ts';
import { callsAnnounced, isInfluenced, strangersBefore, wordsPassedOn } from './orders.ts';
import { draftAccepted, draftRefused, planAsked, planProposed, planRevised } from './plan.ts';
import { callApproved, previewEnded, previewStarted, previewsLost } from './previews.ts';
import { questionAnswered, questionAsked, questionExpired } from './questions.ts';
import { initial, type RunState } from './state.ts';
import {
  answerApplied,
  failTask,
  holdEnded,
  probeEnded,
  probeStarted,
  probesLost,
  setReplacement,
  stepsEnded,
  taskAsks,
  taskFailed,
  taskInDoubt,
  taskStarted,
  taskSucceeded,
  wakeDue,
} from './tasks.ts';
import { upgrade } from './version-1/upgrade.ts';

/**
 * Folds one event into the state. The state is changed in place and returned, because a copy of 100,000 tasks
 * per event would make a run quadratic. A caller that needs an older state folds the journal again.
 *
 * A1  The same events give the same state, on any machine, at any time and in any later version. The fold
 *     only records: the verdict on a fact is part of the fact. Events of version 1 lack it, so `upgrade` adds
 *     it by the rules of that version. There is one exception: `orders` derives whether the user ordered a call.
 *     Its rules stay as they are until events get a new version.
 * A2  No event is refused, because what is in the journal has happened. Invalid events (such as the outcome
 *     of an attempt that is over) change nothing, and `laws` reports them.
 */
export function apply(state: RunState | undefined, event: Event): RunState {
  if (event.type === 'run_started') return initial(event);
  if (state === undefined) throw new Error(`A run begins with run_started, not with ${event.type}.`);
  if (keepTime(state, event, isOnlyHolding(state))) wakeDue(state, event.at);
  state.seq = event.seq;
  if (event.v === EVENT_VERSION) applyToSlices(state, event);
  else for (const one of upgrade(state, event)) applyToSlices(state, one);
  return state;
}

/** Passes an event to the slices that it changes. */
function applyToSlices(state: RunState, event: Event): void {
  const { seq, at } = event;
  switch (event.type) {
    case 'run_started':
      return;
    case 'run_resumed':
      if (event.data.forgiven === true) modelCallForgiven(state);
      state.thinking = undefined;
      probesLost(state);
      previewsLost(state);
      return;
    case 'decision_started':
      if (event.data.free !== true) state.modelCalls++;
      if (event.data.toolsChanged === true) strangersBefore(state, seq);
      decisionStarted(state, event.data, seq);
      return;
    case 'decision_made':
      addUsage(state, event.data.usage);
      decisionMade(state, event.data, { seq, isInfluenced: isInfluenced(state, event.data) });
      callsAnnounced(state, event.data.operations);
      // Only the next decision can correct a refused plan. After that, its tasks may have begun.
      state.refused = undefined;
      stepsEnded(state, event.data.endedSteps ?? []);
      return;
    case 'decision_failed':
      addUsage(state, event.data.usage);
      decisionFailed(state, event.data, { seq, at });
      return;
    case 'reflection_made':
      state.reflections.push({ ...event.data, at });
      return;
    case 'plan_proposed':
      planProposed(state, event.data);
      return;
    case 'plan_revised':
      planRevised(state, event.data);
      return;
    case 'plan_approved':
      planApproved(state, event);
      return;
    case 'plan_rejected':
      planRejected(state, event);
      return;
    case 'task_started':
      taskStarted(state, event.data, at);
      return;
    case 'task_succeeded':
      modelCalled(state, event.data);
      taskSucceeded(state, event.data, at);
      return;
    case 'task_failed':
      modelCalled(state, event.data);
      taskFailed(state, event.data, at);
      return;
    case 'task_in_doubt':
      taskInDoubt(state, event.data, at);
      return;
    case 'inner_call_started':
      innerCallStarted(state, event.data);
      return;
    case 'inner_call_ended':
      innerCallEnded(state, event.data);
      return;
    case 'probe_started':
      probeStarted(state, event.data);
      return;
    case 'probe_ended':
      probeEnded(state, event.data, at);
      return;
    case 'preview_started':
      previewStarted(state, event.data);
      return;
    case 'preview_ended':
      previewEnded(state, event.data, at);
      return;
    case 'call_approved':
      callApproved(state, event.data);
      return;
    case 'question_asked':
      asked(state, event);
      return;
    case 'hold_ended':
      holdEnded(state, event.data);
      return;
    case 'question_answered':
      questionAnswered(state, event.data, at);
      return;
    case 'question_expired':
      if (event.data.as === 'cancelled' && state.questions.has(event.data.question))
        cancelRequested(state, { reason: event.data.message ?? '' });
      questionExpired(state, event.data, at);
      return;
    case 'answer_applied':
      answerApplied(state, event.data, at);
      return;
    case 'note_added':
      if (event.data.passedOnBy !== undefined && event.data.passedOnBy.isClean !== true) wordsPassedOn(state);
      noteAdded(state, event.data, { seq, at });
      return;
    case 'run_paused':
      runPaused(state, event.data);
      return;
    case 'run_continued':
      state.paused = undefined;
      return;
    case 'limit_reached':
      limitReached(state, event.data);
      return;
    case 'budget_added':
      limitsRaised(state, event.data);
      limitsWereRaised(state, seq, reopened(state));
      return;
    case 'cancel_requested':
      cancelRequested(state, event.data);
      return;
    case 'run_finished':
      state.end = { ...event.data, at };
      return;
    case 'run_rated':
      state.rating = event.data;
      return;
    default:
      assertNever(event);
  }
}

function planApproved(state: RunState, { data, at }: Event & { type: 'plan_approved' }): void {
  const { draft } = state;
  draftAccepted(state, data, at);
  if (draft?.revision?.replaces === undefined) {
    startOver(state);
    state.plansAccepted++;
  }
  tasksAccepted(state, draft, data);
}

/** If the user's alternative to a task is refused, only that task fails, not the mind's plan. */
function planRejected(state: RunState, { data, at }: Event & { type: 'plan_rejected' }): void {
  const { draft } = state;
  if (data.failure === undefined) {
    planRefused(state, data);
    draftRefused(state, data);
    return;
  }
  state.draft = undefined;
  const replaced = state.tasks.get(draft?.revision?.replaces ?? '');
  if (replaced === undefined) return;
  setReplacement(state, replaced, undefined);
  failTask(state, replaced, data.failure, at);
}

function asked(state: RunState, { data, at }: Event & { type: 'question_asked' }): void {
  const { question } = data;
  if (state.questions.has(question.id)) return;
  const open = questionAsked(state, data, at);
  if (question.kind === 'plan_approval' && question.subGoal === undefined) planAsked(state, question);
  // A question from the mind is not a mistake.
  else if (question.task === undefined) startOver(state);
  else taskAsks(state, open, data);
}

export function fold(events: Iterable<Event>): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) state = apply(state, event);
  return state;
}

export function foldRun(run: string, events: Iterable<Event>): RunState {
  const state = fold(events);
  if (state === undefined) throw noEvents(run);
  return state;
}

export function noEvents(run: string): DandoriError {
  return new DandoriError('journal-damaged', `The run ${run} has no events.`, {
    fix: 'Restore its file from a backup, or delete it and start a new run.',
  });
}
