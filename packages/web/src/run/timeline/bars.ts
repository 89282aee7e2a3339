import { assertNever } from '#dandori/model/error.ts';
import type { Event } from '#dandori/model/event.ts';

/**
 * A period of time: an attempt of a task, an outcome check, a decision, the wait for an answer (of a task or of the
 * whole run), or the wait for a free slot while the concurrency limit was reached.
 */
export interface Bar {
  readonly id: string;
  readonly kind: 'attempt' | 'probe' | 'decision' | 'wait' | 'slot';
  /** Undefined for decisions and for questions of the whole run. */
  readonly task: string | undefined;
  /** The number of the attempt or decision, or the id of the question. */
  readonly which: number | string;
  readonly start: number;
  /** Undefined while it is running. */
  readonly end: number | undefined;
  readonly how: 'open' | 'succeeded' | 'failed' | 'in_doubt' | 'asked' | 'lost';
}

export interface Bars {
  /** By start. */
  readonly bars: readonly Bar[];
  /** By task: the decision or answer that it comes from. */
  readonly origins: ReadonlyMap<string, Bar>;
  /** By task: when its plan was approved. */
  readonly accepted: ReadonlyMap<string, number>;
}

type Opened = { -readonly [Key in keyof Bar]: Bar[Key] };
type Opening = Pick<Bar, 'kind' | 'task' | 'which'>;

/** At any time a task has one attempt and one probe, and a run has one decision. */
interface Ending {
  readonly key: string;
  readonly how: Bar['how'];
  readonly ms?: number;
}

export function barsOf(events: readonly Event[]): Bars {
  const bars: Opened[] = [];
  const open = new Map<string, Opened>();
  const origins = new Map<string, Bar>();
  const accepted = new Map<string, number>();
  /** The last decision or answer of the whole run that has ended. */
  let lastWord: Bar | undefined;
  for (const event of events) {
    const ending = endingBy(event);
    const ended = open.get(ending?.key ?? '');
    if (ending !== undefined && ended !== undefined) {
      open.delete(ending.key);
      ended.end = Math.max(event.at, ended.start);
      ended.how = ending.how;
      // A prefetched read started before its task.
      ended.start = Math.min(ended.start, ended.end - (ending.ms ?? 0));
      if (ended.task === undefined) lastWord = ended;
    }
    const opening = openingBy(event);
    if (opening !== undefined) {
      const id = [opening.kind, opening.task ?? 'run', opening.which].join(' ');
      const bar: Opened = { ...opening, id, start: event.at, end: undefined, how: 'open' };
      open.set(keyOf(opening), bar);
      bars.push(bar);
    }
    if (event.type !== 'plan_approved') continue;
    for (const { id } of event.data.tasks) {
      accepted.set(id, event.at);
      if (lastWord !== undefined) origins.set(id, lastWord);
    }
  }
  return { bars: bars.sort((a, b) => a.start - b.start), origins, accepted };
}

function keyOf({ kind, task, which }: Opening): string {
  if (kind === 'decision') return kind;
  return kind === 'wait' ? `wait ${which}` : `${kind} ${task}`;
}

function openingBy(event: Event): Opening | undefined {
  switch (event.type) {
    case 'decision_started':
      return { kind: 'decision', task: undefined, which: event.data.decision };
    case 'task_started':
      return { kind: 'attempt', task: event.data.task, which: event.data.attempt };
    case 'probe_started':
      return { kind: 'probe', task: event.data.task, which: event.data.attempt };
    case 'question_asked':
      return { kind: 'wait', task: event.data.question.task, which: event.data.question.id };
    case 'run_started':
    case 'run_resumed':
    case 'decision_made':
    case 'decision_failed':
    case 'reflection_made':
    case 'plan_proposed':
    case 'plan_revised':
    case 'plan_approved':
    case 'plan_rejected':
    case 'task_succeeded':
    case 'task_failed':
    case 'task_in_doubt':
    case 'inner_call_started':
    case 'inner_call_ended':
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
      return assertNever(event);
  }
}

function endingBy(event: Event): Ending | undefined {
  switch (event.type) {
    case 'decision_made':
      return { key: 'decision', how: 'succeeded' };
    case 'decision_failed':
      return { key: 'decision', how: 'failed' };
    case 'run_resumed':
    case 'run_finished':
      return { key: 'decision', how: 'lost' };
    case 'task_succeeded':
      return { key: `attempt ${event.data.task}`, how: 'succeeded', ms: event.data.ms };
    case 'task_failed':
      return { key: `attempt ${event.data.task}`, how: 'failed', ms: event.data.ms };
    case 'task_in_doubt':
      return { key: `attempt ${event.data.task}`, how: 'in_doubt' };
    case 'probe_ended':
      return {
        key: `probe ${event.data.task}`,
        how: event.data.found === 'unknown' ? 'failed' : 'succeeded',
      };
    case 'question_asked':
      // A held call continues while the question is open.
      return event.data.held === true
        ? undefined
        : { key: `attempt ${event.data.question.task}`, how: 'asked' };
    case 'question_answered':
      return { key: `wait ${event.data.question}`, how: 'succeeded' };
    case 'question_expired':
      return { key: `wait ${event.data.question}`, how: 'failed' };
    case 'run_started':
    case 'decision_started':
    case 'reflection_made':
    case 'plan_proposed':
    case 'plan_revised':
    case 'plan_approved':
    case 'plan_rejected':
    case 'task_started':
    case 'inner_call_started':
    case 'inner_call_ended':
    case 'probe_started':
    case 'hold_ended':
    case 'answer_applied':
    case 'note_added':
    case 'run_paused':
    case 'run_continued':
    case 'limit_reached':
    case 'budget_added':
    case 'cancel_requested':
    case 'run_rated':
      return undefined;
    default:
      return assertNever(event);
  }
}
