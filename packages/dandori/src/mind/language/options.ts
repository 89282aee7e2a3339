import type { DialectName } from './dialects/dialect.ts';

type Provider = 'openai' | 'anthropic' | 'google' | 'ollama' | 'openai-compatible';

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that the provider had in its cache; the same as `input` where absent. */
  readonly cachedInput?: number;
}

export interface LanguageMindOptions {
  /** Where these options stand in the configuration, for what is said of them. The default is `model`. */
  readonly section?: 'model' | 'model.fallback' | undefined;
  readonly provider: Provider;
  /** The model's name, as its provider spells it. */
  readonly name: string;
  /** Needed for `ollama` and `openai-compatible`; the others have an address of their own. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly temperature?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Milliseconds that one whole call may take. The default is two minutes. */
  readonly timeout?: number | undefined;
  /**
   * Whether the JSON schema of the actions is sent along. The default is true for what speaks OpenAI's API, and false
   * for Anthropic and Google, whose schemas do not allow free-form arguments. The prompt describes the form in any case.
   */
  readonly supportsStructuredOutputs?: boolean | undefined;
  /** How actions are asked for. The default is json. */
  readonly dialect?: DialectName | undefined;
  readonly price?: Price | undefined;
  /** The user's own words that go into every decision. */
  readonly instructions?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

export const DEFAULT_TIMEOUT = 120_000;
