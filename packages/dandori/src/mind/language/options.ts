import { PROVIDERS, type Provider } from '../../model/settings.ts';
import type { DialectName } from './dialects/dialect.ts';

/** What the API of a provider is like. */
interface ApiTraits {
  /** The AI SDK has a package of this name, whose models a program may pass. */
  readonly hasSdk: boolean;
  /** Accepts a JSON schema with free-form arguments. */
  readonly takesSchema: boolean;
  /** Can be told to write JSON without a schema. */
  readonly hasJsonMode: boolean;
}

export const API: Readonly<Record<Provider, ApiTraits>> = {
  openai: { hasSdk: true, takesSchema: true, hasJsonMode: true },
  anthropic: { hasSdk: true, takesSchema: false, hasJsonMode: false },
  google: { hasSdk: true, takesSchema: false, hasJsonMode: true },
  ollama: { hasSdk: false, takesSchema: true, hasJsonMode: true },
  'openai-compatible': { hasSdk: false, takesSchema: true, hasJsonMode: true },
};

/** Where OpenAI is, if the settings name no address. */
export function openAiAddress(): string {
  const address = process.env.OPENAI_BASE_URL?.trim() || 'https://api.openai.com/v1';
  if (!URL.canParse(address)) throw new Error('the variable OPENAI_BASE_URL is not an address');
  return address;
}

/**
 * OpenAI's models that think. Most refuse a temperature, and all have another name for the limit of the output in chat
 * completions. `gpt-5-chat-latest` does not think, but `gpt-5.1-chat-latest` does.
 */
export function isThinker(model: string): boolean {
  return /^(o\d+(-|$)|gpt-([5-9]|[12]\d)(?!-chat)([.-]|$))/.test(model);
}

/** These take tools in chat completions only if they do not think. */
export function thinksWithoutTools(model: string): boolean {
  return /^gpt-5\.([6-9]|\d\d)/.test(model);
}

type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input from the provider's cache. Default: `input`. */
  readonly cachedInput?: number;
}

export interface LanguageMindOptions {
  /** The configuration section that error messages name. Default: `model`. */
  readonly section?: 'model' | 'model.fallback' | undefined;
  /** A model of the AI SDK, instead of one that is made from the other options. */
  readonly model?: AiModel | undefined;
  /** For a model of the AI SDK: the provider whose API quirks apply. */
  readonly provider: Provider;
  /** As its provider spells it. */
  readonly name: string;
  /** Required for `ollama` and `openai-compatible`. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Default: 0.1, except for OpenAI's models that think. Left out for a model that refuses it. */
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly reasoningEffort?: ReasoningEffort | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Milliseconds for one whole call. Default: two minutes. */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether to send the JSON schema of the actions. Default: true for OpenAI's API, false for Anthropic and
   * Google, whose schemas do not allow free-form arguments. The prompt always describes the format.
   */
  readonly supportsStructuredOutputs?: boolean | undefined;
  /** How the model writes actions. Default: `json`. */
  readonly dialect?: DialectName | undefined;
  readonly price?: Price | undefined;
  /** The user's instructions, added to every prompt. */
  readonly instructions?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export const DEFAULT_TIMEOUT = 120_000;

/** A model object of the AI SDK, of version 2 of its specification or later. */
export interface AiModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/** The options for a model of the AI SDK that a program passes. */
export function givenModel(model: AiModel): LanguageMindOptions {
  const [maker = ''] = model.provider.split('.');
  const known = PROVIDERS.find((provider) => provider === maker && API[provider].hasSdk);
  return {
    model,
    provider: known ?? 'openai-compatible',
    name: model.modelId,
    ...(known === undefined && { supportsStructuredOutputs: false }),
  };
}
