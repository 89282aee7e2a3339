import type { AnthropicProvider } from '@ai-sdk/anthropic';
import { hugeIn, withTextIntegers } from '../../../model/json/huge-ints.ts';
import { type Json, stringifyJson } from '../../../model/json.ts';
import type { ShownFile } from '../../mind.ts';
import type { AiModel } from '../options.ts';
import type {
  AssistantPart,
  FinishReason,
  ModelMessage,
  ModelRequest,
  Part,
  ReportedUsage,
  Wire,
} from './wire.ts';

type SdkModel = ReturnType<AnthropicProvider['chat']>;
type CallOptions = Parameters<SdkModel['doStream']>[0];
type Prompt = CallOptions['prompt'];
type StreamPart =
  Awaited<ReturnType<SdkModel['doStream']>>['stream'] extends ReadableStream<infer T> ? T : never;

/** By the name of the provider. */
export type ProviderOptions = Record<string, Record<string, string | boolean | { type: string }>>;
type FinishPart = Extract<StreamPart, { type: 'finish' }>;

/**
 * A model of the AI SDK, called directly. The SDK's `streamText` would take more time than the call itself, for
 * loops and retries that we don't use.
 */
export function openProvider(given: AiModel, providerOptions: ProviderOptions): Wire {
  const model = given as SdkModel;
  // Anthropic and Google require objects as arguments.
  const wantsObjects = !('openai' in providerOptions);
  const isTagged = !['v2', 'v3'].includes(String(Reflect.get(model, 'specificationVersion')));
  const inputOf = 'google' in providerOptions ? parsedInput : writtenInput;
  return {
    async send(request, { stop, onPart }) {
      const options = toOptions(request, { wantsObjects, isTagged });
      const { stream } = await model.doStream({ ...options, abortSignal: stop.signal, providerOptions });
      const reader = stream.getReader();
      /** The arguments of each call, as the model wrote them. */
      const texts = new Map<string, string>();
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) {
          const part = toPart(read.value);
          if (part?.type === 'call-piece') texts.set(part.id, (texts.get(part.id) ?? '') + part.text);
          if (part?.type === 'call') onPart({ ...part, input: inputOf(part, texts.get(part.id)) });
          else if (part !== undefined) onPart(part);
          if (stop.isStopped) return;
        }
      } finally {
        reader.cancel().catch(() => {});
      }
    },
  };
}

/** The SDK rounds large integers, except in what the model wrote. */
function writtenInput({ input }: CallPart, written: string | undefined): unknown {
  return written || input;
}

/** Google's SDK parses and rewrites the text. The parsed value shows which numbers may have been rounded. */
function parsedInput({ input }: CallPart): unknown {
  try {
    return typeof input === 'string' ? JSON.parse(input) : input;
  } catch {
    return input;
  }
}

type CallPart = Extract<Part, { type: 'call' }>;

/** How a provider takes arguments and files. */
interface Style {
  readonly wantsObjects: boolean;
  readonly isTagged: boolean;
}

function toOptions(request: ModelRequest, style: Style): CallOptions {
  const { instructions, messages, tools = [], responseFormat } = request;
  const { temperature, topP, maxOutputTokens, reasoningEffort } = request;
  return {
    prompt: [{ role: 'system', content: instructions }, ...messages.map((message) => toSdk(message, style))],
    ...(tools.length > 0 && {
      tools: tools.map(
        (tool) => ({ type: 'function' as const, ...tool }) as NonNullable<CallOptions['tools']>[number],
      ),
      toolChoice: { type: 'auto' as const },
    }),
    ...(responseFormat !== undefined && {
      responseFormat: responseFormat as NonNullable<CallOptions['responseFormat']>,
    }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(reasoningEffort !== undefined && {
      reasoning: reasoningEffort as NonNullable<CallOptions['reasoning']>,
    }),
  };
}

type UserPart = Extract<Prompt[number], { role: 'user' }>['content'][number];

/** Before version 4 of the specification the data is a plain text. */
function toFile({ name, type: mediaType, data }: ShownFile, isTagged: boolean): UserPart {
  const named = mediaType.startsWith('image/') ? {} : { filename: name };
  return { type: 'file', mediaType, ...named, data: isTagged ? { type: 'data', data } : data } as UserPart;
}

function toSdk(message: ModelMessage, { wantsObjects, isTagged }: Style): Prompt[number] {
  switch (message.role) {
    case 'user':
      return {
        role: 'user',
        content: [
          { type: 'text', text: message.content },
          ...(message.files ?? []).map((file) => toFile(file, isTagged)),
        ],
      };
    case 'assistant': {
      const { content } = message;
      return {
        role: 'assistant',
        content:
          typeof content === 'string'
            ? [{ type: 'text', text: content }]
            : content.map((part) => sendable(part, wantsObjects)),
      };
    }
    case 'tool':
      return { role: 'tool', content: [...message.content] };
  }
}

/**
 * The SDK can't serialize bigints in earlier calls. As text they keep every digit. Where objects are required, such an
 * integer is sent in quotes.
 */
function sendable(part: AssistantPart, wantsObjects: boolean): AssistantPart {
  if (part.type !== 'tool-call' || hugeIn(part.input).size === 0) return part;
  const input: Json = wantsObjects ? withTextIntegers(part.input) : stringifyJson(part.input);
  return { ...part, input };
}

function toPart(part: StreamPart): Part | undefined {
  switch (part.type) {
    case 'text-delta':
      return { type: 'text', text: part.delta };
    case 'reasoning-delta':
      return { type: 'thought', text: part.delta };
    case 'tool-input-start':
      return { type: 'call-start', id: part.id, name: part.toolName };
    case 'tool-input-delta':
      return { type: 'call-piece', id: part.id, text: part.delta };
    case 'tool-call':
      return { type: 'call', id: part.toolCallId, name: part.toolName, input: part.input };
    case 'error':
      return { type: 'error', error: part.error };
    case 'finish':
      return {
        type: 'finish',
        reason: reasonOf(part.finishReason),
        usage: toReported(part.usage),
      };
    default:
      // Marks between the pieces, and what only other providers send.
      return undefined;
  }
}

/** Version 2 of the specification has plain values where later versions have objects. */
function reasonOf(reason: FinishPart['finishReason'] | string): FinishReason {
  const found = typeof reason === 'string' ? reason : reason.unified;
  return REASONS.find((known) => known === found) ?? 'other';
}

const REASONS: readonly FinishReason[] = ['stop', 'length', 'content-filter', 'tool-calls', 'error'];

function toReported({
  inputTokens,
  outputTokens,
  ...rest
}: FinishPart['usage'] | UsageOfVersion2): ReportedUsage {
  return {
    inputTokens: typeof inputTokens === 'object' ? inputTokens.total : inputTokens,
    outputTokens: typeof outputTokens === 'object' ? outputTokens.total : outputTokens,
    cachedInputTokens:
      typeof inputTokens === 'object'
        ? inputTokens.cacheRead
        : 'cachedInputTokens' in rest
          ? rest.cachedInputTokens
          : undefined,
  };
}

interface UsageOfVersion2 {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedInputTokens?: number | undefined;
}
