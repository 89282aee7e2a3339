import type { Event, FactOf } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import { stringifyJson } from '../model/json.ts';
import type { Task } from '../model/task.ts';
import { clip } from '../model/text.ts';
import type { Attributes, Span } from './export.ts';

/** A span without its place in the trace. */
type SpanBody = Omit<Span, 'traceId' | 'spanId' | 'parentSpanId'>;
type EventOf<Type extends Event['type']> = Extract<Event, { type: Type }>;

/** What people, models and tools said is included only if it is on. */
interface Showing {
  readonly content: boolean;
}

export function decisionSpan(
  event: EventOf<'decision_made' | 'decision_failed'>,
  { content, purpose }: Showing & { readonly purpose: string | undefined },
): SpanBody {
  const { decision, model, usage, ms } = event.data;
  const failure = event.type === 'decision_failed' ? event.data.failure : undefined;
  // A decision without a model is not a model call.
  const asked = model === undefined ? {} : { 'gen_ai.operation.name': 'chat', ...modelIn(model) };
  return {
    name: model === undefined ? 'decide' : `chat ${modelIn(model)['gen_ai.request.model']}`,
    kind: model === undefined ? 'internal' : 'client',
    start: event.at - ms,
    end: event.at,
    attributes: {
      ...asked,
      'gen_ai.usage.input_tokens': usage?.inputTokens,
      'gen_ai.usage.output_tokens': usage?.outputTokens,
      'gen_ai.usage.cache_read.input_tokens': usage?.cachedInputTokens,
      'dandori.usage.estimated': usage?.estimated,
      'dandori.cost_dollars': usage?.cost,
      'dandori.decision': decision,
      'dandori.purpose': purpose,
      'error.type': failure?.kind,
      ...(content && event.type === 'decision_made' && decisionContent(event.data)),
    },
    ...errorOf(failure, content),
  };
}

/** How an attempt ended. */
export interface AttemptEnd {
  readonly failure?: Pick<Failure, 'message'> & { kind: string };
  readonly result?: string | undefined;
  readonly cause?: string;
  readonly outcome?: string;
}

interface Attempted extends Showing {
  readonly task: Task;
  readonly attempt: number;
  readonly args: unknown;
  readonly effect: string | undefined;
  readonly start: number;
  readonly end: number;
}

export function attemptSpan(
  { task, attempt, args, effect, start, end, content }: Attempted,
  { failure, result, cause, outcome }: AttemptEnd,
): SpanBody {
  return {
    name: `execute_tool ${task.operation}`,
    kind: 'internal',
    start,
    end,
    attributes: {
      ...toolAttributes(task.operation, attemptName({ task: task.id, attempt })),
      'dandori.task': task.id,
      'dandori.attempt': attempt,
      'dandori.effect': effect,
      'dandori.outcome': outcome,
      'dandori.in_doubt.cause': cause,
      'error.type': failure?.kind,
      ...(content && {
        'gen_ai.tool.call.arguments': contentText(args ?? task.args),
        'gen_ai.tool.call.result': result,
      }),
    },
    ...errorOf(failure, content),
  };
}

export function probeSpan({ at, data }: EventOf<'probe_ended'>, operation: string): SpanBody {
  return {
    name: `execute_tool ${operation}`,
    kind: 'internal',
    start: at - data.ms,
    end: at,
    attributes: {
      ...toolAttributes(operation, `${attemptName(data)} probe`),
      'dandori.task': data.task,
      'dandori.attempt': data.attempt,
      'dandori.effect': 'read',
      'dandori.probe.found': data.found,
    },
  };
}

export function previewSpan({ at, data }: EventOf<'preview_ended'>, operation: string): SpanBody {
  return {
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

interface Lived extends Showing {
  readonly started: FactOf<'run_started'>['data'] | undefined;
  readonly begunAt: number | undefined;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cost: number };
}

export function runSpan(
  { run, at, data }: EventOf<'run_finished'>,
  { started, begunAt, usage, content }: Lived,
): SpanBody {
  const { outcome, failure, limit } = data;
  const isError = outcome === 'failed' || outcome === 'exhausted';
  const why = failure ?? { kind: outcome, message: limit ?? outcome };
  return {
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
    ...(isError && errorOf(why, content)),
  };
}

/** A message may quote a tool or a model, so it counts as content. */
function errorOf(failure: { readonly message: string } | undefined, content: boolean): Pick<Span, 'error'> {
  if (failure === undefined) return {};
  return { error: content ? { message: failure.message } : {} };
}

export function attemptName({ task, attempt }: { readonly task: string; readonly attempt: number }): string {
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
    arguments: contentText(args),
  }));
  const thoughts = reasoning === undefined ? [] : [{ type: 'reasoning', content: cut(reasoning) }];
  const parts = [...thoughts, ...calls];
  if (parts.length === 0) return {};
  return { 'gen_ai.output.messages': stringifyJson([{ role: 'assistant', parts, finish_reason: 'stop' }]) };
}

export function contentText(value: unknown): string | undefined {
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
