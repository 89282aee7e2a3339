import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { type Json, type JsonObject, jsonObject, stringifyJson } from '../../model/json.ts';
import { clip } from '../../model/text.ts';
import type { SchemaCheck } from '../../model/tool.ts';
import { type InputResponse, MOST_QUESTIONS } from '../../run/state/held-calls.ts';
import { type Call, type CallOutcome, failed, type InputRequest } from '../toolbox.ts';

type Asker = Pick<Call, 'userId' | 'elicit' | 'signal'>;

/**
 * The calls for which a server may ask a person while they run. MCP of 2025 does not say which call a request
 * belongs to. Over HTTP, the request comes on the stream of its call, and so in its asynchronous context.
 * Over stdio, it belongs to the only open call. If one user has several open calls, it belongs to the first
 * one without an open question.
 */
interface Askers {
  /** The signal aborts the call if it keeps asking after it was refused. */
  during<T>(asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Rejects with a `ProtocolError` that is sent to the server. */
  ask(params: unknown): Promise<InputResponse>;
}

export function createAskers(check: SchemaCheck): Askers {
  const context = new AsyncLocalStorage<Asker>();
  /** The open questions and the number of questions of each call. */
  const open = new Map<Asker, { waiting: number; asked: number; readonly flood: AbortController }>();

  const whoAsks = (): Asker => {
    const known = context.getStore();
    if (known !== undefined) return known;
    const candidates = [...open.keys()];
    const [first] = candidates;
    if (first === undefined) throw refusal('no call is open, so there is no user to ask');
    // A question must not reach another user than the one it is meant for.
    if (candidates.some(({ userId }) => userId !== first.userId))
      throw refusal('calls for several users are open, and the request does not say which one asks');
    return candidates.find((asker) => open.get(asker)?.waiting === 0) ?? first;
  };

  return {
    async during(asker, work) {
      const flood = new AbortController();
      open.set(asker, { waiting: 0, asked: 0, flood });
      try {
        return await context.run(asker, () => work(AbortSignal.any([asker.signal, flood.signal])));
      } catch (error) {
        throw flood.signal.aborted && !asker.signal.aborted ? flood.signal.reason : error;
      } finally {
        open.delete(asker);
      }
    },
    async ask(params) {
      const asker = whoAsks();
      const own = open.get(asker);
      if (own === undefined) throw refusal('the call that it belongs to has ended');
      own.asked += 1;
      // Checked before the request is read: reading compiles a form, and a server may send thousands.
      if (own.asked > MOST_REFUSED) own.flood.abort(new AskedTooOften(own.asked));
      if (own.asked > MOST_QUESTIONS) throw refusal(`a call may ask ${MOST_QUESTIONS} times at most`);
      const request = readRequest(params, check);
      if (asker.elicit === undefined) return { action: 'cancel' };
      own.waiting += 1;
      try {
        return await Promise.race([asker.elicit(request), untilAborted(asker.signal)]);
      } finally {
        own.waiting -= 1;
      }
    },
  };
}

/** After this many questions the call is ended, because the server ignores the refusals. */
const MOST_REFUSED = 10 * MOST_QUESTIONS;

export class AskedTooOften extends Error {
  override readonly name = 'AskedTooOften';

  constructor(times: number) {
    super(`it asked for input ${times} times during one call, and the call was given up`);
  }
}

function readRequest(params: unknown, check: SchemaCheck): InputRequest {
  try {
    return toInputRequest(params, check);
  } catch (error) {
    throw error instanceof RefusedRequest ? refusal(error.message) : error;
  }
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function untilAborted(signal: AbortSignal): Promise<InputResponse> {
  return new Promise((resolve) => {
    const stop = () => resolve({ action: 'cancel' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** A person reads the text, and it is journaled. */
const LONGEST_TEXT = 4_000;
const LONGEST_FORM = 32_000;
const LONGEST_URL = 2_048;
const LONGEST_STATE = 256_000;
/** The maximum number of requests that one call may make at once. */
const MOST_REQUESTS = 20;

/** Explains why a server's request is refused. */
class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
}

const elicitation = z.object({
  mode: z.string().default('form'),
  message: z.string(),
  requestedSchema: jsonObject.optional(),
  url: z.string().optional(),
});

/** Converts a server's request into a question for a person, or throws a `RefusedRequest`. */
function toInputRequest(params: unknown, check: SchemaCheck): InputRequest {
  const parsed = elicitation.safeParse(params);
  if (!parsed.success) throw new RefusedRequest('the request is not a valid MCP elicitation');
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

/**
 * For a call that ended because the server wants input first. It fails if we cannot give that input, so that
 * the run does not wait forever.
 */
export function inputOutcome(result: unknown, server: string, check: SchemaCheck): CallOutcome {
  const parsed = inputRequired.safeParse(result);
  if (!parsed.success) return failed('invalid_result', `${server} asks for input in a way that is not MCP`);
  const { inputRequests, requestState: state } = parsed.data;
  const named = Object.entries(inputRequests);
  if (named.length === 0)
    return failed('unavailable', `${server} keeps postponing the call`, { retryable: true });
  return wanted(server, named.length, () => ({
    requests: named.map(([name, request]) => ({ name, ...toEmbedded(request, check) })),
    ...(state !== undefined && { state }),
  }));
}

/** For the error -32042 of older servers: pages that a person has to visit before the call is made again. */
export function urlsOutcome(data: unknown, server: string, check: SchemaCheck): CallOutcome {
  const list: readonly unknown[] =
    z.object({ elicitations: z.array(z.unknown()) }).safeParse(data).data?.elicitations ?? [];
  if (list.length === 0)
    return failed('tool_error', `${server} wants the user to open a page first, but does not say which`);
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
      throw new RefusedRequest(`${count} inputs were requested at once; the limit is ${MOST_REQUESTS}`);
    return { kind: 'input_wanted', ...read() };
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    return failed('tool_error', `${server} asks for input that is not allowed: ${error.message}`);
  }
}

function toEmbedded(request: unknown, check: SchemaCheck): InputRequest {
  const { method, params } = embedded.safeParse(request).data ?? { method: 'nothing', params: undefined };
  if (method === 'elicitation/create') return toInputRequest(params, check);
  throw new RefusedRequest(`${readable(method)} is not supported, only elicitation/create`);
}

/** Allows only web pages, and no host that is disguised by a user name before an @. */
function toUrl(text = ''): string {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username + url.password !== '')
    throw new RefusedRequest('its url is not an http or https URL that can be shown to a user');
  // As a browser reads it, so that a host with look-alike letters is shown in its encoded form.
  return url.href;
}

function toForm(schema: JsonObject | undefined, check: SchemaCheck): JsonObject {
  if (schema?.type !== 'object') throw new RefusedRequest('the schema of its form is not an object');
  if (stringifyJson(schema).length > LONGEST_FORM) throw new RefusedRequest('its form is too large');
  const problem = check.problem?.(schema);
  if (problem !== undefined) throw new RefusedRequest(`the schema of its form cannot be used: ${problem}`);
  if (asksForSecret(schema))
    throw new RefusedRequest(
      'its form asks for a secret, which would be journaled; use url mode of MCP for that',
    );
  return schema;
}

function asksForSecret(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (!Array.isArray(schema) && (schema.format === 'password' || schema.writeOnly === true)) return true;
  return Object.values(schema).some(asksForSecret);
}

/** Removes characters that move the cursor or change the direction of text. */
function readable(text: string): string {
  const plain = text.replaceAll(/[^\P{C}\n\t]/gu, '').trim();
  return clip(plain, LONGEST_TEXT);
}
