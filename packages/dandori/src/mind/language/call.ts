import { assertNever } from '../../model/error.ts';
import type { Stop } from '../../model/stop.ts';
import type { DialectPrompt, Listener, RequestOptions } from './dialects/dialect.ts';
import { type LanguageMindOptions, openAiAddress } from './options.ts';
import { refusedIn, rememberRefusal, type Sampling, samplingFor, without } from './sampling.ts';
import { chatApi } from './wire/chat.ts';
import { limitedFetch } from './wire/http.ts';
import { type OpenAiOptions, openApi } from './wire/openai-api.ts';
import { openProvider, type ProviderOptions } from './wire/provider.ts';
import { responsesApi } from './wire/responses.ts';
import {
  type FinishReason,
  MissingKey,
  MOST_CALLS,
  OutputTooLong,
  type Part,
  type ReportedUsage,
  type Wire,
} from './wire/wire.ts';

interface ModelCall {
  readonly wire: Wire;
  readonly options: LanguageMindOptions;
  readonly maxOutputTokens: number | undefined;
  readonly conversation?: object;
  readonly prompt: DialectPrompt;
  readonly sent: RequestOptions;
  readonly stop: Stop;
  readonly listener: Listener;
}

export interface NativeCall {
  readonly id: string;
  readonly name: string;
  /** The original text if it is known. */
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
  usage: ReportedUsage | undefined;
  error: unknown;
  /** Parts of it have already arrived, so the call must not be made again. */
  hasBegun?: boolean;
  /** The output exceeded the limit, and the call was stopped. */
  isTooLong?: boolean;
}

/** Characters of one output, including thoughts and calls: four times the longest output of today's models. */
export const LONGEST_OUTPUT = 4_000_000;

/**
 * One model call, without retries. Never rejects: a problem is in `error`. A request that the server refuses
 * because of a sampling option is sent again without it: the model has not been called yet.
 */
export async function callModel(call: ModelCall): Promise<ModelOutput> {
  const dropped = new Set<keyof Sampling>();
  for (let sampling = samplingFor(call.options); ; sampling = without(sampling, dropped)) {
    const output = await callOnce(call, sampling);
    if (output.error === undefined) {
      rememberRefusal(call.options, dropped);
      return output;
    }
    const refused = refusedIn(output.error, sampling);
    if (refused.size === 0 || output.hasBegun) return output;
    for (const name of refused) dropped.add(name);
  }
}

async function callOnce(
  { wire, maxOutputTokens, conversation, prompt, sent, stop, listener }: ModelCall,
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
  const request = {
    conversation,
    instructions: prompt.instructions,
    messages: prompt.messages,
    ...sent,
    ...sampling,
    maxOutputTokens,
  };
  const take = collect(output, listener);
  try {
    await wire.send(request, {
      stop,
      // M3: nothing is reported after an abort.
      onPart: (part) => {
        if (!stop.isStopped) take(part);
      },
    });
  } catch (error) {
    output.error ??= error;
  }
  try {
    listener.end?.();
  } catch (error) {
    output.error ??= error;
  }
  if (isTooLong(output.error)) output.isTooLong = true;
  return output;
}

/** Adds each part to the output and tells the listener. Throws if the output gets too long, which ends the call. */
function collect(output: ModelOutput, listener: Listener): (part: Part) => void {
  let length = 0;
  let calls = 0;
  return (part) => {
    if (part.type !== 'error' && part.type !== 'finish') output.hasBegun = true;
    if ('text' in part) length += part.text.length;
    if (part.type === 'call-start') calls++;
    if (length > LONGEST_OUTPUT || calls > MOST_CALLS)
      throw new OutputTooLong('the output of the model is too long');
    switch (part.type) {
      case 'text':
        output.text += part.text;
        return listener.text(part.text);
      case 'thought':
        output.thoughts += part.text;
        return;
      case 'call-start':
        return listener.callStarted?.(part.id, part.name);
      case 'call-piece':
        return listener.callPiece?.(part.id, part.text);
      case 'call': {
        const { id, name, input } = part;
        const call = { id, name, arguments: input };
        output.calls.push(call);
        return listener.call?.(call);
      }
      case 'error':
        output.error ??= part.error;
        return;
      case 'finish':
        output.usage = part.usage;
        output.finishReason = part.reason;
        return;
      default:
        return assertNever(part);
    }
  };
}

/** The AI SDK wraps what the connection throws. */
function isTooLong(error: unknown): boolean {
  for (let one = error, depth = 0; one instanceof Error && depth < 5; one = one.cause, depth++)
    if (one instanceof OutputTooLong) return true;
  return false;
}

function providerOptions({
  provider,
  supportsStructuredOutputs = false,
}: LanguageMindOptions): ProviderOptions {
  // Anthropic caches only with this option.
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  if (provider === 'google') return { google: { structuredOutputs: supportsStructuredOutputs } };
  // Strict schemas allow no free-form objects such as `args`.
  return { openai: { strictJsonSchema: false } };
}

/** Imports the provider lazily: that takes 150 ms, and most commands call no model. */
export async function openWire(options: LanguageMindOptions): Promise<Wire> {
  const { provider, name, baseUrl } = options;
  if (options.model !== undefined) return openProvider(options.model, providerOptions(options));
  switch (provider) {
    case 'openai':
      return openOpenAi(options);
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return openProvider(createAnthropic(sdkConnection(options))(name), providerOptions(options));
    }
    case 'google': {
      const { createGoogle } = await import('@ai-sdk/google');
      return openProvider(createGoogle(sdkConnection(options))(name), providerOptions(options));
    }
    case 'ollama':
    case 'openai-compatible':
      return openApi(chatApi, { ...connection(options), baseUrl: baseUrl ?? '' });
    default:
      return assertNever(provider);
  }
}

/** Servers at other addresses support chat completions; few support the Responses API. */
function openOpenAi(options: LanguageMindOptions): Wire {
  const { baseUrl, apiKey = process.env.OPENAI_API_KEY?.trim() } = options;
  if (baseUrl !== undefined) return openApi(chatApi, { ...connection(options), baseUrl });
  if (!apiKey) throw new MissingKey();
  return openApi(responsesApi, { ...connection(options), apiKey, baseUrl: openAiAddress() });
}

function connection(options: LanguageMindOptions): Omit<OpenAiOptions, 'baseUrl'> {
  const { provider, name: model, apiKey, fetch, supportsStructuredOutputs = true } = options;
  return { provider, model, apiKey, fetch, supportsStructuredOutputs };
}

function sdkConnection({ baseUrl, apiKey, fetch }: LanguageMindOptions) {
  // Without a key, the SDK would send the key from the environment to this address.
  const key = apiKey ?? (baseUrl === undefined ? undefined : 'none');
  return {
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(key !== undefined && { apiKey: key }),
    fetch: limitedFetch(fetch),
  };
}
