import type { Usage } from '../model/decision.ts';
import type { Event, FactOf } from '../model/event.ts';
import { type FactHandlers, handleFact } from '../model/event-kinds.ts';
import type { Failure } from '../model/failure.ts';
import { stringifyJson } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import { clip } from '../model/text.ts';
import { type Attributes, type Span, type SpanEvent, spanIdOf, traceIdOf } from './export.ts';

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

/** The default limit of OpenTelemetry. */
const MOST_EVENTS = 128;

interface Attempt {
  readonly args: FactOf<'task_started'>['data']['args'];
  readonly at: number;
}

export function createRunTrace(run: string, { content }: { readonly content: boolean }): RunTrace {
  const traceId = traceIdOf(run);
  const tasks = new Map<string, Task>();
  const effects = new Map<string, string>();
  const attempts = new Map<string, Attempt>();
  const purposes = new Map<number, string>();
  const probes = new Map<string, string>();
  let started: FactOf<'run_started'>['data'] | undefined;
  /** An exhausted run can be continued, and then counts as invoked again. */
  let life = 1;
  let begunAt: number | undefined;
  let hasEnded = false;
  let usage = { inputTokens: 0, outputTokens: 0, cost: 0 };
  let told: SpanEvent[] = [];
  let droppedEvents = 0;

  function take(event: Event): Span[] {
    if (event.type === 'run_rated') return [];
    if (hasEnded) beginAgain();
    if (isOwn(event)) {
      begunAt ??= event.at;
      mention(event);
    }
    return handleFact(event, spans) ?? [];
  }

  const taskSpecs = ({ data }: Event & { type: 'plan_proposed' | 'plan_revised' }): Span[] => {
    for (const task of data.tasks) tasks.set(task.id, task);
    return [];
  };
  const decided = (event: Event & { type: 'decision_made' | 'decision_failed' }) => [decision(event)];

  const spans: FactHandlers<Span[]> = {
    run_started({ data, at }) {
      started = data;
      if (data.forkedFrom === undefined) begunAt = at;
      return [];
    },
    plan_proposed: taskSpecs,
    plan_revised: taskSpecs,
    plan_approved({ data }) {
      for (const { id, effect } of data.tasks) effects.set(id, effect);
      return [];
    },
    decision_started({ data }) {
      purposes.set(data.decision, data.purpose);
      return [];
    },
    decision_made: decided,
    decision_failed: decided,
    task_started({ data, at }) {
      attempts.set(nameOf(data), { args: data.args, at });
      return [];
    },
    task_succeeded(event) {
      const { result, blob } = event.data;
      return attemptEnded(event, { result: blob === undefined ? text(result) : blob.head });
    },
    task_failed: (event) => attemptEnded(event, { failure: event.data.failure }),
    task_in_doubt(event) {
      const { cause, message = cause } = event.data;
      return attemptEnded(event, { failure: { kind: 'in_doubt', message }, cause });
    },
    question_asked({ at, data: { attempt, held, question } }) {
      if (attempt === undefined || held === true || question.task === undefined) return [];
      return attemptEnded({ at, data: { task: question.task, attempt } }, { outcome: 'asked' });
    },
    probe_started({ data }) {
      probes.set(nameOf(data), data.operation);
      return [];
    },
    probe_ended: (event) => [probe(event)],
    preview_ended: (event) => [preview(event)],
    run_finished: (event) => [runEnded(event)],
  };

  /** The past of a fork belongs to the other run, and is in that run's trace. */
  function isOwn({ seq, type }: Event): boolean {
    return type !== 'run_started' && seq > (started?.forkedFrom?.seq ?? 0);
  }

  function beginAgain(): void {
    hasEnded = false;
    life++;
    begunAt = undefined;
    usage = { inputTokens: 0, outputTokens: 0, cost: 0 };
    told = [];
    droppedEvents = 0;
  }

  /** Adds events about the run as a whole to its span, under their names in the journal. */
  function mention(event: Event): void {
    const attributes = handleFact(event, MENTIONED);
    if (attributes === undefined) return;
    if (told.length < MOST_EVENTS) told.push({ name: `dandori.${event.type}`, at: event.at, attributes });
    else droppedEvents++;
  }

  function part(name: string): Pick<Span, 'traceId' | 'spanId' | 'parentSpanId'> {
    return { traceId, spanId: spanIdOf(run, name), parentSpanId: spanIdOf(run, `life ${life}`) };
  }

  function decision(event: Extract<Event, { type: 'decision_made' | 'decision_failed' }>): Span {
    const { decision: number, model, usage: used, ms } = event.data;
    const failure = event.type === 'decision_failed' ? event.data.failure : undefined;
    if (isOwn(event)) count(used);
    // A decision without a model is not a model call.
    const asked = model === undefined ? {} : { 'gen_ai.operation.name': 'chat', ...modelIn(model) };
    return {
      ...part(`decision ${number}`),
      name: model === undefined ? 'decide' : `chat ${modelIn(model)['gen_ai.request.model']}`,
      kind: model === undefined ? 'internal' : 'client',
      start: event.at - ms,
      end: event.at,
      attributes: {
        ...asked,
        'gen_ai.usage.input_tokens': used?.inputTokens,
        'gen_ai.usage.output_tokens': used?.outputTokens,
        'gen_ai.usage.cache_read.input_tokens': used?.cachedInputTokens,
        'dandori.usage.estimated': used?.estimated,
        'dandori.cost_dollars': used?.cost,
        'dandori.decision': number,
        'dandori.purpose': purposes.get(number),
        'error.type': failure?.kind,
        ...(content && event.type === 'decision_made' && decisionContent(event.data)),
      },
      ...errorOf(failure),
    };
  }

  function count(used: Usage | undefined): void {
    usage.inputTokens += used?.inputTokens ?? 0;
    usage.outputTokens += used?.outputTokens ?? 0;
    usage.cost += used?.cost ?? 0;
  }

  function attemptEnded(
    event: { readonly at: number; readonly data: { task: string; attempt: number; ms?: number } },
    how: {
      readonly failure?: Pick<Failure, 'message'> & { kind: string };
      readonly result?: string | undefined;
      readonly cause?: string;
      readonly outcome?: string;
    },
  ): Span[] {
    const { task: id, attempt: number, ms } = event.data;
    const attempt = attempts.get(nameOf(event.data));
    const task = tasks.get(id);
    attempts.delete(nameOf(event.data));
    if (task === undefined || attempt === undefined) return [];
    return [
      {
        ...part(`attempt ${nameOf(event.data)}`),
        name: `execute_tool ${task.operation}`,
        kind: 'internal',
        start: ms === undefined ? attempt.at : event.at - ms,
        end: event.at,
        attributes: {
          ...toolAttributes(task.operation, nameOf(event.data)),
          'dandori.task': id,
          'dandori.attempt': number,
          'dandori.effect': effects.get(id),
          'dandori.outcome': how.outcome,
          'dandori.in_doubt.cause': how.cause,
          'error.type': how.failure?.kind,
          ...(content && {
            'gen_ai.tool.call.arguments': text(attempt.args ?? task.args),
            'gen_ai.tool.call.result': how.result,
          }),
        },
        ...errorOf(how.failure),
      },
    ];
  }

  function probe({ at, data }: Extract<Event, { type: 'probe_ended' }>): Span {
    const operation = probes.get(nameOf(data)) ?? 'unknown';
    return {
      ...part(`probe ${nameOf(data)}`),
      name: `execute_tool ${operation}`,
      kind: 'internal',
      start: at - data.ms,
      end: at,
      attributes: {
        ...toolAttributes(operation, `${nameOf(data)} probe`),
        'dandori.task': data.task,
        'dandori.attempt': data.attempt,
        'dandori.effect': 'read',
        'dandori.probe.found': data.found,
      },
    };
  }

  function preview({ at, data }: Extract<Event, { type: 'preview_ended' }>): Span {
    const operation = tasks.get(data.task)?.operation ?? 'unknown';
    return {
      ...part(`preview ${data.task} ${at}`),
      name: `execute_tool ${operation}`,
      kind: 'internal',
      start: at - data.ms,
      end: at,
      attributes: {
        ...toolAttributes(operation, `${data.task} preview`),
        'dandori.task': data.task,
        'dandori.effect': 'read',
      },
    };
  }

  function runEnded({ at, data }: Extract<Event, { type: 'run_finished' }>): Span {
    hasEnded = true;
    attempts.clear();
    const { outcome, failure, limit } = data;
    const isError = outcome === 'failed' || outcome === 'exhausted';
    const why = failure ?? { kind: outcome, message: limit ?? outcome };
    const from = started?.forkedFrom?.run;
    return {
      traceId,
      spanId: spanIdOf(run, `life ${life}`),
      name: 'invoke_agent dandori',
      kind: 'internal',
      start: begunAt ?? at,
      end: at,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'dandori',
        ...modelIn(started?.mind ?? 'unknown'),
        'gen_ai.conversation.id': started?.conversation,
        'gen_ai.usage.input_tokens': usage.inputTokens,
        'gen_ai.usage.output_tokens': usage.outputTokens,
        'dandori.cost_dollars': usage.cost > 0 ? usage.cost : undefined,
        'dandori.run': run,
        'dandori.mode': started?.settings.mode,
        'dandori.outcome': outcome,
        'dandori.limit': limit,
        'user.id': started?.userId,
        'error.type': isError ? why.kind : undefined,
        ...(content && agentContent(started?.goal, data.answer)),
      },
      events: told,
      ...(droppedEvents > 0 && { droppedEvents }),
      ...(from !== undefined && {
        links: [{ traceId: traceIdOf(from), spanId: spanIdOf(from, 'life 1') }],
      }),
      ...(isError && errorOf(why)),
    };
  }

  /** A message may quote a tool or a model, so it counts as content. */
  function errorOf(failure: { readonly message: string } | undefined): Pick<Span, 'error'> {
    if (failure === undefined) return {};
    return { error: content ? { message: failure.message } : {} };
  }

  return { take };
}

function nameOf({ task, attempt }: { readonly task: string; readonly attempt: number }): string {
  return `${task}#${attempt}`;
}

function toolAttributes(operation: string, call: string): Attributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': operation,
    'gen_ai.tool.call.id': call,
  };
}

/** Providers that the conventions name differently from our configuration. */
const PROVIDERS: Readonly<Record<string, string>> = { google: 'gcp.gemini' };

/** `openai/gpt-5-mini`; a mind without a model is its own provider. */
function modelIn(name: string): Attributes {
  const slash = name.indexOf('/');
  if (slash < 0) return { 'gen_ai.provider.name': `dandori.${name}` };
  const provider = name.slice(0, slash);
  return {
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': name.slice(slash + 1),
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

/** Longer texts are cut. The journal has the whole text. */
const LONGEST = 10_000;

/** The content in the form of the GenAI conventions. */
function agentContent(goal: string | undefined, answer: string | undefined): Attributes {
  return {
    'gen_ai.input.messages': messages('user', goal),
    'gen_ai.output.messages': messages('assistant', answer),
  };
}

/** The prompt is not included: it is built from the journal for each call, and is not stored there. */
function decisionContent({ reasoning, operations }: FactOf<'decision_made'>['data']): Attributes {
  const calls = (operations ?? []).map(({ id, operation, args }) => ({
    type: 'tool_call',
    id,
    name: operation,
    arguments: text(args),
  }));
  const thoughts = reasoning === undefined ? [] : [{ type: 'reasoning', content: cut(reasoning) }];
  const parts = [...thoughts, ...calls];
  if (parts.length === 0) return {};
  return { 'gen_ai.output.messages': stringifyJson([{ role: 'assistant', parts, finish_reason: 'stop' }]) };
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : cut(stringifyJson(value));
}

function messages(role: 'user' | 'assistant', said: string | undefined): string | undefined {
  if (said === undefined) return undefined;
  const message = { role, parts: [{ type: 'text', content: cut(said) }] };
  return stringifyJson([role === 'assistant' ? { ...message, finish_reason: 'stop' } : message]);
}

function cut(said: string): string {
  return clip(said, LONGEST).toWellFormed();
}
