import { isRepeatable } from '../domain/effect.ts';
import type { Event, FactOf } from '../domain/event.ts';
import type { Json } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import type { Question } from '../domain/question.ts';
import { apply } from './apply.ts';
import { asksAboutPlan, needsApproval } from './approval.ts';
import { canonical } from './canonical.ts';
import { hasOpenCall } from './elicitation.ts';
import { planWord } from './plan-word.ts';
import { hasEnded, type RunState, type TaskState } from './state.ts';

/**
 * Predicates of every legal journal. Each returns what is broken; an empty list means that the law holds.
 *
 * L1  seq counts from 1 without a gap, the run is the same in all, and run_started comes first and once.
 * L2  Nothing happens after run_finished but that it is rated, or that more budget opens an exhausted run again;
 *     and nothing is rated before.
 * L3  An attempt begins once, and ends at most once; an attempt is over before the next of its task begins.
 * L4  No task starts before everything that it needs has succeeded and everything that it waits for has ended.
 * L5  No effect twice: a call that is neither a read nor idempotent starts again only after a failure that
 *     says it did not happen, or after a probe or a person said so.
 * L6  A question is asked once and ends at most once, after it was asked: it is answered in time, or expires after it.
 * L7  No task starts after a cancel request.
 * L8  No more calls run at once than the settings allow.
 * L9  No call takes effect that a person should have approved and did not, and no plan is accepted that a person should
 *     have approved. It is the call, or the plan, that was shown to them, or the plan as they changed it.
 * L10 No task, no probe and no decision starts while the run is paused.
 * L11 Only a call that is open is held open or ends for want of input, and a hold ends once.
 */
export function brokenLaws(events: readonly Event[]): string[] {
  return breaches(events).map(({ message }) => message);
}

/** The event with which a law was broken, and how. */
export interface Breach {
  readonly seq: number;
  readonly message: string;
}

export function breaches(events: readonly Event[]): Breach[] {
  const broken: Breach[] = [];
  const mayHaveHappened = new Set<string>();
  const shown: Shown = { plans: new Map(), calls: new Map() };
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
      );
    }
    broken.push(...messages.map((message) => ({ seq: event.seq, message })));
    // Without its beginning nothing can be said of the rest.
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
  if (state.running.size >= concurrency)
    broken.push(`L8: ${id} started while ${state.running.size} run, and ${concurrency} may`);
  return broken;
}

/** Looks at the tasks themselves: a mistake in how `apply` counts what is unmet must not hide itself. */
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
  if (!wasMade || !needsApproval(task, state.settings)) return [];
  return [`L9: ${id} was called and nobody had approved it`];
}

function holdLaws(event: Event & { type: 'question_asked' | 'hold_ended' }, state: RunState): string[] {
  if (event.type === 'hold_ended') {
    const { task: id, attempt } = event.data;
    const asking = state.held.has(id) ? state.tasks.get(id)?.asking : undefined;
    const isHeld = asking?.call === 'held' && asking.attempt === attempt;
    return isHeld ? [] : [`L11: the hold of ${id}#${attempt} ended, and it was not held`];
  }
  const { question, attempt, held, input } = event.data;
  if (question.kind !== 'elicitation' || (held === undefined && input === undefined)) return [];
  const task = state.tasks.get(question.task ?? '');
  // What one call asks for together is asked one after the other.
  const isSameRound = task?.asking?.attempt === attempt && task?.status === 'waiting';
  const isOpen = task !== undefined && task.attempts === attempt && hasOpenCall(state, task);
  return isOpen || isSameRound
    ? []
    : [`L11: ${question.id} was asked by ${question.task}#${attempt}, which is not open`];
}

/** Keeps its own account of which effects may have happened, so as not to trust the statuses that it judges. */
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

/** The task of which this event says that its last call had no effect. */
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
      return question?.kind === 'in_doubt' && event.data.answer === 'again' ? question.task : undefined;
    }
    default:
      return undefined;
  }
}

/** The server did nothing yet, or says itself that it wants to be called again with the answer. */
function endsForInput({ question, held = false }: FactOf<'question_asked'>['data']): boolean {
  return question.kind === 'ambiguity' || (question.kind === 'elicitation' && !held);
}

/** What a person was last asked about: plans by question, arguments by task. */
interface Shown {
  readonly plans: Map<string, string>;
  readonly calls: Map<string, string>;
}

/** Keeps its own account of what was shown to a person, so as not to trust what it judges. */
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
  if (args !== undefined) shown.calls.set(task, stringifyJson(canonical(args)));
}

function callLaw(id: string, { state, shown }: { state: RunState; shown: Shown }): string[] {
  const { approved, sent = {} } = state.tasks.get(id) ?? {};
  const seen = shown.calls.get(id);
  if (approved === undefined || seen === undefined || seen === stringifyJson(canonical(sent))) return [];
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
