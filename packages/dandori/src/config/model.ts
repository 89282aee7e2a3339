import type { ModelConfig, Provider } from './config.ts';
import { type Environment, missingVariable, readVariable } from './environment.ts';
import type { ModelSection } from './file-shape.ts';
import { valueAt } from './place.ts';
import type { Problem } from './problem.ts';

/** Looked for in this order; the first is the one that is asked for. */
const KEY_VARIABLES: Readonly<Record<Provider, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  ollama: [],
  'openai-compatible': [],
};

const OLLAMA_URL = 'http://localhost:11434/v1';

export function resolveModel(section: ModelSection, env: Environment): ModelConfig {
  const { price } = section;
  return {
    provider: section.provider,
    name: section.name,
    baseUrl: section.base_url ?? (section.provider === 'ollama' ? OLLAMA_URL : undefined),
    apiKey: findKey(keyVariables(section.provider, section.api_key_env), env),
    temperature: section.temperature,
    maxOutputTokens: section.max_output_tokens,
    timeout: section.timeout,
    supportsStructuredOutputs: section.supports_structured_outputs,
    price: price && { input: price.input, output: price.output, cachedInput: price.cached_input },
  };
}

/** What the shape alone cannot tell. The value may still be of any shape. */
export function modelProblems(config: unknown, env: Environment): Problem[] {
  const provider = valueAt(config, ['model', 'provider']);
  if (typeof provider !== 'string' || !Object.hasOwn(KEY_VARIABLES, provider)) return [];
  const problems: Problem[] = [];
  if (provider === 'openai-compatible' && valueAt(config, ['model', 'base_url']) === undefined) {
    problems.push({
      path: ['model', 'provider'],
      at: 'value',
      message: 'model.base_url is missing, and openai-compatible says only how to talk and not to whom',
      hint: 'add base_url: http://localhost:8080/v1',
    });
  }
  const named = valueAt(config, ['model', 'api_key_env']);
  const variables = keyVariables(provider as Provider, typeof named === 'string' ? named : undefined);
  const wanted = variables[0];
  if (wanted !== undefined && /^\w+$/.test(wanted) && findKey(variables, env) === undefined) {
    const path = ['model', named === undefined ? 'provider' : 'api_key_env'];
    const hint = `set it (export ${wanted}=…), name another one in model.api_key_env, or remove model to use the built-in planner`;
    problems.push(missingVariable(wanted, { path, env, hint }));
  }
  return problems;
}

function keyVariables(provider: Provider, named: string | undefined): readonly string[] {
  return named === undefined ? KEY_VARIABLES[provider] : [named];
}

/** A key that is set to nothing, as an unset secret is in many a CI, is no key. */
function findKey(variables: readonly string[], env: Environment): string | undefined {
  return variables
    .map((name) => readVariable(env, name)?.trim())
    .find((value) => value !== undefined && value !== '');
}
