import * as z from 'zod';
import type { SchemaCheck } from '../../../core/schema.ts';
import { type Json, type JsonObject, jsonObject } from '../../../domain/json.ts';
import { stringifyJson } from '../../../domain/json-text.ts';
import type { CallOutcome, InputRequest } from '../../../ports/toolbox.ts';
import { failed } from '../outcome.ts';

/** A person reads it, and it is journaled. */
const LONGEST_TEXT = 4_000;
const LONGEST_FORM = 32_000;
const LONGEST_URL = 2_048;
const LONGEST_STATE = 256_000;
/** What one call may ask for at once. */
const MOST_REQUESTS = 20;

/** Why a server is not given what it asks for, in words. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
}

const elicitation = z.object({
  mode: z.string().default('form'),
  message: z.string(),
  requestedSchema: jsonObject.optional(),
  url: z.string().optional(),
});

/** What a server wants to know from a person, as far as a person can be asked that. Throws a `RefusedRequest`. */
export function toInputRequest(params: unknown, check: SchemaCheck): InputRequest {
  const parsed = elicitation.safeParse(params);
  if (!parsed.success) throw new RefusedRequest('the request is no elicitation as MCP has them');
  const { mode, message, requestedSchema, url } = parsed.data;
  const text = readable(message);
  if (mode === 'url') return { text, url: toUrl(url) };
  if (mode === 'form') return { text, form: toForm(requestedSchema, check) };
  throw new RefusedRequest(`elicitation in mode "${readable(mode)}" is not supported, only form and url`);
}

const inputRequired = z.object({
  inputRequests: z.record(z.string(), z.unknown()).default({}),
  requestState: z.string().max(LONGEST_STATE).optional(),
});
const embedded = z.object({ method: z.string(), params: z.unknown().optional() });

/** A call that ended because the server wants input first. What we cannot give fails it, so that nobody waits. */
export function inputOutcome(result: unknown, server: string, check: SchemaCheck): CallOutcome {
  const parsed = inputRequired.safeParse(result);
  if (!parsed.success) return failed('invalid_result', `${server} asks for input in a way that is not MCP`);
  const { inputRequests, requestState: state } = parsed.data;
  const named = Object.entries(inputRequests);
  if (named.length === 0)
    return failed('unavailable', `${server} puts the call off again and again`, { retryable: true });
  return wanted(server, named.length, () => ({
    requests: named.map(([name, request]) => ({ name, ...toEmbedded(request, check) })),
    ...(state !== undefined && { state }),
  }));
}

/** The error -32042 of older servers: pages that a person has to see before the call is made again. */
export function urlsOutcome(data: unknown, server: string, check: SchemaCheck): CallOutcome {
  const list: readonly unknown[] =
    z.object({ elicitations: z.array(z.unknown()) }).safeParse(data).data?.elicitations ?? [];
  if (list.length === 0)
    return failed('tool_error', `${server} wants a page to be seen first, and does not say which`);
  return wanted(server, list.length, () => ({
    requests: list.map((one) =>
      toInputRequest({ mode: 'url', ...z.looseObject({}).safeParse(one).data }, check),
    ),
  }));
}

type Wanted = Omit<CallOutcome & { kind: 'input_wanted' }, 'kind'>;

function wanted(server: string, count: number, read: () => Wanted): CallOutcome {
  try {
    if (count > MOST_REQUESTS)
      throw new RefusedRequest(`${count} things at once are more than ${MOST_REQUESTS}`);
    return { kind: 'input_wanted', ...read() };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return failed('tool_error', `${server} asks for input that it cannot have: ${error.message}`);
  }
}

function toEmbedded(request: unknown, check: SchemaCheck): InputRequest {
  const { method, params } = embedded.safeParse(request).data ?? { method: 'nothing', params: undefined };
  if (method === 'elicitation/create') return toInputRequest(params, check);
  throw new RefusedRequest(`${readable(method)} is not supported, only elicitation/create`);
}

/** Only pages that a browser shows, and no host that hides behind a name before an @. */
function toUrl(text = ''): string {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username + url.password !== '')
    throw new RefusedRequest('its url is not one of http or https that can be shown to a person');
  // As it is read by a browser: a host that only looks like another one shows its true letters.
  return url.href;
}

function toForm(schema: JsonObject | undefined, check: SchemaCheck): JsonObject {
  if (schema?.type !== 'object') throw new RefusedRequest('its form has no schema of an object');
  if (stringifyJson(schema).length > LONGEST_FORM) throw new RefusedRequest('its form is too large');
  const problem = check.problem?.(schema);
  if (problem !== undefined) throw new RefusedRequest(`the schema of its form cannot be used: ${problem}`);
  if (asksForSecret(schema))
    throw new RefusedRequest(
      'its form asks for a secret, which would be written down; MCP has url mode for that',
    );
  return schema;
}

function asksForSecret(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (!Array.isArray(schema) && (schema.format === 'password' || schema.writeOnly === true)) return true;
  return Object.values(schema).some(asksForSecret);
}

/** Without characters that move the cursor or turn the direction of what is read. */
function readable(text: string): string {
  const plain = text.replaceAll(/[^\P{C}\n\t]/gu, '').trim();
  return plain.length <= LONGEST_TEXT ? plain : `${plain.slice(0, LONGEST_TEXT)}…`;
}
