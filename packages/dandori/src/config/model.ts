import { type Path, pathText } from '../documents/place.ts';
import type { Problem } from '../documents/problem.ts';
import { valueAt } from '../model/json.ts';
import type { Provider } from '../model/settings.ts';
import type { Config, ModelConfig } from './config.ts';
import { type Environment, missingVariable, readVariable } from './environment.ts';
import type { ModelSection } from './file-shape.ts';

/** Tried in this order. An error message names the first one. */
export const KEY_VARIABLES: Readonly<Record<Provider, readonly string[]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  ollama: [],
  'openai-compatible': [],
};

const OLLAMA_URL = 'http://localhost:11434/v1';

export function resolveModel(section: ModelSection, env: Environment): NonNullable<Config['model']> {
  const { fallback } = section;
  return { ...resolveOne(section, env), fallback: fallback && resolveOne(fallback, env) };
}

function resolveOne(section: Omit<ModelSection, 'fallback'>, env: Environment): ModelConfig {
  const { price } = section;
  return {
    provider: section.provider,
    name: section.name,
    baseUrl: section.base_url ?? (section.provider === 'ollama' ? OLLAMA_URL : undefined),
    apiKey: findKey(keyVariables(section.provider, section.api_key_env), env),
    temperature: section.temperature,
    topP: section.top_p,
    reasoningEffort: section.reasoning_effort,
    maxOutputTokens: section.max_output_tokens,
    timeoutMs: section.timeout,
    dialect: section.dialect,
    supportsStructuredOutputs: section.supports_structured_outputs,
    price: price && { input: price.input, output: price.output, cachedInput: price.cached_input },
  };
}

/** Checks what the schema cannot express. The value may still have any shape. */
export function modelProblems(config: unknown, env: Environment): Problem[] {
  return [['model'], ['model', 'fallback']].flatMap((group) => problemsOf(config, group, env));
}

function problemsOf(config: unknown, group: Path, env: Environment): Problem[] {
  const provider = valueAt(config, [...group, 'provider']);
  if (typeof provider !== 'string' || !Object.hasOwn(KEY_VARIABLES, provider)) return [];
  const name = pathText(group);
  const problems: Problem[] = [];
  if (provider === 'openai-compatible' && valueAt(config, [...group, 'base_url']) === undefined) {
    problems.push({
      path: [...group, 'provider'],
      at: 'value',
      message: `${name}.base_url is missing, and openai-compatible needs the address of the server`,
      hint: 'add base_url: http://localhost:8080/v1',
    });
  }
  problems.push(...addressProblems(config, group));
  const named = valueAt(config, [...group, 'api_key_env']);
  const variables = keyVariables(provider as Provider, typeof named === 'string' ? named : undefined);
  const wanted = variables[0];
  if (wanted !== undefined && /^\w+$/.test(wanted) && findKey(variables, env) === undefined) {
    const path = [...group, named === undefined ? 'provider' : 'api_key_env'];
    const without = group.length === 1 ? ' to use the built-in planner' : '';
    const hint = `set it (export ${wanted}=…), name another one in ${name}.api_key_env, or remove ${name}${without}`;
    problems.push(missingVariable(wanted, { path, env, hint }));
  }
  return problems;
}

/**
 * `fetch` refuses an address with a user name or a password. A query breaks the address, because the path of
 * each call is appended after it.
 */
function addressProblems(config: unknown, group: Path): Problem[] {
  const path = [...group, 'base_url'];
  const address = valueAt(config, path);
  if (typeof address !== 'string' || !URL.canParse(address)) return [];
  const { username, password, search } = new URL(address);
  const what = username + password !== '' ? 'a user name or a password' : 'a query';
  if (username + password + search === '') return [];
  const hint = `leave it out; put a key in an environment variable and its name in ${pathText(group)}.api_key_env`;
  return [{ path, at: 'value', message: `${pathText(path)} must not contain ${what}`, hint }];
}

function keyVariables(provider: Provider, named: string | undefined): readonly string[] {
  return named === undefined ? KEY_VARIABLES[provider] : [named];
}

/** An empty key counts as missing: many CI systems set an unset secret to an empty text. */
function findKey(variables: readonly string[], env: Environment): string | undefined {
  return variables
    .map((name) => readVariable(env, name)?.trim())
    .find((value) => value !== undefined && value !== '');
}
