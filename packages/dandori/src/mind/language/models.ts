import { assertNever, messageOf } from '../../model/error.ts';
import type { Failure } from '../../model/failure.ts';
import { isObject, type Json, parsedJson } from '../../model/json.ts';
import { Stop } from '../../model/stop.ts';
import { callModel, openWire } from './call.ts';
import { toFailure } from './failure.ts';
import { type LanguageMindOptions, openAiAddress } from './options.ts';
import { credentialsIn, withoutCredentials } from './wire/http.ts';
import { errorIn } from './wire/openai-api.ts';

const LIST_TIMEOUT = 15_000;
const CHECK_TIMEOUT = 60_000;
/** A server that always names another page must not keep us for ever. */
const MOST_PAGES = 50;
/** Some models refuse a smaller limit. */
const FEW_TOKENS = 64;

/** One small call that shows whether address, key and name are right. Undefined if they are. */
export async function checkModel(options: LanguageMindOptions): Promise<Failure | undefined> {
  const stop = new Stop();
  const timer = setTimeout(
    () => stop.stop('timeout'),
    Math.min(options.timeoutMs ?? CHECK_TIMEOUT, CHECK_TIMEOUT),
  );
  try {
    const output = await callModel({
      wire: await openWire(options),
      options,
      maxOutputTokens: FEW_TOKENS,
      prompt: { instructions: 'Answer with OK.', messages: [{ role: 'user', content: 'Are you there?' }] },
      sent: {},
      stop,
      listener: { text: () => {} },
    });
    return output.error === undefined ? undefined : toFailure(output.error, options);
  } catch (error) {
    return toFailure(error, options);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The names of the models that the provider offers, sorted. Throws an `Error` that says why the provider can't be
 * reached.
 */
export async function listModels(options: LanguageMindOptions): Promise<readonly string[]> {
  const { url, headers, names, next } = listing(options);
  const found: string[] = [];
  let page: URL | undefined = url;
  for (let count = 0; page !== undefined && count < MOST_PAGES; count++) {
    const answer = await readPage(page, { headers, options });
    found.push(...names(answer));
    page = next?.(answer);
  }
  return [...new Set(found)].sort();
}

async function readPage(
  url: URL,
  { headers, options }: { headers: Record<string, string>; options: LanguageMindOptions },
): Promise<Json> {
  const { fetch = globalThis.fetch } = options;
  const response = await fetch(withoutCredentials(url), {
    headers: { ...credentialsIn(url), ...headers },
    signal: AbortSignal.timeout(LIST_TIMEOUT),
  }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const text = await response.text();
  if (!response.ok) {
    const error = Object.assign(new Error(errorIn(text) ?? response.statusText), {
      statusCode: response.status,
    });
    throw new Error(toFailure(error, options).message);
  }
  const answer = parsedJson(text);
  if (answer === undefined) throw new Error(`${url.origin} did not answer with a list of models.`);
  return answer;
}

interface Listing {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly names: (answer: Json) => string[];
  /** The next page. Undefined after the last one. */
  readonly next?: (answer: Json) => URL | undefined;
}

function listing({ provider, baseUrl, apiKey = '' }: LanguageMindOptions): Listing {
  const bearer: Record<string, string> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  switch (provider) {
    case 'openai':
    case 'openai-compatible':
      return {
        url: below(baseUrl ?? openAiAddress(), 'models'),
        headers: bearer,
        names: (answer) => texts(answer, 'data', 'id'),
      };
    case 'ollama':
      return {
        url: below((baseUrl ?? '').replace(/\/v1\/?$/, ''), 'api/tags'),
        headers: bearer,
        names: (answer) => texts(answer, 'models', 'name'),
      };
    case 'anthropic': {
      const url = below(baseUrl ?? 'https://api.anthropic.com/v1', 'models?limit=1000');
      return {
        url,
        headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
        names: (answer) => texts(answer, 'data', 'id'),
        next: (answer) =>
          isObject(answer) && answer.has_more === true ? pageOf(url, 'after_id', answer.last_id) : undefined,
      };
    }
    case 'google': {
      const url = below(
        baseUrl ?? 'https://generativelanguage.googleapis.com/v1beta',
        'models?pageSize=1000',
      );
      return {
        url,
        next: (answer) => (isObject(answer) ? pageOf(url, 'pageToken', answer.nextPageToken) : undefined),
        headers: { 'x-goog-api-key': apiKey },
        names: (answer) =>
          members(answer, 'models')
            .filter(
              ({ supportedGenerationMethods: methods }) =>
                !Array.isArray(methods) || methods.includes('generateContent'),
            )
            .flatMap(({ name }) => (typeof name === 'string' ? [name.replace(/^models\//, '')] : [])),
      };
    }
    default:
      return assertNever(provider);
  }
}

function pageOf(url: URL, parameter: string, value: Json | undefined): URL | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const page = new URL(url);
  page.searchParams.set(parameter, value);
  return page;
}

function below(base: string, path: string): URL {
  return new URL(`${base.replace(/\/$/, '')}/${path}`);
}

function members(answer: Json, group: string): Record<string, Json>[] {
  const list = isObject(answer) ? answer[group] : undefined;
  return Array.isArray(list) ? list.filter((one) => isObject(one)) : [];
}

function texts(answer: Json, group: string, key: string): string[] {
  return members(answer, group).flatMap((one) => (typeof one[key] === 'string' ? [one[key]] : []));
}

function unreachable(url: URL, error: unknown): Error {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new Error(`${url.origin} cannot be reached: ${messageOf(cause)}`, { cause: error });
}
