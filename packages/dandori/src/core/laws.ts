import { isRepeatable } from '../domain/effect.ts';
import type { Event } from '../domain/event.ts';
import { apply } from './apply.ts';
import { needsApproval } from './approval.ts';
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
 * L6  A question is asked once and answered at most once, and only after it was asked.
 * L7  No task starts after a cancel request.
 * L8  No more calls run at once than the settings allow.
 * L9  No call takes effect that a person should have approved and did not.
 */
export function brokenLaws(events: readonly Event[]): string[] {
  const broken: string[] = [];
  const mayHaveHappened = new Set<string>();
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    broken.push(...envelopeLaws(event, { index, first: events[0], state }));
    if (state !== undefined) {
      broken.push(
        ...taskLaws(event, state),
        ...questionLaws(event, state),
        ...effectLaw(event, { state, mayHaveHappened }),
      );
    }
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
  if (task?.status !== 'running' || task.attempts !== attempt)
    return [`L3: ${event.type} of ${id}#${attempt}, which is not running`];
  const wasMade = event.type === 'task_succeeded' || event.type === 'task_in_doubt';
  if (!wasMade || !needsApproval(task, state.settings)) return [];
  return [`L9: ${id} was called and nobody had approved it`];
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
      return event.data.question.kind === 'ambiguity' ? event.data.question.task : undefined;
    case 'question_answered': {
      const question = state.questions.get(event.data.question)?.question;
      return question?.kind === 'in_doubt' && event.data.answer === 'again' ? question.task : undefined;
    }
    default:
      return undefined;
  }
}

function questionLaws(event: Event, state: RunState): string[] {
  if (event.type === 'question_asked') {
    const { id } = event.data.question;
    return state.questions.has(id) ? [`L6: ${id} was asked twice`] : [];
  }
  if (event.type !== 'question_answered') return [];
  const open = state.questions.get(event.data.question);
  if (open === undefined) return [`L6: ${event.data.question} was answered and never asked`];
  return open.answer === undefined ? [] : [`L6: ${event.data.question} was answered twice`];
}
