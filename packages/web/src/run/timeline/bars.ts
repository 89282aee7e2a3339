import type { Event } from '#dandori/model/event.ts';
import { type FactHandlers, handleFact } from '#dandori/model/event-kinds.ts';

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
    const ending = handleFact(event, ENDINGS);
    const ended = open.get(ending?.key ?? '');
    if (ending !== undefined && ended !== undefined) {
      open.delete(ending.key);
      ended.end = Math.max(event.at, ended.start);
      ended.how = ending.how;
      // A prefetched read started before its task.
      ended.start = Math.min(ended.start, ended.end - (ending.ms ?? 0));
      if (ended.task === undefined) lastWord = ended;
    }
    const opening = handleFact(event, OPENINGS);
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

const OPENINGS: FactHandlers<Opening> = {
  decision_started: ({ data }) => ({ kind: 'decision', task: undefined, which: data.decision }),
  task_started: ({ data }) => ({ kind: 'attempt', task: data.task, which: data.attempt }),
  probe_started: ({ data }) => ({ kind: 'probe', task: data.task, which: data.attempt }),
  question_asked: ({ data: { question } }) => ({ kind: 'wait', task: question.task, which: question.id }),
};

const decisionLost = (): Ending => ({ key: 'decision', how: 'lost' });

const ENDINGS: FactHandlers<Ending | undefined> = {
  decision_made: () => ({ key: 'decision', how: 'succeeded' }),
  decision_failed: () => ({ key: 'decision', how: 'failed' }),
  run_resumed: decisionLost,
  run_finished: decisionLost,
  task_succeeded: ({ data: { task, ms } }) => ({ key: `attempt ${task}`, how: 'succeeded', ms }),
  task_failed: ({ data: { task, ms } }) => ({ key: `attempt ${task}`, how: 'failed', ms }),
  task_in_doubt: ({ data }) => ({ key: `attempt ${data.task}`, how: 'in_doubt' }),
  probe_ended: ({ data: { task, found } }) => ({
    key: `probe ${task}`,
    how: found === 'unknown' ? 'failed' : 'succeeded',
  }),
  question_asked: ({ data: { held, question } }) =>
    // A held call continues while the question is open.
    held === true ? undefined : { key: `attempt ${question.task}`, how: 'asked' },
  question_answered: ({ data }) => ({ key: `wait ${data.question}`, how: 'succeeded' }),
  question_expired: ({ data }) => ({ key: `wait ${data.question}`, how: 'failed' }),
};
