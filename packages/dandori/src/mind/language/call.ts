import type { FinishReason, LanguageModel, LanguageModelUsage, ModelMessage } from 'ai';
import { assertNever } from '../../model/error.ts';
import { type Json, stringifyJson } from '../../model/json.ts';
import { hugeIn, withTextIntegers } from '../../model/stand-in.ts';
import type { DialectPrompt, Listener, RequestOptions } from './dialects/dialect.ts';
import type { LanguageMindOptions } from './options.ts';
import { refusedIn, rememberRefusal, type Sampling, samplingFor, without } from './sampling.ts';

interface ModelCall {
  readonly model: LanguageModel;
  readonly options: LanguageMindOptions;
  readonly prompt: DialectPrompt;
  readonly sent: RequestOptions;
  readonly signal: AbortSignal;
  readonly listener: Listener;
}

/** A native tool call. */
export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** The original text if it is known, because the SDK rounds large integers. */
  readonly arguments: unknown;
}

/** Everything that the model wrote before the call ended, successfully or not. */
export interface ModelOutput {
  text: string;
  /** The visible thoughts of a reasoning model. */
  thoughts: string;
  /** In the order of completion. Some models make native calls even in the JSON dialect. */
  calls: NativeCall[];
  finishReason: FinishReason | undefined;
  usage: LanguageModelUsage | undefined;
  error: unknown;
  /** The output exceeded the limit, and the call was stopped. */
  isTooLong?: boolean;
}

/** Characters of one output, including thoughts and calls: four times what models write today at most. */
export const LONGEST_OUTPUT = 4_000_000;

/** Bytes of one response. A few characters of output arrive in an event of some hundred bytes. */
const LONGEST_BODY = 256 * 1024 * 1024;
/** Bytes of one event. We and the SDK keep an incomplete event in memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;

class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong';
}

/** Stops reading a response that is too large. The SDK has no limit. */
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

/**
 * One model call, without retries. Never rejects: a problem is in `error`. A request that the server refuses
 * because of a sampling option is sent again without it: the model has not been called yet.
 */
export async function callModel(call: ModelCall): Promise<ModelOutput> {
  const dropped = new Set<keyof Sampling>();
  for (let sampling = samplingFor(call.options); ; sampling = without(sampling, dropped)) {
    const output = await callOnce(call, sampling);
    const refused = refusedIn(output.error, sampling);
    if (output.error === undefined) rememberRefusal(call.options, dropped);
    if (refused.size === 0) return output;
    for (const name of refused) dropped.add(name);
  }
}

async function callOnce(
  { model, options, prompt, sent, signal, listener }: ModelCall,
  sampling: Sampling,
): Promise<ModelOutput> {
  const output: ModelOutput = {
    text: '',
    thoughts: '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
  };
  const stop = new AbortController();
  let length = 0;
  /** False if the output is too long. */
  const hasRoom = (piece: string): boolean => {
    length += piece.length;
    output.isTooLong = length > LONGEST_OUTPUT;
    return !output.isTooLong;
  };
  try {
    const { streamText } = await import('ai');
    // Otherwise the SDK prints warnings into the output of the CLI.
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
      ...sampling,
      ...(options.reasoningEffort !== undefined && { reasoning: options.reasoningEffort }),
      ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    });
    const pieces = new Map<string, string>();
    for await (const part of result.stream) {
      // M3: nothing is reported after an abort.
      if (signal.aborted) break;
      const piece = pieceIn(part);
      if (piece !== undefined && !hasRoom(piece)) {
        stop.abort();
        break;
      }
      if (part.type === 'text-delta') {
        output.text += part.text;
        listener.text(part.text);
      } else if (part.type === 'reasoning-delta') output.thoughts += part.text;
      else if (part.type === 'tool-input-start') listener.callStarted?.(part.id, part.toolName);
      else if (part.type === 'tool-input-delta') {
        pieces.set(part.id, (pieces.get(part.id) ?? '') + part.delta);
        listener.callPiece?.(part.id, part.delta);
      } else if (part.type === 'tool-call') {
        const { toolCallId: id, toolName: name, input } = part;
        // For Google the SDK has parsed and rewritten the text, so it is not the original.
        const written = options.provider === 'google' ? undefined : pieces.get(id);
        const call = { id, name, arguments: written || input };
        output.calls.push(call);
        listener.call?.(call);
      } else if (part.type === 'error') output.error ??= part.error;
      else if (part.type === 'finish') {
        output.usage = part.totalUsage;
        output.finishReason = part.finishReason;
      }
    }
  } catch (error) {
    output.error ??= error;
  }
  if (isOrCauses(output.error, OutputTooLong)) output.isTooLong = true;
  return output;
}

/**
 * The SDK can't serialize bigints in earlier calls. As text they keep every digit. Anthropic and Google
 * require objects, so there such an integer is sent in quotes.
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

/** The output text in a part of the stream. */
function pieceIn(part: { type: string; text?: unknown; delta?: unknown }): string | undefined {
  const { type, text, delta } = part;
  if (type === 'text-delta' || type === 'reasoning-delta') return String(text);
  return type === 'tool-input-delta' ? String(delta) : undefined;
}

function providerOptions({
  provider,
  supportsStructuredOutputs = false,
}: LanguageMindOptions): Record<string, Record<string, string | boolean | { type: string }>> {
  // Strict schemas allow no free-form objects such as `args`.
  if (provider === 'openai') return { openai: { strictJsonSchema: false } };
  // Anthropic caches only with this option.
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  if (provider === 'google') return { google: { structuredOutputs: supportsStructuredOutputs } };
  return { openaiCompatible: { strictJsonSchema: false } };
}

/** Imports the provider lazily: that takes 150 ms, and most commands call no model. */
export async function loadModel(options: LanguageMindOptions): Promise<LanguageModel> {
  const { provider, name, baseUrl } = options;
  switch (provider) {
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const openai = createOpenAI(connection(options));
      // OpenAI-compatible servers support chat completions; few support the Responses API.
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
  // Without a key, the SDK would send the key from the environment to this address.
  const key = apiKey ?? (baseUrl === undefined ? undefined : 'none');
  return {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(key !== undefined && { apiKey: key }),
    fetch: limitedFetch(fetch),
  };
}
