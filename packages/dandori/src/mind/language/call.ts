import type { FinishReason, LanguageModel, LanguageModelUsage, ModelMessage } from 'ai';
import { assertNever } from '../../model/error.ts';
import { type Json, stringifyJson } from '../../model/json.ts';
import { hugeIn, withTextIntegers } from '../../model/stand-in.ts';
import type { DialectPrompt, Listener, Sent } from './dialects/dialect.ts';
import type { LanguageMindOptions } from './options.ts';

interface ModelCall {
  readonly model: LanguageModel;
  readonly options: LanguageMindOptions;
  readonly prompt: DialectPrompt;
  readonly sent: Sent;
  readonly signal: AbortSignal;
  readonly listener: Listener;
}

/** A call in the provider's own form. */
export interface SpokenCall {
  readonly id: string;
  readonly name: string;
  /** As it was written, where that is known: a number that is too long has become another one in what the SDK makes of it. */
  readonly arguments: unknown;
}

/** Everything that the model said before it ended, whichever way. */
export interface Spoken {
  text: string;
  /** What a reasoning model thought aloud. */
  thoughts: string;
  /** In the order in which they were complete. Some models make them where nobody asked for them. */
  calls: SpokenCall[];
  finishReason: FinishReason | undefined;
  usage: LanguageModelUsage | undefined;
  error: unknown;
  /** It wrote more than is read, and was stopped. */
  isTooLong?: boolean;
}

/** Characters of one output, thoughts and calls included. The longest that models write today is a quarter of this. */
export const LONGEST_OUTPUT = 4_000_000;

/** Bytes of one answer over the network. Each few characters come in an event of some hundred bytes. */
const LONGEST_BODY = 256 * 1024 * 1024;
/** Bytes of one event: what has no end yet is kept in memory, by us and by the SDK. */
const LONGEST_EVENT = 16 * 1024 * 1024;

class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong';
}

/** Stops reading a body that is larger than any answer. The SDK reads whatever comes. */
function limitedFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    let bytes = 0;
    let sinceNewline = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        const newline = chunk.lastIndexOf(10);
        sinceNewline = newline === -1 ? sinceNewline + chunk.length : chunk.length - newline;
        if (bytes > LONGEST_BODY || sinceNewline > LONGEST_EVENT)
          controller.error(new OutputTooLong('the answer of the model is too long'));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}

/** One call of the model, without any retry. Does not reject: what went wrong is `error`. */
export async function callModel({
  model,
  options,
  prompt,
  sent,
  signal,
  listener,
}: ModelCall): Promise<Spoken> {
  const spoken: Spoken = {
    text: '',
    thoughts: '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
  };
  const stop = new AbortController();
  let length = 0;
  /** False where it is too much. */
  const hasRoom = (piece: string): boolean => {
    length += piece.length;
    spoken.isTooLong = length > LONGEST_OUTPUT;
    return !spoken.isTooLong;
  };
  try {
    const { streamText } = await import('ai');
    // The SDK would print warnings, about a temperature that a model ignores for instance, into the output of the CLI.
    globalThis.AI_SDK_LOG_WARNINGS ??= false;
    const result = streamText({
      model,
      instructions: prompt.instructions,
      messages: prompt.messages.map((message) => sendable(message, options)),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, stop.signal]),
      ...sent,
      onError: () => {},
      providerOptions: providerOptions(options),
      ...(options.temperature !== undefined && { temperature: options.temperature }),
      ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    });
    const pieces = new Map<string, string>();
    for await (const part of result.stream) {
      // What was already on its way when the call was given up must not be told any more.
      if (signal.aborted) break;
      const piece = pieceIn(part);
      if (piece !== undefined && !hasRoom(piece)) {
        stop.abort();
        break;
      }
      if (part.type === 'text-delta') {
        spoken.text += part.text;
        listener.text(part.text);
      } else if (part.type === 'reasoning-delta') spoken.thoughts += part.text;
      else if (part.type === 'tool-input-start') listener.callStarted?.(part.id, part.toolName);
      else if (part.type === 'tool-input-delta') {
        pieces.set(part.id, (pieces.get(part.id) ?? '') + part.delta);
        listener.callPiece?.(part.id, part.delta);
      } else if (part.type === 'tool-call') {
        const { toolCallId: id, toolName: name, input } = part;
        // What Google sends is JSON, which the SDK has read and written again: its text says nothing more.
        const written = options.provider === 'google' ? undefined : pieces.get(id);
        const call = { id, name, arguments: written || input };
        spoken.calls.push(call);
        listener.call?.(call);
      } else if (part.type === 'error') spoken.error ??= part.error;
      else if (part.type === 'finish') {
        spoken.usage = part.totalUsage;
        spoken.finishReason = part.finishReason;
      }
    }
  } catch (error) {
    spoken.error ??= error;
  }
  if (isOrCauses(spoken.error, OutputTooLong)) spoken.isTooLong = true;
  return spoken;
}

/**
 * The SDK knows no bigint in the calls that a model made before. As text they go out as they are, with every digit; only
 * Anthropic and Google want objects, and are shown such an integer in quotes.
 */
function sendable(message: ModelMessage, { provider }: LanguageMindOptions): ModelMessage {
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  const wantsObjects = provider === 'anthropic' || provider === 'google';
  const content = message.content.map((part) => {
    if (part.type !== 'tool-call' || hugeIn(part.input as Json).size === 0) return part;
    const input = part.input as Json;
    return { ...part, input: wantsObjects ? withTextIntegers(input) : stringifyJson(input) };
  });
  return { ...message, content };
}

function isOrCauses(error: unknown, kind: typeof OutputTooLong): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++)
    if (one instanceof kind) return true;
  return false;
}

/** What a part of the stream adds to the output. */
function pieceIn(part: { type: string; text?: unknown; delta?: unknown }): string | undefined {
  const { type, text, delta } = part;
  if (type === 'text-delta' || type === 'reasoning-delta') return String(text);
  return type === 'tool-input-delta' ? String(delta) : undefined;
}

function providerOptions({
  provider,
  supportsStructuredOutputs = false,
}: LanguageMindOptions): Record<string, Record<string, string | boolean | { type: string }>> {
  // Strict schemas allow no free-form objects, and arguments are such.
  if (provider === 'openai') return { openai: { strictJsonSchema: false } };
  // Without a mark there is no cache at Anthropic.
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  if (provider === 'google') return { google: { structuredOutputs: supportsStructuredOutputs } };
  return { openaiCompatible: { strictJsonSchema: false } };
}

/** The providers are imported here and not at the top: they take 150 ms, and most commands ask no model. */
export async function loadModel(options: LanguageMindOptions): Promise<LanguageModel> {
  const { provider, name, baseUrl } = options;
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI(connection(options));
      // Servers that imitate OpenAI know chat completions; few know the newer Responses API.
      return baseUrl === undefined ? openai(name) : openai.chat(name);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(connection(options))(name);
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return createGoogle(connection(options))(name);
    }
    case 'ollama':
    case 'openai-compatible':
      return loadCompatible(options);
    default:
      return assertNever(provider);
  }
}

async function loadCompatible(options: LanguageMindOptions): Promise<LanguageModel> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const { provider, name, apiKey, fetch, supportsStructuredOutputs = true } = options;
  const create = createOpenAICompatible({
    name: provider,
    baseURL: options.baseUrl ?? '',
    supportsStructuredOutputs,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    fetch: limitedFetch(fetch),
  });
  return create(name);
}

function connection({ baseUrl, apiKey, fetch }: LanguageMindOptions) {
  // Without a key of its own, the SDK would send the one from the environment to whoever is at this address.
  const key = apiKey ?? (baseUrl === undefined ? undefined : 'none');
  return {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(key !== undefined && { apiKey: key }),
    fetch: limitedFetch(fetch),
  };
}
