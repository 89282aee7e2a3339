import type { Fact, FactOf, FactType } from '../model/event.ts';
import { type Cause, toFailure, type Word } from '../model/failure.ts';
import { backoff } from '../model/settings.ts';
import { isRepeatable, laneOf } from '../model/tool.ts';
import { updateProblem } from './actions/step-update.ts';
import { attemptsMade, judge, wasNeverSent } from './monitor.ts';
import { innerCallInDoubt, staleCalls } from './state/inner-calls.ts';
import { heldBackBy } from './state/placement.ts';
import type { RunState } from './state/state.ts';
import { withChoice } from './state/task-state.ts';

export interface Judging {
  /** The state before the fact. */
  readonly state: RunState;
  readonly at: number;
  readonly word: Word;
}

type DataOf<T extends FactType> = FactOf<T>['data'];

/** The fields of a fact that the engine decides, and how. */
interface Verdict<T extends FactType> {
  readonly fields: readonly (keyof DataOf<T>)[];
  readonly decide: (data: DataOf<T>, judging: Judging) => Partial<DataOf<T>>;
}

/** Facts that are not listed need no verdict. */
const VERDICTS: { readonly [T in FactType]?: Verdict<T> } = {
  run_resumed: {
    fields: ['forgiven'],
    decide: (_, { state }) => (isForgiven(state) ? { forgiven: true } : {}),
  },
  decision_started: {
    fields: ['free'],
    decide: (_, { state }) => (state.mind === 'built-in' ? { free: true } : {}),
  },
  decision_made: { fields: ['endedSteps'], decide: endedSteps },
  decision_failed: { fields: ['retryAt', 'final'], decide: decisionVerdict },
  plan_approved: { fields: ['tasks'], decide: (data, { state }) => ({ tasks: withLanes(data, state) }) },
  plan_rejected: { fields: ['failure', 'final'], decide: rejectionVerdict },
  task_started: { fields: ['forgets', 'reopens'], decide: callsAgain },
  task_failed: { fields: ['unsent', 'retryAt'], decide: failureVerdict },
  task_in_doubt: { fields: ['next', 'forgiven'], decide: doubtVerdict },
  probe_ended: { fields: ['next'], decide: probeVerdict },
  question_asked: { fields: ['holdsBack'], decide: heldBack },
  question_expired: { fields: ['message'], decide: expiryText },
};

function verdictOn(type: FactType): Verdict<FactType> | undefined {
  // Each verdict takes the facts of its key. TypeScript cannot relate the two.
  return VERDICTS[type] as Verdict<FactType> | undefined;
}

/** The fields of a fact that hold its verdict, except sentences. */
export function verdictFields(type: FactType): readonly string[] {
  return (verdictOn(type)?.fields ?? []).filter((name: string) => name !== 'message');
}

/**
 * Adds the engine's verdict to a fact. The code that journals a fact calls this, and a replay calls it again
 * and compares. An existing verdict is replaced, because it may differ after a conflict.
 */
export function withVerdict(fact: Fact, judging: Judging): Fact {
  const verdict = verdictOn(fact.type);
  if (verdict === undefined) return fact;
  const decided = verdict.decide(fact.data, judging);
  // Most facts have no verdict before and get none now.
  if (!verdict.fields.some((name) => name in fact.data || name in decided)) return fact;
  const outdated = verdict.fields.filter((name) => name in fact.data && !(name in decided));
  return { ...fact, data: { ...without(fact.data, outdated), ...decided } } as Fact;
}

function without<T extends object>(data: T, fields: readonly PropertyKey[]): Partial<T> {
  if (fields.length === 0) return data;
  const kept = Object.entries(data).filter(([name]) => !fields.includes(name));
  return Object.fromEntries(kept) as Partial<T>;
}

/**
 * A model call that was lost with its driver is not counted. The number is limited, in case the call itself
 * makes the driver crash.
 */
function isForgiven({ thinking, forgivenCalls, settings }: RunState): boolean {
  return thinking !== undefined && !thinking.isFree && forgivenCalls < (settings.task.restarts ?? 0);
}

function endedSteps(
  { operations = [] }: DataOf<'decision_made'>,
  { state, word }: Judging,
): Pick<DataOf<'decision_made'>, 'endedSteps'> {
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
  { failure, next }: DataOf<'decision_failed'>,
  { state: { settings, failuresInARow }, at }: Judging,
): Pick<DataOf<'decision_failed'>, 'retryAt' | 'final'> {
  // The wait applies only to the model that failed, not to the next one.
  if (next !== undefined) return {};
  // A wrong key or a missing model also fails on retry.
  if (failure.kind === 'model_error' && failure.retryable === false) return { final: true };
  // A malformed answer is requested again at once. Waiting helps a busy server, not a confused model.
  if (failure.retryable !== true) return {};
  return {
    retryAt: at + Math.max(failure.retryAfter ?? 0, backoff(settings.task.backoff, failuresInARow + 1)),
  };
}

function withLanes(
  { tasks }: DataOf<'plan_approved'>,
  { draft, settings: { servers } }: RunState,
): DataOf<'plan_approved'>['tasks'] {
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
  { diagnostics, reason }: DataOf<'plan_rejected'>,
  { state, word }: Judging,
): Pick<DataOf<'plan_rejected'>, 'failure' | 'final'> {
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
  { task: id }: DataOf<'task_started'>,
  { state: { tasks } }: Judging,
): Pick<DataOf<'task_started'>, 'forgets' | 'reopens'> {
  const task = tasks.get(id);
  if (task?.innerCalls === undefined) return {};
  const { forgets, reopens } = staleCalls(task);
  return { ...(forgets.length > 0 && { forgets }), ...(reopens.length > 0 && { reopens }) };
}

function failureVerdict(
  { task: id, failure }: DataOf<'task_failed'>,
  { state: { tasks, settings }, at }: Judging,
): Pick<DataOf<'task_failed'>, 'unsent' | 'retryAt'> {
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
  { task: id, cause }: DataOf<'task_in_doubt'>,
  { state: { tasks, settings } }: Judging,
): Pick<DataOf<'task_in_doubt'>, 'next' | 'forgiven'> {
  return {
    next: isRepeatable(tasks.get(id)?.effect ?? 'write') ? 'again' : 'settle',
    ...(cause === 'driver_lost' && settings.task.restarts !== undefined && { forgiven: true }),
  };
}

/** A probe may check only the overall result of a service. A person must check an inner call. */
function probeVerdict(
  { task: id, found }: DataOf<'probe_ended'>,
  { state: { tasks } }: Judging,
): Pick<DataOf<'probe_ended'>, 'next'> {
  const task = tasks.get(id);
  if (found !== 'not_happened' || task === undefined) return {};
  return { next: innerCallInDoubt(task) === undefined ? 'again' : 'settle' };
}

/** While a person chooses, later tasks that conflict with one of the options wait. */
function heldBack(
  { question }: DataOf<'question_asked'>,
  { state }: Judging,
): Pick<DataOf<'question_asked'>, 'holdsBack'> {
  const task = state.tasks.get(question.task ?? '');
  if (task === undefined || question.kind !== 'ambiguity') return {};
  const choices = (question.options ?? []).map((option) => withChoice(task, option));
  const holdsBack = heldBackBy(state, task, choices);
  return holdsBack.length > 0 ? { holdsBack } : {};
}

function expiryText(
  { question: id, as }: DataOf<'question_expired'>,
  { state, word }: Judging,
): Pick<DataOf<'question_expired'>, 'message'> {
  const question = state.questions.get(id)?.question.text;
  if (as === 'default' || question === undefined) return {};
  return { message: word({ code: 'unanswered', params: { question } }) };
}
