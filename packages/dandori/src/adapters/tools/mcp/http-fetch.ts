import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { FetchLike } from '@modelcontextprotocol/client';
import { parseJson } from '../../../domain/json-text.ts';
import type { ExactNumbers } from './exact-numbers.ts';
import { TransportProblem, tooLarge } from './problem.ts';

/** Which request of ours a POST carries. It is taken off before it is sent. */
export const REQUEST_HEADER = 'x-dandori-request';

export interface HttpFetch {
  readonly fetch: FetchLike;
  /** How the last body began that was no stream. */
  lastBody(): string | undefined;
  close(): void;
}

/**
 * Shorter than the five seconds after which most servers close an idle connection: a call that is sent on a connection
 * which the server is just closing is lost, and nobody knows whether it was done.
 */
const IDLE = 4_000;
const HEAD = 4_096;

/**
 * `fetch` over `node:http`. The global one ends every call after five minutes of silence, and does not tell whether a
 * request was sent before it failed.
 */
export function createHttpFetch(
  limit: number,
  exact: ExactNumbers,
  onProblem: (request: string, problem: TransportProblem) => void,
): HttpFetch {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: IDLE }),
    'https:': new https.Agent({ keepAlive: true, timeout: IDLE }),
  };
  let lastBody: Buffer | undefined;

  const fetch: FetchLike = async (input, init = {}) => {
    const url = new URL(input);
    const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
    const headers = new Headers(init.headers);
    const request = headers.get(REQUEST_HEADER);
    headers.delete(REQUEST_HEADER);
    const incoming = await send(url, {
      agent: agents[protocol],
      method: init.method ?? 'GET',
      headers: Object.fromEntries(headers),
      body: typeof init.body === 'string' ? exact.sent(init.body) : undefined,
      signal: init.signal ?? undefined,
    });
    const tell = (problem: TransportProblem) => {
      if (request !== null) onProblem(request, problem);
      return problem;
    };
    lastBody = undefined;
    const begun = (chunk: Buffer) => {
      // A copy, so that the large buffer behind it can go.
      lastBody = Buffer.from(chunk.subarray(0, HEAD));
    };
    return toResponse(incoming, { limit, tell, begun, exact });
  };

  return {
    fetch,
    lastBody: () => lastBody?.toString(),
    close: () => Object.values(agents).forEach((agent) => void agent.destroy()),
  };
}

interface Outgoing {
  readonly agent: http.Agent;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

function send(url: URL, { body, ...options }: Outgoing): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options);
    let connected = false;
    request.once('socket', (socket) => {
      const ready = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      if (socket.connecting) socket.once(ready, () => (connected = true));
      else connected = true;
    });
    request.once('response', resolve);
    request.once('error', (error) => {
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

/** Where a host has several addresses, Node's error is a list of errors without a message. */
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
    // One that is beyond all numbers says nothing, and could not be journaled.
    const details = retryAfter > 0 && Number.isFinite(retryAfter) ? { retryAfter } : {};
    throw new TransportProblem('busy', `the server takes no calls now (HTTP ${status})`, details);
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) incoming.resume();
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const chunks = isStream ? exact.events(boundedLines(incoming, limit)) : bounded(incoming, { limit, begun });
  const body = isEmpty ? null : streamOf(telling(chunks, tell));
  const response = new Response(body, { status, statusText: incoming.statusMessage ?? '', headers });
  // The SDK asks for it by this method, which would round large integers.
  return Object.assign(response, { json: async () => parseJson(await response.text()) });
}

/** `ReadableStream.from`, which the types of browsers do not know; the tests of the page see this file with them. */
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
    const message = error instanceof Error ? error.message : String(error);
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

/** A stream may go on for days; it is one event, which is one line, that must not be too large. */
async function* boundedLines(incoming: IncomingMessage, limit: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(10) + 1;
    bytes = end > 0 ? chunk.length - end : bytes + chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    yield chunk;
  }
}
