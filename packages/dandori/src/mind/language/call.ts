import type { FinishReason, LanguageModel, LanguageModelUsage } from 'ai';
import type { JsonObject } from '../../domain/json.ts';
import type { Tool } from '../../domain/tool.ts';
import type { LanguageMindOptions } from './options.ts';
import { outputFor } from './output.ts';
import type { Prompt } from './prompt.ts';

export interface ModelCall {
  readonly model: LanguageModel;
  readonly options: LanguageMindOptions;
  readonly prompt: Prompt;
  /** Those that may be called by name; undefined where any name may turn out to be one. */
  readonly tools: readonly Tool[] | undefined;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

/** Everything that the model said before it ended, whichever way. */
export interface Spoken {
  text: string;
  /** What a reasoning model thought aloud. */
  thoughts: string;
  /** Calls in the provider's own form, which nobody asked for and some models make all the same. */
  calls: { id: string; name: string; arguments: unknown }[];
  finishReason: FinishReason | undefined;
  usage: LanguageModelUsage | undefined;
  error: unknown;
}

/** One call of the model, without any retry. Does not reject: what went wrong is `error`. */
export async function callModel({
  model,
  options,
  prompt,
  tools,
  signal,
  onText,
}: ModelCall): Promise<Spoken> {
  const spoken: Spoken = {
    text: '',
    thoughts: '',
    calls: [],
    finishReason: undefined,
    usage: undefined,
    error: undefined,
  };
  try {
    const { streamText } = await import('ai');
    // The SDK would print warnings, about a temperature that a model ignores for instance, into the output of the CLI.
    globalThis.AI_SDK_LOG_WARNINGS ??= false;
    const result = streamText({
      model,
      instructions: prompt.instructions,
      messages: prompt.messages,
      maxRetries: 0,
      abortSignal: signal,
      output: outputFor(options, tools),
      onError: () => {},
      providerOptions: providerOptions(options),
      ...(options.temperature !== undefined && { temperature: options.temperature }),
      ...(options.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    });
    for await (const part of result.stream) {
      // What was already on its way when the call was given up must not be told any more.
      if (signal.aborted) break;
      if (part.type === 'text-delta') {
        spoken.text += part.text;
        onText(part.text);
      } else if (part.type === 'reasoning-delta') spoken.thoughts += part.text;
      else if (part.type === 'tool-call') {
        spoken.calls.push({ id: part.toolCallId, name: part.toolName, arguments: part.input });
      } else if (part.type === 'error') spoken.error ??= part.error;
      else if (part.type === 'finish') {
        spoken.usage = part.totalUsage;
        spoken.finishReason = part.finishReason;
      }
    }
  } catch (error) {
    spoken.error ??= error;
  }
  return spoken;
}

function providerOptions({
  provider,
  supportsStructuredOutputs = false,
}: LanguageMindOptions): Record<string, JsonObject> {
  // Strict schemas allow no free-form objects, and arguments are such.
  if (provider === 'openai') return { openai: { strictJsonSchema: false } };
  // Without a mark there is no cache at Anthropic.
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  if (provider === 'google') return { google: { structuredOutputs: supportsStructuredOutputs } };
  return { openaiCompatible: { strictJsonSchema: false } };
}
