import { assertNever } from '../model/error.ts';
import type { Fact, FactOf } from '../model/event.ts';
import { type Cause, toFailure, type Word } from '../model/failure.ts';
import { backoff } from '../model/settings.ts';
import { isRepeatable, laneOf } from '../model/tool.ts';
import { updateProblem } from './actions/step-update.ts';
import { attemptsMade, judge, wasNeverSent } from './monitor.ts';
import { withChoice } from './state/choice.ts';
import { innerCallInDoubt, staleCalls } from './state/inner-calls.ts';
import { heldBackBy } from './state/placement.ts';
import type { RunState } from './state/state.ts';

export interface Judging {
  /** The state before the fact. */
  readonly state: RunState;
  readonly at: number;
  readonly word: Word;
}

/**
 * Adds the engine's verdict to a fact. The code that journals a fact calls this, and a replay calls it again
 * and compares. An existing verdict is replaced, because it may differ after a conflict.
 */
export function withVerdict(fact: Fact, judging: Judging): Fact {
  switch (fact.type) {
    case 'run_resumed':
      return { ...fact, data: { by: fact.data.by, ...(isForgiven(judging.state) && { forgiven: true }) } };
    case 'decision_started':
      return { ...fact, data: { ...fact.data, ...(judging.state.mind === 'built-in' && { free: true }) } };
    case 'decision_made': {
      const { endedSteps: _, ...data } = fact.data;
      return { ...fact, data: { ...data, ...endedSteps(data, judging) } };
    }
    case 'decision_failed': {
      const { retryAt: _, final: __, ...data } = fact.data;
      return { ...fact, data: { ...data, ...decisionVerdict(data, judging) } };
    }
    case 'plan_approved':
      return { ...fact, data: { ...fact.data, tasks: withLanes(fact.data, judging.state) } };
    case 'plan_rejected': {
      const { failure: _, final: __, ...data } = fact.data;
      return { ...fact, data: { ...data, ...rejectionVerdict(data, judging) } };
    }
    case 'task_started': {
      const { forgets: _, reopens: __, ...data } = fact.data;
      return { ...fact, data: { ...data, ...callsAgain(data, judging.state) } };
    }
    case 'task_failed': {
      const { unsent: _, retryAt: __, ...data } = fact.data;
      return { ...fact, data: { ...data, ...failureVerdict(data, judging) } };
    }
    case 'task_in_doubt': {
      const { next: _, forgiven: __, ...data } = fact.data;
      return { ...fact, data: { ...data, ...doubtVerdict(data, judging.state) } };
    }
    case 'probe_ended': {
      const { next: _, ...data } = fact.data;
      return { ...fact, data: { ...data, ...probeVerdict(data, judging.state) } };
    }
    case 'question_asked': {
      const { holdsBack: _, ...data } = fact.data;
      const holdsBack = heldBack(data, judging.state);
      return { ...fact, data: { ...data, ...(holdsBack.length > 0 && { holdsBack }) } };
    }
    case 'question_expired':
      return { ...fact, data: { ...fact.data, ...expiryText(fact.data, judging) } };
    case 'run_started':
    case 'reflection_made':
    case 'plan_proposed':
    case 'plan_revised':
    case 'task_succeeded':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'hold_ended':
    case 'question_answered':
    case 'answer_applied':
    case 'note_added':
    case 'run_paused':
    case 'run_continued':
    case 'limit_reached':
    case 'budget_added':
    case 'cancel_requested':
    case 'run_finished':
    case 'run_rated':
      return fact;
    default:
      return assertNever(fact);
  }
}

/**
 * A model call that was lost with its driver is not counted. The number is limited, in case the call itself
 * makes the driver crash.
 */
function isForgiven({ thinking, forgivenCalls, settings }: RunState): boolean {
  return thinking !== undefined && !thinking.isFree && forgivenCalls < (settings.task.restarts ?? 0);
}

function endedSteps(
  { operations = [] }: FactOf<'decision_made'>['data'],
  { state, word }: Judging,
): Pick<FactOf<'decision_made'>['data'], 'endedSteps'> {
  const ended = operations
    .filter(
      ({ operation, args }) => operation === 'plan.update_step' && updateProblem(state, args) === undefined,
    )
    .map(({ args }) => {
      const note = typeof args.note === 'string' ? args.note : undefined;
      const step = String(args.step);
      if (args.status === 'completed') return { step, result: note ?? null };
      const failure = toFailure({ kind: 'not_possible', code: 'step_given_up' }, word);
      return { step, failure: note === undefined ? failure : { kind: failure.kind, message: note } };
    });
  return ended.length > 0 ? { endedSteps: ended } : {};
}

function decisionVerdict(
  { failure, next }: FactOf<'decision_failed'>['data'],
  { state: { settings, stumbles }, at }: Judging,
): Pick<FactOf<'decision_failed'>['data'], 'retryAt' | 'final'> {
  // The wait applies only to the model that failed, not to the next one.
  if (next !== undefined) return {};
  // A wrong key or a missing model also fails on retry.
  if (failure.kind === 'model_error' && failure.retryable === false) return { final: true };
  // A malformed answer is requested again at once. Waiting helps a busy server, not a confused model.
  if (failure.retryable !== true) return {};
  return { retryAt: at + Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, stumbles + 1)) };
}

function withLanes(
  { tasks }: FactOf<'plan_approved'>['data'],
  { draft, settings: { servers } }: RunState,
): FactOf<'plan_approved'>['data']['tasks'] {
  if (servers === undefined) return tasks;
  const operations = new Map(draft?.tasks.map(({ id, operation }) => [id, operation]));
  return tasks.map(({ lane: _, ...task }) => {
    const operation = operations.get(task.id) ?? '';
    const lane = laneOf(operation, servers);
    return lane === laneOf(operation) ? task : { ...task, lane };
  });
}

/** A plan from the user is final when it is refused, because the mind is not asked to correct it. */
function rejectionVerdict(
  { diagnostics, reason }: FactOf<'plan_rejected'>['data'],
  { state, word }: Judging,
): Pick<FactOf<'plan_rejected'>['data'], 'failure' | 'final'> {
  const replaced = state.tasks.get(state.draft?.revision?.replaces ?? '');
  if (replaced === undefined) return state.planGiven ? { final: true } : {};
  const problems = diagnostics
    .map(({ task, message }) => (task === undefined ? message : `${task}: ${message}`))
    .join('; ');
  const { operation } = replaced.task;
  const cause: Cause =
    reason === undefined
      ? { kind: 'plan_error', code: 'cannot_replace', params: { operation, problems } }
      : { kind: 'rejected', code: 'plan_not_approved', params: { reason } };
  return { failure: toFailure(cause, word) };
}

function callsAgain(
  { task: id }: FactOf<'task_started'>['data'],
  { tasks }: RunState,
): Pick<FactOf<'task_started'>['data'], 'forgets' | 'reopens'> {
  const task = tasks.get(id);
  if (task?.innerCalls === undefined) return {};
  const { forgets, reopens } = staleCalls(task);
  return { ...(forgets.length > 0 && { forgets }), ...(reopens.length > 0 && { reopens }) };
}

function failureVerdict(
  { task: id, failure }: FactOf<'task_failed'>['data'],
  { state: { tasks, settings }, at }: Judging,
): Pick<FactOf<'task_failed'>['data'], 'unsent' | 'retryAt'> {
  const task = tasks.get(id);
  const verdict =
    task === undefined
      ? undefined
      : judge({ effect: task.effect, attempts: attemptsMade(task), failure, settings });
  return {
    ...(wasNeverSent(failure) && { unsent: true }),
    ...(verdict?.kind === 'retry' && { retryAt: at + verdict.delay }),
  };
}

function doubtVerdict(
  { task: id, cause }: FactOf<'task_in_doubt'>['data'],
  { tasks, settings }: RunState,
): Pick<FactOf<'task_in_doubt'>['data'], 'next' | 'forgiven'> {
  return {
    next: isRepeatable(tasks.get(id)?.effect ?? 'write') ? 'again' : 'settle',
    ...(cause === 'driver_lost' && settings.task.restarts !== undefined && { forgiven: true }),
  };
}

/** A probe may check only the overall result of a service. A person must check an inner call. */
function probeVerdict(
  { task: id, found }: FactOf<'probe_ended'>['data'],
  { tasks }: RunState,
): Pick<FactOf<'probe_ended'>['data'], 'next'> {
  const task = tasks.get(id);
  if (found !== 'not_happened' || task === undefined) return {};
  return { next: innerCallInDoubt(task) === undefined ? 'again' : 'settle' };
}

/** While a person chooses, later tasks that conflict with one of the options wait. */
function heldBack({ question }: FactOf<'question_asked'>['data'], state: RunState): string[] {
  const task = state.tasks.get(question.task ?? '');
  if (task === undefined || question.kind !== 'ambiguity') return [];
  const choices = question.options ?? [];
  return heldBackBy(
    state,
    task,
    choices.map((option) => withChoice(task, option)),
  );
}

function expiryText(
  { question: id, as }: FactOf<'question_expired'>['data'],
  { state, word }: Judging,
): Pick<FactOf<'question_expired'>['data'], 'message'> {
  const question = state.questions.get(id)?.question.text;
  if (as === 'default' || question === undefined) return {};
  return { message: word({ code: 'unanswered', params: { question } }) };
}
