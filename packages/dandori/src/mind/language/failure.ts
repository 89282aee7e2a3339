import type { Failure } from '../../model/failure.ts';
import { stringifyJson } from '../../model/json.ts';
import { REDACTED, redact } from '../../model/redact.ts';
import { clip } from '../../model/text.ts';
import type { LanguageMindOptions } from './options.ts';

const MAX_DETAIL = 300;

/** The common fields of our errors, of the SDK's `APICallError` and of its errors within a stream. */
interface ApiError {
  readonly message: string;
  readonly statusCode?: number | undefined;
  readonly responseBody?: string | undefined;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Describes what went wrong and which setting fixes it. Never contains a key. */
export function toFailure(error: unknown, options: LanguageMindOptions): Failure {
  // The errors of the AI SDK are known by their names, so that it need not be loaded.
  const name = error instanceof Error ? error.name : '';
  const failure =
    error instanceof Error && (name === 'AI_APICallError' || hasStatus(error))
      ? fromApi(error, options)
      : name === 'MissingKey' || name === 'AI_LoadAPIKeyError'
        ? final(
            `The model needs an API key. Set ${sectionOf(options)}.api_key_env to the name of the variable that holds it.`,
          )
        : fromOther(error, { options, isKnown: name.startsWith('AI_') });
  return { ...failure, message: withoutKeys(failure.message, options) };
}

function hasStatus(error: unknown): error is ApiError {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number';
}

function fromApi(error: ApiError, options: LanguageMindOptions): Failure {
  const { statusCode: status } = error;
  const said = oneLine(error.message, options);
  const model = `${options.provider}/${options.name}`;
  const section = sectionOf(options);
  if (status === undefined) return again(unreachable(error, options));
  if (status < 300) return again(`The connection to ${model} broke off in the middle of the answer: ${said}`);
  if (isOutOfCredit(error)) return final(`The account of ${model} has no credit left (${status}): ${said}`);
  if (status === 429) return later(`${model} has too many requests (429): ${said}`, error);
  if (status >= 500 || status === 408 || status === 409)
    return later(`The server of ${model} failed (${status}): ${said}`, error);
  if (status === 401 || status === 403) {
    return final(
      `${model} did not accept the API key (${status}): ${said}. Check ${section}.api_key_env and the rights of the key.`,
    );
  }
  if (status === 404)
    return final(
      `There is no ${model}${at(options)} (404): ${said}. Check ${section}.name and ${section}.base_url.`,
    );
  return final(`${model} did not accept the request (${status}): ${said}. ${badRequestFix(error, options)}`);
}

function badRequestFix({ message, responseBody = '' }: ApiError, options: LanguageMindOptions): string {
  const { dialect = 'json' } = options;
  const section = sectionOf(options);
  const text = `${message} ${responseBody}`.toLowerCase();
  if (dialect !== 'json' && /\btool|function/.test(text))
    return `If this server knows no tool calls, or not so many tools, set ${section}.dialect: json.`;
  if (options.reasoningEffort !== undefined && /reasoning|effort|thinking/.test(text))
    return `If this model takes no such effort, remove or change ${section}.reasoning_effort.`;
  if (/response_format|json_schema|structured|grammar/.test(text)) {
    return `If this server knows no JSON schemas, set ${section}.supports_structured_outputs: false.`;
  }
  if (/context|too long|too many tokens|maximum.*tokens/.test(text))
    return `The prompt or ${section}.max_output_tokens may be too long for this model.`;
  return `Check ${section}.name, ${section}.base_url and the other settings under ${section}.`;
}

/** OpenAI uses 429 for this, although waiting does not help. */
function isOutOfCredit({ responseBody = '' }: ApiError): boolean {
  return responseBody.includes('insufficient_quota') || responseBody.includes('credit balance is too low');
}

/** The message names the wait that the server asks for, because it may be long. */
function later(message: string, error: ApiError): Failure {
  const wait = retryAfter(error);
  if (wait === undefined) return again(message);
  const seconds = Math.ceil(wait / 1000);
  return { ...again(`${message}. It asks to wait for ${seconds} s`), retryAfter: wait };
}

/**
 * In milliseconds. `retry-after` holds seconds or a date; some servers send milliseconds in `retry-after-ms`.
 * Infinity is ignored, because it can't be journaled.
 */
function retryAfter({ responseHeaders = {} }: ApiError): number | undefined {
  const milliseconds = Number.parseFloat(responseHeaders['retry-after-ms'] ?? '');
  if (milliseconds >= 0 && Number.isFinite(milliseconds)) return milliseconds;
  const value = responseHeaders['retry-after'];
  if (value === undefined) return undefined;
  const wait = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function fromOther(
  error: unknown,
  { options, isKnown }: { options: LanguageMindOptions; isKnown: boolean },
): Failure {
  const said = oneLine(messageOf(error), options);
  if (isConnectionError(error)) return again(unreachable(error, options));
  // Invalid JSON or an error object within the stream is a fault of the server, so a retry may help.
  const isFromStream =
    !(error instanceof Error) ||
    /StreamProvider|JSONParse|TypeValidation|InvalidResponse|EmptyResponse|NoOutput/.test(error.name);
  if (isFromStream) return again(`${options.provider}/${options.name} broke off with an error: ${said}`);
  return final(
    `${options.provider}/${options.name} could not be asked: ${said}.${isKnown ? ` Check the settings under ${sectionOf(options)}.` : ''}`,
  );
}

function isConnectionError(error: unknown): boolean {
  const texts = [error, error instanceof Error ? error.cause : undefined].map((part) => {
    const code = typeof part === 'object' && part !== null && 'code' in part ? String(part.code) : '';
    return `${code} ${messageOf(part)}`;
  });
  return texts.some((text) =>
    /\bE(?:CONN|HOST|NET)|ENOTFOUND|EAI_AGAIN|EPIPE|EPROTO|ETIMEDOUT|EADDRNOTAVAIL|E[MN]FILE|HPE_|UND_ERR|fetch failed|terminated|socket/i.test(
      text,
    ),
  );
}

function unreachable(error: unknown, options: LanguageMindOptions): string {
  const said = oneLine(messageOf(error), options);
  return `${options.provider}/${options.name} cannot be reached${at(options)}: ${said}. Is it running, and is ${sectionOf(options)}.base_url right?`;
}

function sectionOf({ section = 'model' }: LanguageMindOptions): string {
  return section;
}

function at({ baseUrl }: LanguageMindOptions): string {
  return baseUrl === undefined ? '' : ` at ${baseUrl}`;
}

function messageOf(error: unknown): string {
  if (error instanceof Error) {
    const { message, cause, code, name }: NodeJS.ErrnoException = error;
    // `fetch` says why only in the cause.
    if (message === 'fetch failed' && cause instanceof Error) return `${message}: ${messageOf(cause)}`;
    // If a name has several addresses, such as `localhost`, the error has a code and no message.
    return message || code || name;
  }
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message);
  return typeof error === 'string' ? error : (stringifyJson(error) ?? 'unknown');
}

/** Keys are removed before the text is cut: half a key would not be found. */
function oneLine(text: string, options: LanguageMindOptions): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  return clip(withoutKeys(line, options), MAX_DETAIL);
}

function again(message: string): Failure {
  return { kind: 'model_error', message, retryable: true };
}

function final(message: string): Failure {
  return { kind: 'model_error', message, retryable: false };
}

/** The variables that hold a key if the configuration names no other. */
const KEY_VARIABLES = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'];

/** Removes keys from text that is journaled, because servers quote requests in their errors. */
function withoutKeys(text: string, { apiKey }: LanguageMindOptions): string {
  const keys = [apiKey, ...KEY_VARIABLES.map((name) => process.env[name])].map((key) => key?.trim());
  // A dummy key such as `x` is not secret, and masking it would garble the text.
  const secrets = keys.filter((key): key is string => key !== undefined && key.length >= 4);
  const quoted = secrets.flatMap((key) => [key, encodeURIComponent(key.toWellFormed())]);
  return redact(text, quoted)
    .replaceAll(/\bBearer\s+[^\s"',]+/gi, `Bearer ${REDACTED}`)
    .replaceAll(/\bsk-[\w*%+/=-]{6,}/g, REDACTED)
    .replaceAll(/(\/\/)[^/\s@]+@/g, `$1${REDACTED}@`);
}
