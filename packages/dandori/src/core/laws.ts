import type { Event } from '../domain/event.ts';
import { isRepeatable } from '../domain/effect.ts';
import { apply } from './apply.ts';
import type { RunState } from './state.ts';

/**
 * Predicates of every legal journal. Each returns what is broken; an empty list means that the law holds.
 *
 * L1  seq counts from 1 without a gap, the run is the same in all, and run_started comes first and once.
 * L2  Nothing happens after run_finished.
 * L3  An attempt begins once, and ends at most once; an attempt is over before the next of its task begins.
 * L4  No task starts before everything that it needs has succeeded and everything that it waits for has ended.
 * L5  No effect twice: a call that is neither a read nor idempotent starts again only after a failure that
 *     says it did not happen, or after a person said so.
 * L6  A question is answered at most once, and only after it was asked.
 * L7  No task starts after a cancel request.
 */
export function brokenLaws(events: readonly Event[]): string[] {
  const broken: string[] = [];
  let state: RunState | undefined;
  for (const [index, event] of events.entries()) {
    broken.push(...envelopeLaws(event, { index, first: events[0], state }));
    if (state !== undefined) broken.push(...taskLaws(event, state), ...questionLaws(event, state));
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
  if (state?.end !== undefined) broken.push(`L2: ${event.type} (seq ${event.seq}) after run_finished`);
  return broken;
}

function taskLaws(event: Event, state: RunState): string[] {
  switch (event.type) {
    case 'task_started':
      return startLaws(event, state);
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt': {
      const task = state.tasks.get(event.data.task);
      const isRunning = task?.status === 'running' && task.attempts === event.data.attempt;
      return isRunning ? [] : [`L3: ${event.type} of ${event.data.task}#${event.data.attempt}, which is not running`];
    }
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
  if (task.status !== 'ready' && task.status !== 'retrying') broken.push(`L4: ${id} started while ${task.status}`);
  const isUnsafe = attempt > 1 && !isRepeatable(task.effect) && task.status === 'retrying';
  if (isUnsafe && task.failure?.kind !== 'unavailable') broken.push(`L5: ${task.effect} ${id} was sent again`);
  if (state.cancel !== undefined) broken.push(`L7: ${id} started after the cancel request`);
  return broken;
}

function questionLaws(event: Event, state: RunState): string[] {
  if (event.type !== 'question_answered') return [];
  const open = state.questions.get(event.data.question);
  if (open === undefined) return [`L6: ${event.data.question} was answered and never asked`];
  return open.answer === undefined ? [] : [`L6: ${event.data.question} was answered twice`];
}
