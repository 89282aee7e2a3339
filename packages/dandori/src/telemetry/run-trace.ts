import type { Usage } from '../model/decision.ts';
import type { Event, FactOf } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';
import type { Task } from '../model/task.ts';
import { type Attributes, type Span, type SpanEvent, spanIdOf, traceIdOf } from './export.ts';
import {
  type AttemptEnd,
  attemptName,
  attemptSpan,
  contentText,
  decisionSpan,
  previewSpan,
  probeSpan,
  runSpan,
} from './run-spans.ts';

/**
 * A run as a trace: a fold of its events that emits each span when it has ended.
 *
 * R1  Everything comes from the journal, so a driver that resumes the run continues the same trace.
 * R2  What people, models and tools said is included only if `content` is on. The kind of an error is always
 *     included.
 */
export interface RunTrace {
  take(event: Event): Span[];
}

export function createRunTrace(run: string, { content }: { readonly content: boolean }): RunTrace {
  return new FoldedTrace(run, content);
}

/** The default limit of OpenTelemetry. */
const MOST_EVENTS = 128;

interface Attempt {
  readonly args: FactOf<'task_started'>['data']['args'];
  readonly at: number;
}

/** An exhausted run can be continued, and then counts as invoked again. */
interface Life {
  readonly number: number;
  begunAt: number | undefined;
  hasEnded: boolean;
  readonly usage: { inputTokens: number; outputTokens: number; cost: number };
  readonly events: SpanEvent[];
  droppedEvents: number;
}

class FoldedTrace implements RunTrace {
  readonly #run: string;
  readonly #traceId: string;
  readonly #content: boolean;
  readonly #tasks = new Map<string, Task>();
  readonly #effects = new Map<string, string>();
  readonly #attempts = new Map<string, Attempt>();
  readonly #purposes = new Map<number, string>();
  /** The operations of the probes under way. */
  readonly #probes = new Map<string, string>();
  #started: FactOf<'run_started'>['data'] | undefined;
  #life = newLife(1);

  constructor(run: string, content: boolean) {
    this.#run = run;
    this.#traceId = traceIdOf(run);
    this.#content = content;
  }

  take(event: Event): Span[] {
    if (event.type === 'run_rated') return [];
    if (this.#life.hasEnded) this.#life = newLife(this.#life.number + 1);
    if (this.#isOwn(event)) {
      this.#life.begunAt ??= event.at;
      this.#mention(event);
    }
    handleFact(event, this.#remembered);
    return handleFact(event, this.#ended) ?? [];
  }

  /** What the spans of later events need. */
  readonly #remembered: FactHandlers<void> = {
    run_started: ({ data, at }) => {
      this.#started = data;
      if (data.forkedFrom === undefined) this.#life.begunAt = at;
    },
    plan_proposed: ({ data }) => this.#addTasks(data.tasks),
    plan_revised: ({ data }) => this.#addTasks(data.tasks),
    plan_approved: ({ data }) => {
      for (const { id, effect } of data.tasks) this.#effects.set(id, effect);
    },
    decision_started: ({ data }) => void this.#purposes.set(data.decision, data.purpose),
    task_started: ({ data, at }) => void this.#attempts.set(attemptName(data), { args: data.args, at }),
    probe_started: ({ data }) => void this.#probes.set(attemptName(data), data.operation),
  };

  readonly #ended: FactHandlers<Span[]> = {
    decision_made: (event) => this.#decision(event),
    decision_failed: (event) => this.#decision(event),
    task_succeeded: (event) => {
      const { result, blob } = event.data;
      return this.#attempt(event, { result: blob === undefined ? contentText(result) : blob.head });
    },
    task_failed: (event) => this.#attempt(event, { failure: event.data.failure }),
    task_in_doubt: (event) => {
      const { cause, message = cause } = event.data;
      return this.#attempt(event, { failure: { kind: 'in_doubt', message }, cause });
    },
    question_asked: ({ at, data: { attempt, held, question } }) => {
      if (attempt === undefined || held === true || question.task === undefined) return [];
      return this.#attempt({ at, data: { task: question.task, attempt } }, { outcome: 'asked' });
    },
    probe_ended: (event) => {
      const operation = this.#probes.get(attemptName(event.data)) ?? 'unknown';
      return [{ ...this.#place(`probe ${attemptName(event.data)}`), ...probeSpan(event, operation) }];
    },
    preview_ended: (event) => {
      const operation = this.#tasks.get(event.data.task)?.operation ?? 'unknown';
      return [{ ...this.#place(`preview ${event.data.task} ${event.at}`), ...previewSpan(event, operation) }];
    },
    run_finished: (event) => [this.#runEnded(event)],
  };

  #addTasks(tasks: readonly Task[]): void {
    for (const task of tasks) this.#tasks.set(task.id, task);
  }

  /** The past of a fork belongs to the other run, and is in that run's trace. */
  #isOwn({ seq, type }: Event): boolean {
    return type !== 'run_started' && seq > (this.#started?.forkedFrom?.seq ?? 0);
  }

  /** Adds events about the run as a whole to its span, under their names in the journal. */
  #mention(event: Event): void {
    const attributes = handleFact(event, MENTIONED);
    if (attributes === undefined) return;
    const { events } = this.#life;
    if (events.length < MOST_EVENTS) events.push({ name: `dandori.${event.type}`, at: event.at, attributes });
    else this.#life.droppedEvents++;
  }

  #place(name: string): Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'> {
    return {
      traceId: this.#traceId,
      spanId: spanIdOf(this.#run, name),
      parentSpanId: spanIdOf(this.#run, `life ${this.#life.number}`),
    };
  }

  #decision(event: Extract<Event, { type: 'decision_made' | 'decision_failed' }>): Span[] {
    const { decision, usage } = event.data;
    if (this.#isOwn(event)) this.#count(usage);
    const about = { content: this.#content, purpose: this.#purposes.get(decision) };
    return [{ ...this.#place(`decision ${decision}`), ...decisionSpan(event, about) }];
  }

  #count(used: Usage | undefined): void {
    const { usage } = this.#life;
    usage.inputTokens += used?.inputTokens ?? 0;
    usage.outputTokens += used?.outputTokens ?? 0;
    usage.cost += used?.cost ?? 0;
  }

  #attempt(
    { at, data }: { readonly at: number; readonly data: { task: string; attempt: number; ms?: number } },
    how: AttemptEnd,
  ): Span[] {
    const name = attemptName(data);
    const begun = this.#attempts.get(name);
    const task = this.#tasks.get(data.task);
    this.#attempts.delete(name);
    if (task === undefined || begun === undefined) return [];
    const span = attemptSpan(
      {
        task,
        attempt: data.attempt,
        args: begun.args,
        effect: this.#effects.get(task.id),
        start: data.ms === undefined ? begun.at : at - data.ms,
        end: at,
        content: this.#content,
      },
      how,
    );
    return [{ ...this.#place(`attempt ${name}`), ...span }];
  }

  #runEnded(event: Event & { type: 'run_finished' }): Span {
    this.#attempts.clear();
    const life = this.#life;
    life.hasEnded = true;
    const from = this.#started?.forkedFrom?.run;
    return {
      traceId: this.#traceId,
      spanId: spanIdOf(this.#run, `life ${life.number}`),
      ...runSpan(event, { ...life, started: this.#started, content: this.#content }),
      events: life.events,
      ...(life.droppedEvents > 0 && { droppedEvents: life.droppedEvents }),
      ...(from !== undefined && {
        links: [{ traceId: traceIdOf(from), spanId: spanIdOf(from, 'life 1') }],
      }),
    };
  }
}

function newLife(number: number): Life {
  return {
    number,
    begunAt: undefined,
    hasEnded: false,
    usage: { inputTokens: 0, outputTokens: 0, cost: 0 },
    events: [],
    droppedEvents: 0,
  };
}

const nothing = (): Attributes => ({});
const draftAttributes = ({ data }: Event & { type: 'plan_proposed' | 'plan_revised' }): Attributes => ({
  'dandori.plan.version': data.version,
  'dandori.plan.by': data.by,
  'dandori.plan.tasks': data.tasks.length,
});

/** The events that are shown on the run's span. Others have their own span. Never contains content. */
const MENTIONED: FactHandlers<Attributes | undefined> = {
  run_resumed: nothing,
  run_paused: nothing,
  run_continued: nothing,
  note_added: nothing,
  cancel_requested: nothing,
  budget_added: nothing,
  plan_proposed: draftAttributes,
  plan_revised: draftAttributes,
  plan_approved: ({ data }) => ({ 'dandori.plan.version': data.version }),
  plan_rejected: ({ data: { version, diagnostics } }) => ({
    'dandori.plan.version': version,
    'dandori.diagnostics': [...new Set(diagnostics.map(({ code }) => code))].join(' '),
  }),
  reflection_made: ({ data }) => ({ 'dandori.decision': data.decision }),
  // Only a second attempt is worth an event on the run's span.
  task_started: ({ data: { task, attempt } }) =>
    attempt < 2 ? undefined : { 'dandori.task': task, 'dandori.attempt': attempt },
  question_asked: ({ data: { question } }) => ({
    'dandori.question': question.id,
    'dandori.question.kind': question.kind,
    'dandori.task': question.task,
  }),
  question_answered: ({ data }) => ({
    'dandori.question': data.question,
    'dandori.declined': data.declined,
  }),
  question_expired: ({ data }) => ({ 'dandori.question': data.question, 'dandori.as': data.as }),
  limit_reached: ({ data }) => ({ 'dandori.limit': data.limit }),
};
