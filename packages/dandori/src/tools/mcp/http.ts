import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agent, IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type FetchLike,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../model/error.ts';
import type { Json } from '../../model/json.ts';
import { ByteBlock, freeChunk } from './byte-block.ts';
import type { HttpServerConfig } from './config.ts';
import { createExactNumbers, type ExactNumbers } from './exact-numbers.ts';
import { whyNotParsed } from './json-limits.ts';
import { parsePieces } from './json-pieces.ts';
import { storedLogin } from './oauth.ts';
import {
  asResponse,
  cancelledRequest,
  isMalformed,
  NO_JSON_RPC,
  type ServerTransport,
  TransportProblem,
  tooLarge,
  WRONG_ID,
} from './transport.ts';

interface Pending {
  readonly stop: AbortController;
  readonly isCall: boolean;
  problem?: TransportProblem;
}

const GOODBYE = 1_000;

/**
 * MCP over streamable HTTP by the SDK, with two fixes for connections of the 2025 protocol. A request whose
 * stream ends without an answer would wait forever. A cancelled request would keep its connection.
 */
export function createHttpTransport(config: HttpServerConfig, limit: number): ServerTransport {
  const pending = new Map<string | number, Pending>();
  const exact = createExactNumbers();
  /** The request whose stream is being read. */
  const reading = new AsyncLocalStorage<string | number>();
  const http = createHttpFetch(limit, exact, (request, problem) => {
    const entry = pending.get(Number(request));
    if (entry !== undefined) entry.problem = problem;
  });
  const login = storedLogin(config);
  const inner = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: http.fetch,
    requestInit: { headers: { ...config.headers } },
    ...(login !== undefined && { authProvider: login }),
  });
  const unanswered = (id: string | number) => {
    const entry = pending.get(id);
    if (entry === undefined) return;
    pending.delete(id);
    const lost = new TransportProblem('connection_lost', 'the connection ended without an answer');
    transport.onmessage?.(asResponse(id, entry.problem ?? lost));
  };

  const transport: ServerTransport = {
    start: () => inner.start(),
    async send(message, options) {
      if (!isRequest(message)) {
        await inner.send(exact.marked(message), options);
        const cancelled = cancelledRequest(message);
        // Not earlier: the server must hear of the cancellation before the connection closes.
        if (cancelled !== undefined) {
          pending.get(cancelled)?.stop.abort();
          pending.delete(cancelled);
        }
        return;
      }
      const { id } = message;
      const stop = new AbortController();
      pending.set(id, { stop, isCall: message.method === 'tools/call' });
      const signals = [stop.signal, options?.requestSignal].filter((signal) => signal !== undefined);
      try {
        await reading.run(id, () =>
          inner.send(exact.marked(message), {
            ...options,
            headers: { ...options?.headers, [REQUEST_HEADER]: String(id) },
            requestSignal: AbortSignal.any(signals),
            onRequestStreamEnd: () => {
              options?.onRequestStreamEnd?.();
              unanswered(id);
            },
          }),
        );
      } catch (error) {
        const problem = pending.get(id)?.problem;
        pending.delete(id);
        throw problem ?? error;
      }
    },
    async close() {
      // A server with sessions is told that this one is over, but we wait only briefly.
      await Promise.race([
        inner.terminateSession().catch(() => {}),
        delay(GOODBYE, undefined, { ref: false }),
      ]);
      await inner.close();
      http.close();
    },
    kill: () => http.close(),
    lastWords: http.lastWords,
    hasPerRequestStream: true,
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
  };

  const malform = (reason: string) => {
    const id = reading.getStore();
    if (id === undefined || pending.get(id)?.isCall !== true) return;
    pending.get(id)?.stop.abort();
    pending.delete(id);
    transport.onmessage?.(asResponse(id, new TransportProblem('malformed', reason)));
  };
  inner.onmessage = (message: JSONRPCMessage) => {
    const isAnswer = 'id' in message && message.id !== undefined && !('method' in message);
    if (!isAnswer) return transport.onmessage?.(exact.unmarked(message));
    // The ids of calls are numbers, and some servers answer with a text. The first request of the SDK has a text.
    const { id: written = '' } = message;
    const answer = { ...message, id: pending.has(written) ? written : Number(written) };
    if (!pending.delete(answer.id)) malform(WRONG_ID);
    transport.onmessage?.(exact.unmarked(answer));
  };
  inner.onerror = (error) => {
    // An unreadable message on the stream of a request is its answer, or hides it.
    if (isMalformed(error)) malform(NO_JSON_RPC);
    transport.onerror?.(error);
  };
  inner.onclose = () => transport.onclose?.();
  return transport;
}

export function isRequest(
  message: JSONRPCMessage,
): message is JSONRPCMessage & { id: string | number; method: string } {
  return 'id' in message && 'method' in message;
}

/** Names the request that a POST contains. The header is removed before sending. */
const REQUEST_HEADER = 'x-dandori-request';

interface HttpFetch {
  readonly fetch: FetchLike;
  /** The beginning of the last body that was not a stream. */
  lastWords(): { readonly body?: string };
  close(): void;
}

/**
 * Shorter than the five seconds after which most servers close an idle connection. If a call is sent while
 * the server closes the connection, the call is lost and its effect is unknown.
 */
const IDLE = 4_000;
const HEAD = 4_096;

/** Not by `import`, which reads all exports of `node:http` and so loads its WebSocket: 50 ms of every start. */
function clientFor(protocol: string): Pick<typeof import('node:http'), 'Agent' | 'request'> {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

/**
 * `fetch` over `node:http`. The global `fetch` ends every call after five minutes of silence, and does not
 * tell whether a request was sent before it failed.
 */
export function createHttpFetch(
  limit: number,
  exact: ExactNumbers,
  onProblem: (request: string, problem: TransportProblem) => void,
): HttpFetch {
  const agents = new Map<string, Agent>();
  const agentFor = (protocol: string) => {
    const known = agents.get(protocol);
    const agent = known ?? new (clientFor(protocol).Agent)({ keepAlive: true, timeout: IDLE });
    agents.set(protocol, agent);
    if (known === undefined) agent.on('free', (socket) => idleSince.set(socket, Date.now()));
    else closeIdle(agent);
    return agent;
  };
  const idleSince = new WeakMap<object, number>();
  /** The agent's own timer is late if this process was blocked or the machine slept. */
  const closeIdle = (agent: Agent) => {
    for (const socket of Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []))
      if (Date.now() - (idleSince.get(socket) ?? 0) >= IDLE) socket.destroy();
  };
  let lastBody: Buffer | undefined;

  const fetch: FetchLike = async (input, init = {}) => {
    const url = new URL(input);
    const headers = new Headers(init.headers);
    const request = headers.get(REQUEST_HEADER);
    headers.delete(REQUEST_HEADER);
    const incoming = await send(url, {
      agent: agentFor(url.protocol),
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body: bodyOf(init.body, exact),
      signal: init.signal ?? undefined,
    });
    const tell = (problem: TransportProblem) => {
      if (request !== null) onProblem(request, problem);
      return problem;
    };
    lastBody = undefined;
    const begun = (chunk: Buffer) => {
      // A copy, so that the large buffer behind it can be freed.
      lastBody = Buffer.from(chunk.subarray(0, HEAD));
    };
    return toResponse(incoming, { limit, tell, begun, exact });
  };

  return {
    fetch,
    lastWords: () => (lastBody === undefined ? {} : { body: lastBody.toString() }),
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** A message, or the form that asks for a token. */
function bodyOf(body: unknown, exact: ExactNumbers): string | undefined {
  if (body instanceof URLSearchParams) return body.toString();
  return typeof body === 'string' ? exact.sent(body) : undefined;
}

interface Outgoing {
  readonly agent: Agent;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

function send(url: URL, { body, ...options }: Outgoing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = clientFor(url.protocol).request(url, options);
    let connected = false;
    request.once('socket', (socket) => {
      // Node removes its own listener at the end of an answer. Without this one, an abort at that moment would end
      // the process. A connection is used again, so the listener may be there.
      if (!socket.listeners('error').includes(ignore)) socket.on('error', ignore);
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (socket.connecting) socket.once(ready, () => (connected = true));
      else connected = true;
    });
    request.once('response', resolve);
    request.on('error', (error) => {
      if (options.signal?.aborted) reject(error);
      else if (connected)
        reject(
          new TransportProblem('connection_lost', `the connection was lost: ${error.message}`, {
            cause: error,
          }),
        );
      else
        reject(new TransportProblem('not_sent', `no connection: ${connectError(error)}`, { cause: error }));
    });
    request.end(body);
  });
}

function ignore(): void {}

/** If a host has several addresses, Node's error is a list of errors without a message. */
function connectError(error: Error): string {
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  return error.message || (first instanceof Error ? first.message : 'it was refused');
}

interface Reading {
  readonly limit: number;
  readonly tell: (problem: TransportProblem) => TransportProblem;
  readonly begun: (chunk: Buffer) => void;
  readonly exact: ExactNumbers;
}

function toResponse(incoming: IncomingMessage, { limit, tell, begun, exact }: Reading): Response {
  const status = incoming.statusCode ?? 500;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  if (status === 429 || status === 503) {
    incoming.resume();
    const retryAfter = Number(headers.get('retry-after')) * 1_000;
    // An infinite delay is useless and cannot be journaled.
    const details = retryAfter > 0 && Number.isFinite(retryAfter) ? { retryAfter } : {};
    throw new TransportProblem('busy', `the server accepts no calls now (HTTP ${status})`, details);
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) incoming.resume();
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const chunks = isStream ? exact.events(incoming, limit) : bounded(incoming, { limit, begun });
  const body = isEmpty ? null : streamOf(telling(chunks, tell));
  const response = new Response(body, { status, statusText: incoming.statusMessage ?? '', headers });
  // The SDK reads the body with this method, and the original one would round large integers. A plain assignment fails if
  // a program has replaced the global `Response`, as hono's server does.
  return Object.defineProperty(response, 'json', { value: () => jsonOf(response, tell) });
}

/** Like `response.json()`, which would hold a large body in memory several times. */
async function jsonOf({ body }: Response, tell: Reading['tell']): Promise<Json> {
  const block = new ByteBlock();
  for await (const chunk of body ?? []) {
    block.add(chunk);
    freeChunk(chunk);
  }
  const problem = whyNotParsed(block.view());
  if (problem !== undefined) throw tell(problem);
  const hasMark = BYTE_ORDER_MARK.every((byte, index) => block.view()[index] === byte);
  const value = parsePieces(block.view(hasMark ? BYTE_ORDER_MARK.length : 0));
  block.free();
  return value;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** `ReadableStream.from` is missing in the browser types, with which the page's tests compile this file. */
function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel(reason) {
        await chunks.return(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

async function* telling(
  chunks: AsyncIterable<Uint8Array>,
  tell: (problem: TransportProblem) => TransportProblem,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (error instanceof TransportProblem) throw tell(error);
    const message = messageOf(error);
    throw tell(
      new TransportProblem('connection_lost', `the connection was lost: ${message}`, { cause: error }),
    );
  }
}

async function* bounded(
  incoming: IncomingMessage,
  { limit, begun }: Pick<Reading, 'limit' | 'begun'>,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (bytes === 0) begun(chunk);
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    yield chunk;
  }
}
