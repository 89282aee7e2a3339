import { assertNever } from '../model/error.ts';
import type { Event, FactOf, FactType } from '../model/event.ts';
import type { Breach } from '../model/finding.ts';
import { canonicalJson, type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { TrustReason } from '../model/question.ts';
import { type Effect, isRepeatable } from '../model/tool.ts';
import { asksAboutPlan, needsApproval } from './approval-policy.ts';
import { apply } from './state/apply.ts';
import { hasOpenCall } from './state/held-calls.ts';
import { saysNothingHappened } from './state/inner-calls.ts';
import { isRefused, isUnfilled, needsNoReason } from './state/orders.ts';
import { planAnswer } from './state/plan.ts';
import { wasRejected } from './state/questions.ts';
import { hasEnded, type RunState, type TaskState, writesIn } from './state/state.ts';

/**
 * Predicates of every legal journal. Each returns the violations it finds.
 *
 * L1  `seq` counts from 1 without a gap, all events have the same run, and run_started comes first and only
 *     once.
 * L2  After run_finished, the run can only be rated, or be opened again with more budget if it was exhausted.
 *     It is not rated before run_finished.
 * L3  An attempt begins once and ends at most once. It ends before the next attempt of its task begins.
 * L4  No task starts before everything that it needs has succeeded and everything that it waits for has
 *     ended.
 * L5  No effect happens twice. A call that is neither a read nor idempotent starts again only after a
 *     failure, a probe or a person says that it did not happen.
 * L6  A question is asked once and ends at most once, after it was asked. It is answered in time or expires
 *     later.
 * L7  No task starts after a cancel request.
 * L8  No more calls run at once than the settings allow.
 * L9  No call takes effect and no plan is accepted without a required approval. The approval is for the call
 *     or plan that the person was shown, or for the plan as the person edited it. A standing approval counts,
 *     for the run or in the user's settings.
 * L10 No task, probe, preview or decision starts while the run is paused.
 * L11 Only an open call can be held or can end because it needs input. A hold ends once.
 * L12 A service makes calls only while its task runs, and under a key of its task. Such a call ends at most
 *     once per start. A call that succeeded is not made again. A call that is neither a read nor idempotent
 *     and may have taken effect is made again only if a person says that it did not.
 * L13 Under a trust policy, no call takes effect unless the user ordered, permitted or approved it.
 */
export function brokenLaws(events: readonly Event[]): string[] {
  return breaches(events).map(({ message }) => message);
}

export function breaches(events: readonly Event[]): Breach[] {
  const broken: Breach[] = [];
  const tracked: Tracked = {
    mayHaveHappened: new Set(),
    shown: { plans: new Map(), calls: new Map() },
    inside: new Map(),
  };
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    const messages = envelopeLaws(event, { index, first: events[0], state });
    if (state !== undefined)
      for (const law of lawsOn(event)) messages.push(...law(event, { state, ...tracked }));
    broken.push(...messages.map((message) => ({ seq: event.seq, message })));
    // Without run_started, the other laws cannot be checked.
    if (state === undefined && event.type !== 'run_started') break;
    state = apply(state, event);
  }
  return broken;
}

/** What the laws track on their own, because they must not trust the state that they check. */
interface Tracked {
  /** Tasks whose last call may have taken effect. */
  readonly mayHaveHappened: Set<string>;
  /** What a person was last shown: plans by question, arguments by task. */
  readonly shown: { readonly plans: Map<string, string>; readonly calls: Map<string, string> };
  /** What is known about the calls of services, by key. */
  readonly inside: Map<string, Inside>;
}

interface Checking extends Tracked {
  /** The state before the event. */
  readonly state: RunState;
}

type Law<T extends FactType> = (event: Event & { type: T }, checking: Checking) => string[];

/** The laws that each fact must keep. Every fact is listed, so that a new one is not forgotten. */
const LAWS: { readonly [T in FactType]: readonly Law<T>[] } = {
  run_started: [],
  run_resumed: [],
  decision_started: [pauseLaw],
  decision_made: [],
  decision_failed: [],
  reflection_made: [],
  plan_proposed: [],
  plan_revised: [],
  plan_approved: [planLaw],
  plan_rejected: [],
  task_started: [startLaws, pauseLaw, effectLaw, trustLaw],
  task_succeeded: [endLaws, callLaw, insideLost],
  task_failed: [endLaws, noEffect, insideLost],
  task_in_doubt: [endLaws, callLaw, insideLost],
  inner_call_started: [insideOpenLaw, insideStartLaw],
  inner_call_ended: [insideOpenLaw, insideEndLaw],
  probe_started: [pauseLaw],
  probe_ended: [noEffect],
  preview_started: [pauseLaw],
  preview_ended: [],
  call_approved: [standingLaw],
  question_asked: [inputLaw, askedOnceLaw, noEffect, shownToPerson],
  hold_ended: [holdLaw],
  question_answered: [answerLaw, noEffect, insideSettled],
  question_expired: [answerLaw],
  answer_applied: [],
  note_added: [],
  run_paused: [],
  run_continued: [],
  limit_reached: [],
  budget_added: [],
  cancel_requested: [],
  run_finished: [],
  run_rated: [],
};

function lawsOn({ type }: Event): readonly Law<FactType>[] {
  // Each list takes the facts of its key. TypeScript cannot relate the two.
  return LAWS[type] as readonly Law<FactType>[];
}

interface Place {
  readonly index: number;
  readonly first: Event | undefined;
  readonly state: RunState | undefined;
}

function envelopeLaws(event: Event, { index, first, state }: Place): string[] {
  const broken: string[] = [];
  if (event.seq !== index + 1) broken.push(`L1: event ${index + 1} has seq ${event.seq}`);
  if (event.run !== first?.run) broken.push(`L1: event ${event.seq} belongs to ${event.run}`);
  if ((event.type === 'run_started') !== (index === 0)) broken.push(`L1: ${event.type} at seq ${event.seq}`);
  const isRating = event.type === 'run_rated';
  const isReopened = event.type === 'budget_added' && state?.end?.outcome === 'exhausted';
  if (state?.end !== undefined && !isRating && !isReopened)
    broken.push(`L2: ${event.type} (seq ${event.seq}) after run_finished`);
  if (state?.end === undefined && isRating) broken.push(`L2: rated (seq ${event.seq}) before run_finished`);
  return broken;
}

function startLaws({ data }: Event & { type: 'task_started' }, { state }: Checking): string[] {
  const { task: id, attempt } = data;
  const task = state.tasks.get(id);
  if (task === undefined) return [`L4: ${id} started and is in no approved plan`];
  const broken: string[] = [];
  if (task.status === 'running') broken.push(`L3: ${id}#${attempt} started while #${task.attempts} runs`);
  if (attempt !== task.attempts + 1) broken.push(`L3: ${id}#${attempt} follows #${task.attempts}`);
  if (task.status !== 'ready' && task.status !== 'retrying')
    broken.push(`L4: ${id} started while ${task.status}`);
  broken.push(...orderLaw(task, state));
  if (state.cancel !== undefined) broken.push(`L7: ${id} started after the cancel request`);
  const { concurrency, writes = concurrency } = state.settings;
  if (state.indexes.running.size >= concurrency)
    broken.push(`L8: ${id} started while ${state.indexes.running.size} run, and ${concurrency} may`);
  if (task.effect !== 'read' && writesIn(state) >= writes)
    broken.push(`L8: ${id} started while ${writesIn(state)} calls change something, and ${writes} may`);
  return broken;
}

/** Checks the tasks themselves, so that a counting bug in `apply` is not hidden. */
function orderLaw({ task, needs, waits, gates }: TaskState, { tasks }: RunState): string[] {
  const early = needs.filter((id) => tasks.get(id)?.status !== 'succeeded');
  const soon = [...waits, ...gates.flatMap(({ members }) => members)].filter(
    (id) => !hasEnded(tasks.get(id)?.status ?? 'pending'),
  );
  return [
    ...early.map((id) => `L4: ${task.id} started before ${id} had succeeded`),
    ...soon.map((id) => `L4: ${task.id} started before ${id} had ended`),
  ];
}

function endLaws(
  event: Event & { type: 'task_succeeded' | 'task_failed' | 'task_in_doubt' },
  { state }: Checking,
): string[] {
  const { task: id, attempt } = event.data;
  const task = state.tasks.get(id);
  if (task === undefined || task.attempts !== attempt || !hasOpenCall(state, task))
    return [`L3: ${event.type} of ${id}#${attempt}, which is not running`];
  const wasMade = event.type === 'task_succeeded' || event.type === 'task_in_doubt';
  if (!wasMade || !needsApproval(task, state)) return [];
  return [`L9: ${id} was called without an approval`];
}

function holdLaw({ data }: Event & { type: 'hold_ended' }, { state }: Checking): string[] {
  const { task: id, attempt } = data;
  const asking = state.indexes.held.has(id) ? state.tasks.get(id)?.asking : undefined;
  const isHeld = asking?.call === 'held' && asking.attempt === attempt;
  return isHeld ? [] : [`L11: the hold of ${id}#${attempt} ended, and it was not held`];
}

function inputLaw({ data }: Event & { type: 'question_asked' }, { state }: Checking): string[] {
  const { question, attempt, held, input } = data;
  if (question.kind !== 'elicitation' || (held === undefined && input === undefined)) return [];
  const task = state.tasks.get(question.task ?? '');
  // One call may ask several questions. They are journaled one after the other.
  const isSameRound = task?.asking?.attempt === attempt && task?.status === 'waiting';
  const isOpen = task !== undefined && task.attempts === attempt && hasOpenCall(state, task);
  return isOpen || isSameRound
    ? []
    : [`L11: ${question.id} was asked by ${question.task}#${attempt}, which is not open`];
}

function trustLaw({ data }: Event & { type: 'task_started' }, { state }: Checking): string[] {
  const { trust } = state.settings;
  const task = state.tasks.get(data.task);
  if (trust === undefined || trust.policy === 'observe' || task === undefined) return [];
  const isFree = needsNoReason(task, state);
  if (data.trust === undefined && (isFree || isUnfilled(task, data) || task.isOrdered)) return [];
  const called = { args: data.args ?? task.override ?? task.task.args, state };
  return data.trust !== undefined && isAllowed(task, data.trust, called)
    ? []
    : [`L13: ${data.task} started without an order, a permission or an approval`];
}

function isAllowed(
  task: TaskState,
  trust: TrustReason,
  { args, state }: { readonly args: JsonObject; readonly state: RunState },
): boolean {
  switch (trust.because) {
    case 'ordered':
      return task.isOrdered;
    case 'approved':
      return task.approved !== undefined;
    case 'permitted':
      return (state.orders.permissions[trust.permission ?? -1]?.left ?? 0) > 0;
    // A rule of the configuration allows it. One that denies it is followed by the failure of the task.
    case 'allowed':
    case 'denied':
      return trust.rule !== undefined;
    case 'refused':
      return isRefused(state, task) || wasRejected(state, task.task.operation, args);
    case 'observed':
      return false;
    default:
      return assertNever(trust.because);
  }
}

function effectLaw(
  { data: { task: id, attempt } }: Event & { type: 'task_started' },
  { state, mayHaveHappened }: Checking,
): string[] {
  const effect = state.tasks.get(id)?.effect ?? 'write';
  const isTwice = mayHaveHappened.has(id) && !isRepeatable(effect);
  mayHaveHappened.add(id);
  return isTwice ? [`L5: ${effect} ${id} was sent again (#${attempt})`] : [];
}

type Clearing = 'task_failed' | 'probe_ended' | 'question_asked' | 'question_answered';

function noEffect(event: Event & { type: Clearing }, { state, mayHaveHappened }: Checking): string[] {
  const cleared = taskWithoutEffect(event, state);
  if (cleared !== undefined) mayHaveHappened.delete(cleared);
  return [];
}

/** The task whose last call had no effect, according to this event. */
function taskWithoutEffect({ type, data }: Event & { type: Clearing }, state: RunState): string | undefined {
  switch (type) {
    case 'task_failed':
      return ['unavailable', 'invalid_args'].includes(data.failure.kind) ? data.task : undefined;
    case 'probe_ended':
      return data.found === 'not_happened' ? data.task : undefined;
    case 'question_asked':
      return endsForInput(data) ? data.question.task : undefined;
    case 'question_answered': {
      const question = state.questions.get(data.question)?.question;
      const isAgain = data.answer === 'again' || data.answer === 'again_after';
      return question?.kind === 'in_doubt' && question.subGoal === undefined && isAgain
        ? question.task
        : undefined;
    }
    default:
      return assertNever(type);
  }
}

/** The server has done nothing yet, or it asks to be called again with the answer. */
function endsForInput({ question, held = false }: FactOf<'question_asked'>['data']): boolean {
  if (question.subGoal !== undefined) return true;
  return question.kind === 'ambiguity' || (question.kind === 'elicitation' && !held);
}

function shownToPerson({ data }: Event & { type: 'question_asked' }, { state, shown }: Checking): string[] {
  const { id, kind, task, context, subGoal } = data.question;
  if (subGoal !== undefined) return [];
  if (kind === 'plan_approval') shown.plans.set(id, stringifyJson(state.draft?.tasks));
  const { args } = (context ?? {}) as { args?: Json };
  if (kind === 'approval' && task !== undefined && args !== undefined)
    shown.calls.set(task, canonicalJson(args));
  return [];
}

function callLaw(
  { data: { task: id } }: Event & { type: 'task_succeeded' | 'task_in_doubt' },
  { state, shown }: Checking,
): string[] {
  const { approved, sent = {} } = state.tasks.get(id) ?? {};
  const seen = shown.calls.get(id);
  if (approved === undefined || seen === undefined || seen === canonicalJson(sent)) return [];
  return [`L9: ${id} was called with other arguments than a person had approved`];
}

/** The user's settings are outside of the journal. An approval for the run is in it. */
function standingLaw({ data }: Event & { type: 'call_approved' }, { state, shown }: Checking): string[] {
  const { task: id, question, standing } = data;
  shown.calls.delete(id);
  const operation = state.tasks.get(id)?.task.operation;
  const isGiven = state.allowed.some((one) => one.question === question && one.operation === operation);
  return standing !== undefined || isGiven ? [] : [`L9: ${id} was approved without an approval`];
}

function planLaw({ data }: Event & { type: 'plan_approved' }, { state, shown }: Checking): string[] {
  const { version, question: id = '', tasks: checked } = data;
  const tasks = state.draft?.tasks ?? [];
  const effects = new Map(checked.map((task) => [task.id, task.effect]));
  const calls = tasks.map((task) => ({ ...task, effect: effects.get(task.id) ?? ('write' as const) }));
  if (!asksAboutPlan(calls, state.settings)) return [];
  const asked = state.questions.get(id);
  const word = asked?.question.plan === version ? planAnswer(asked) : undefined;
  if (word === undefined || word.kind === 'rejected')
    return [`L9: plan ${version} was accepted without an approval`];
  const approved = word.kind === 'edited' ? stringifyJson(word.tasks) : shown.plans.get(id);
  return approved === stringifyJson(tasks)
    ? []
    : [`L9: plan ${version} was accepted and another one had been approved`];
}

function askedOnceLaw({ data }: Event & { type: 'question_asked' }, { state }: Checking): string[] {
  const { id } = data.question;
  return state.questions.has(id) ? [`L6: ${id} was asked twice`] : [];
}

function answerLaw(
  { type, at, data: { question: id } }: Event & { type: 'question_answered' | 'question_expired' },
  { state }: Checking,
): string[] {
  const open = state.questions.get(id);
  const isAnswer = type === 'question_answered';
  const what = isAnswer ? 'was answered' : 'expired';
  if (open === undefined) return [`L6: ${id} ${what} and never asked`];
  if (open.answer !== undefined) return [`L6: ${id} ${what} after its end`];
  const isOver = at >= (open.question.expiresAt ?? Number.POSITIVE_INFINITY);
  return isOver === isAnswer ? [`L6: ${id} ${what} ${isAnswer ? 'too late' : 'too early'}`] : [];
}

function pauseLaw({ type, seq }: Event, { state: { paused } }: Checking): string[] {
  return paused === undefined ? [] : [`L10: ${type} (seq ${seq}) while the run was paused`];
}

/** What is known about a call that a service made. */
interface Inside {
  readonly task: string;
  readonly effect: Effect;
  status: 'open' | 'succeeded' | 'in_doubt' | 'over';
}

/** The calls that a service had open when its task ended. */
function insideLost(
  { data: { task } }: Event & { type: 'task_succeeded' | 'task_failed' | 'task_in_doubt' },
  { inside }: Checking,
): string[] {
  for (const call of inside.values())
    if (call.task === task && call.status === 'open') call.status = 'in_doubt';
  return [];
}

function insideSettled(
  { data }: Event & { type: 'question_answered' },
  { state, inside }: Checking,
): string[] {
  const { task, context } = state.questions.get(data.question)?.question ?? {};
  const { open } = (context ?? {}) as { open?: { key?: string } };
  const call = inside.get(open?.key ?? '');
  if (call === undefined || call.task !== task) return [];
  if (data.answer === 'again') call.status = 'over';
  if (data.answer === 'again_after') call.status = 'succeeded';
  return [];
}

function insideOpenLaw(
  { type, data }: Event & { type: 'inner_call_started' | 'inner_call_ended' },
  { state }: Checking,
): string[] {
  const { task: id, attempt, key } = data;
  const task = state.tasks.get(id);
  const isOpen = task?.attempts === attempt && hasOpenCall(state, task);
  return [
    ...(isOpen ? [] : [`L12: ${type} of ${id}#${attempt}, which is not running`]),
    ...(key.startsWith(`${task?.key}/`) ? [] : [`L12: ${key} is no key of a call of ${id}`]),
  ];
}

function insideStartLaw({ data }: Event & { type: 'inner_call_started' }, { inside }: Checking): string[] {
  const { task, key, effect } = data;
  const known = inside.get(key);
  inside.set(key, { task, effect, status: 'open' });
  if (known?.status === 'open') return [`L12: ${key} was called while it was under way`];
  if (known?.status === 'succeeded') return [`L12: ${key} was called again after it had succeeded`];
  // A service that made calls of its own is entered again. Its inner calls show how far it got.
  const isEntered = () => [...inside.keys()].some((other) => other.startsWith(`${key}/`));
  const isTwice = known?.status === 'in_doubt' && !isRepeatable(effect) && !isEntered();
  return isTwice
    ? [`L12: ${effect} ${key} was called again, although no answer said that it had no effect`]
    : [];
}

function insideEndLaw({ data }: Event & { type: 'inner_call_ended' }, { inside }: Checking): string[] {
  const { task, key } = data;
  const known = inside.get(key);
  const { args, failure, lost, ambiguous, effect = known?.effect ?? 'write' } = data;
  if (args === undefined && known?.status !== 'open') return [`L12: ${key} ended, and was not under way`];
  if (effect === 'read') {
    inside.set(key, { task, effect, status: 'over' });
    return [];
  }
  const mayHaveHappened = failure !== undefined && !isRepeatable(effect) && !saysNothingHappened(failure);
  const isOver = (failure !== undefined && !mayHaveHappened) || ambiguous !== undefined;
  const isInDoubt = mayHaveHappened || lost !== undefined;
  inside.set(key, { task, effect, status: isOver ? 'over' : isInDoubt ? 'in_doubt' : 'succeeded' });
  return [];
}
