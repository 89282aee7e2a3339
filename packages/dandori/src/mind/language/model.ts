import type { LanguageModel } from 'ai';
import { assertNever } from '../../domain/error.ts';
import { limitedFetch } from './call.ts';
import type { LanguageMindOptions } from './options.ts';

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
