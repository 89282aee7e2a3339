import type { Event, FactOf } from '../model/event.ts';
import type { Breach } from '../model/finding.ts';
import { canonicalJson, type Json, stringifyJson } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { type Effect, isRepeatable } from '../model/tool.ts';
import { asksAboutPlan, needsApproval } from './approval.ts';
import { apply } from './state/apply.ts';
import { hasOpenCall } from './state/held-calls.ts';
import { saysNothingHappened } from './state/inner-calls.ts';
import { planWord } from './state/plan.ts';
import { hasEnded, type RunState, type TaskState } from './state/state.ts';

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
 *     or plan that the person was shown, or for the plan as the person edited it.
 * L10 No task, probe or decision starts while the run is paused.
 * L11 Only an open call can be held or can end because it needs input. A hold ends once.
 * L12 A service makes calls only while its task runs, and under a key of its task. Such a call ends at most
 *     once per start. A call that succeeded is not made again. A call that is neither a read nor idempotent
 *     and may have taken effect is made again only if a person says that it did not.
 */
export function brokenLaws(events: readonly Event[]): string[] {
  return breaches(events).map(({ message }) => message);
}

export function breaches(events: readonly Event[]): Breach[] {
  const broken: Breach[] = [];
  const mayHaveHappened = new Set<string>();
  const shown: Shown = { plans: new Map(), calls: new Map() };
  const inside = new Map<string, Inside>();
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    const messages = envelopeLaws(event, { index, first: events[0], state });
    if (state !== undefined) {
      messages.push(
        ...taskLaws(event, state),
        ...pauseLaw(event, state),
        ...questionLaws(event, state),
        ...effectLaw(event, { state, mayHaveHappened }),
        ...approvalLaws(event, { state, shown }),
        ...insideLaws(event, { state, inside }),
      );
    }
    broken.push(...messages.map((message) => ({ seq: event.seq, message })));
    // Without run_started, the other laws cannot be checked.
    if (state === undefined && event.type !== 'run_started') break;
    state = apply(state, event);
  }
  return broken;
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

function taskLaws(event: Event, state: RunState): string[] {
  switch (event.type) {
    case 'task_started':
      return startLaws(event, state);
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
      return endLaws(event, state);
    case 'question_asked':
    case 'hold_ended':
      return holdLaws(event, state);
    default:
      return [];
  }
}

function startLaws(event: Event & { type: 'task_started' }, state: RunState): string[] {
  const { task: id, attempt } = event.data;
  const task = state.tasks.get(id);
  if (task === undefined) return [`L4: ${id} started and is in no approved plan`];
  const broken: string[] = [];
  if (task.status === 'running') broken.push(`L3: ${id}#${attempt} started while #${task.attempts} runs`);
  if (attempt !== task.attempts + 1) broken.push(`L3: ${id}#${attempt} follows #${task.attempts}`);
  if (task.status !== 'ready' && task.status !== 'retrying')
    broken.push(`L4: ${id} started while ${task.status}`);
  broken.push(...orderLaw(task, state));
  if (state.cancel !== undefined) broken.push(`L7: ${id} started after the cancel request`);
  const { concurrency } = state.settings;
  if (state.indexes.running.size >= concurrency)
    broken.push(`L8: ${id} started while ${state.indexes.running.size} run, and ${concurrency} may`);
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
  state: RunState,
): string[] {
  const { task: id, attempt } = event.data;
  const task = state.tasks.get(id);
  if (task === undefined || task.attempts !== attempt || !hasOpenCall(state, task))
    return [`L3: ${event.type} of ${id}#${attempt}, which is not running`];
  const wasMade = event.type === 'task_succeeded' || event.type === 'task_in_doubt';
  if (!wasMade || !needsApproval(task, state)) return [];
  return [`L9: ${id} was called and nobody had approved it`];
}

function holdLaws(event: Event & { type: 'question_asked' | 'hold_ended' }, state: RunState): string[] {
  if (event.type === 'hold_ended') {
    const { task: id, attempt } = event.data;
    const asking = state.indexes.held.has(id) ? state.tasks.get(id)?.asking : undefined;
    const isHeld = asking?.call === 'held' && asking.attempt === attempt;
    return isHeld ? [] : [`L11: the hold of ${id}#${attempt} ended, and it was not held`];
  }
  const { question, attempt, held, input } = event.data;
  if (question.kind !== 'elicitation' || (held === undefined && input === undefined)) return [];
  const task = state.tasks.get(question.task ?? '');
  // One call may ask several questions. They are journaled one after the other.
  const isSameRound = task?.asking?.attempt === attempt && task?.status === 'waiting';
  const isOpen = task !== undefined && task.attempts === attempt && hasOpenCall(state, task);
  return isOpen || isSameRound
    ? []
    : [`L11: ${question.id} was asked by ${question.task}#${attempt}, which is not open`];
}

/** Tracks possible effects on its own, because it must not trust the statuses that it checks. */
function effectLaw(
  event: Event,
  { state, mayHaveHappened }: { state: RunState; mayHaveHappened: Set<string> },
): string[] {
  if (event.type === 'task_started') {
    const { task: id, attempt } = event.data;
    const effect = state.tasks.get(id)?.effect ?? 'write';
    const isTwice = mayHaveHappened.has(id) && !isRepeatable(effect);
    mayHaveHappened.add(id);
    return isTwice ? [`L5: ${effect} ${id} was sent again (#${attempt})`] : [];
  }
  const cleared = saysItDidNotHappen(event, state);
  if (cleared !== undefined) mayHaveHappened.delete(cleared);
  return [];
}

/** The task whose last call had no effect, according to this event. */
function saysItDidNotHappen(event: Event, state: RunState): string | undefined {
  switch (event.type) {
    case 'task_failed':
      return ['unavailable', 'invalid_args'].includes(event.data.failure.kind) ? event.data.task : undefined;
    case 'probe_ended':
      return event.data.found === 'not_happened' ? event.data.task : undefined;
    case 'question_asked':
      return endsForInput(event.data) ? event.data.question.task : undefined;
    case 'question_answered': {
      const question = state.questions.get(event.data.question)?.question;
      const isAgain = event.data.answer === 'again' || event.data.answer === 'again_after';
      return question?.kind === 'in_doubt' && isAgain ? question.task : undefined;
    }
    default:
      return undefined;
  }
}

/** The server has done nothing yet, or it asks to be called again with the answer. */
function endsForInput({ question, held = false }: FactOf<'question_asked'>['data']): boolean {
  return question.kind === 'ambiguity' || (question.kind === 'elicitation' && !held);
}

/** What a person was last shown: plans by question, arguments by task. */
interface Shown {
  readonly plans: Map<string, string>;
  readonly calls: Map<string, string>;
}

/** Tracks what a person was shown on its own, because it must not trust the state that it checks. */
function approvalLaws(event: Event, { state, shown }: { state: RunState; shown: Shown }): string[] {
  switch (event.type) {
    case 'question_asked':
      remember(event.data.question, { state, shown });
      return [];
    case 'plan_approved':
      return planLaw(event.data, { state, shown });
    case 'task_succeeded':
    case 'task_in_doubt':
      return callLaw(event.data.task, { state, shown });
    default:
      return [];
  }
}

function remember(
  { id, kind, task, context }: Question,
  { state, shown }: { state: RunState; shown: Shown },
): void {
  if (kind === 'plan_approval') shown.plans.set(id, stringifyJson(state.draft?.tasks));
  if (kind !== 'approval' || task === undefined) return;
  const { args } = (context ?? {}) as { args?: Json };
  if (args !== undefined) shown.calls.set(task, canonicalJson(args));
}

function callLaw(id: string, { state, shown }: { state: RunState; shown: Shown }): string[] {
  const { approved, sent = {} } = state.tasks.get(id) ?? {};
  const seen = shown.calls.get(id);
  if (approved === undefined || seen === undefined || seen === canonicalJson(sent)) return [];
  return [`L9: ${id} was called with other arguments than a person had approved`];
}

function planLaw(
  { version, question: id = '', tasks: checked }: FactOf<'plan_approved'>['data'],
  { state, shown }: { state: RunState; shown: Shown },
): string[] {
  const tasks = state.draft?.tasks ?? [];
  const effects = new Map(checked.map((task) => [task.id, task.effect]));
  const calls = tasks.map((task) => ({ ...task, effect: effects.get(task.id) ?? ('write' as const) }));
  if (!asksAboutPlan(calls, state.settings)) return [];
  const asked = state.questions.get(id);
  const word = asked?.question.plan === version ? planWord(asked) : undefined;
  if (word === undefined || word.kind === 'rejected')
    return [`L9: plan ${version} was accepted and nobody had approved it`];
  const approved = word.kind === 'edited' ? stringifyJson(word.tasks) : shown.plans.get(id);
  return approved === stringifyJson(tasks)
    ? []
    : [`L9: plan ${version} was accepted and another one had been approved`];
}

function questionLaws(event: Event, state: RunState): string[] {
  if (event.type === 'question_asked') {
    const { id } = event.data.question;
    return state.questions.has(id) ? [`L6: ${id} was asked twice`] : [];
  }
  if (event.type !== 'question_answered' && event.type !== 'question_expired') return [];
  const { question: id } = event.data;
  const open = state.questions.get(id);
  const isAnswer = event.type === 'question_answered';
  const what = isAnswer ? 'was answered' : 'expired';
  if (open === undefined) return [`L6: ${id} ${what} and never asked`];
  if (open.answer !== undefined) return [`L6: ${id} ${what} after its end`];
  const isOver = event.at >= (open.question.expiresAt ?? Number.POSITIVE_INFINITY);
  return isOver === isAnswer ? [`L6: ${id} ${what} ${isAnswer ? 'too late' : 'too early'}`] : [];
}

function pauseLaw(event: Event, { paused }: RunState): string[] {
  const isStart = ['task_started', 'decision_started', 'probe_started'].includes(event.type);
  return isStart && paused !== undefined
    ? [`L10: ${event.type} (seq ${event.seq}) while the run was paused`]
    : [];
}

/** What is known about the calls of services, by key. */
interface Inside {
  readonly task: string;
  readonly effect: Effect;
  status: 'open' | 'succeeded' | 'in_doubt' | 'over';
}

/** Tracks the calls of services on its own, because it must not trust the state that it checks. */
function insideLaws(
  event: Event,
  { state, inside }: { state: RunState; inside: Map<string, Inside> },
): string[] {
  switch (event.type) {
    case 'inner_call_started':
    case 'inner_call_ended':
      return [...openLaw(event, state), ...onceLaws(event, inside)];
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
      for (const call of inside.values())
        if (call.task === event.data.task && call.status === 'open') call.status = 'in_doubt';
      return [];
    case 'question_answered': {
      const { task, context } = state.questions.get(event.data.question)?.question ?? {};
      const { open } = (context ?? {}) as { open?: { key?: string } };
      const call = inside.get(open?.key ?? '');
      if (call === undefined || call.task !== task) return [];
      if (event.data.answer === 'again') call.status = 'over';
      if (event.data.answer === 'again_after') call.status = 'succeeded';
      return [];
    }
    default:
      return [];
  }
}

function openLaw(event: Event & { type: InsideType }, state: RunState): string[] {
  const { task: id, attempt, key } = event.data;
  const task = state.tasks.get(id);
  const isOpen = task?.attempts === attempt && hasOpenCall(state, task);
  return [
    ...(isOpen ? [] : [`L12: ${event.type} of ${id}#${attempt}, which is not running`]),
    ...(key.startsWith(`${task?.key}/`) ? [] : [`L12: ${key} is no key of a call of ${id}`]),
  ];
}

type InsideType = 'inner_call_started' | 'inner_call_ended';

function onceLaws(event: Event & { type: InsideType }, inside: Map<string, Inside>): string[] {
  const { task, key } = event.data;
  const known = inside.get(key);
  if (event.type === 'inner_call_started') {
    const { effect } = event.data;
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
  const { args, failure, lost, ambiguous, effect = known?.effect ?? 'write' } = event.data;
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
