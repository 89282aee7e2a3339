import type { Agent, AgentOptions, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Stop } from './stop.ts';
import { OutputTooLong, ResponseError } from './wire.ts';

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  /** In pieces, so that a long conversation is not copied for every request. */
  readonly body: readonly Uint8Array[];
  readonly stop: Stop;
}

export interface Answered {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  /**
   * Reads the body until its end, or until `onChunk` returns false. Rejects if the connection breaks off or the
   * body is too long.
   */
  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void>;
}

export type Post = (url: URL, posted: Posted) => Promise<Answered>;

/** Bytes of one response. A few characters of output arrive in an event of some hundred bytes. */
const LONGEST_BODY = 256 * 1024 * 1024;
/** Bytes without a newline. An incomplete event is kept in memory. */
const LONGEST_LINE = 16 * 1024 * 1024;
const MOST_REDIRECTS = 3;
/** Milliseconds until the connection is closed if a body that is no longer read does not end. */
const LINGER = 1_000;

const MAY_BE_PROXIED = process.env.NODE_USE_ENV_PROXY === '1';

/** One pool for all models of the process. Free connections don't keep the process alive. */
const AGENT_OPTIONS: AgentOptions = {
  keepAlive: true,
  scheduling: 'lifo',
  // By default 256. With a thousand runs at once, calls would close their connections and open others.
  maxFreeSockets: 2_000,
  ...(MAY_BE_PROXIED && { proxyEnv: process.env }),
};
const agents = new Map<string, Agent>();

function agentFor(protocol: string): Agent {
  const agent = agents.get(protocol) ?? new (clientFor(protocol).Agent)(AGENT_OPTIONS);
  agents.set(protocol, agent);
  return agent;
}

/** Not by `import`, which reads all exports of `node:http` and so loads its WebSocket: 50 ms of every start. */
function clientFor(protocol: string): Pick<typeof import('node:http'), 'Agent' | 'request'> {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

/** Posts over a pooled connection. This takes a third of the time of the global `fetch`. */
export const post: Post = async (url, posted) => {
  let target = url;
  let sent = posted;
  for (let redirects = 0; ; redirects++) {
    const response = await open(target, sent);
    const { statusCode = 0, headers } = response;
    const isMoved = statusCode === 307 || statusCode === 308;
    if (!isMoved || headers.location === undefined || redirects === MOST_REDIRECTS) return answered(response);
    response.resume();
    endSoon(response);
    const next = new URL(headers.location, target);
    if (next.origin !== target.origin) {
      // Another server must not see the key.
      const { authorization: _, ...others } = sent.headers;
      sent = { ...sent, headers: others };
    }
    target = next;
  }
};

/** `isPooled`: over a connection that may have been used before. */
function open(url: URL, posted: Posted, isPooled = true): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { headers, body, stop } = posted;
    const sent = clientFor(url.protocol).request(requestOptions(url, headers, body, isPooled));
    const abort = () => sent.destroy(new Error('The call was stopped.'));
    stop.onStop(abort);
    let isAnswered = false;
    sent.on('response', (response) => {
      isAnswered = true;
      resolve(response);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A server may close an idle connection just when it is used again. Then the request never reached it.
      const isStale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (isStale && !isAnswered && !stop.isStopped) resolve(open(url, posted, false));
      else reject(error);
    });
    // After the response, before its connection is used again.
    sent.on('close', () => {
      stop.forget(abort);
      // For example, after a switch to another protocol.
      if (!isAnswered) reject(new Error('The socket was closed without a response.'));
    });
    sent.cork();
    for (const piece of body) sent.write(piece);
    sent.end();
    sent.uncork();
  });
}

/** What is the same for all requests with the same headers. */
interface Address {
  readonly url: URL;
  readonly options: RequestOptions;
  /**
   * As a list, headers are written at once, and Node keeps no object of them as long as the request. But then it adds
   * neither the host nor the credentials of the address.
   */
  readonly list: readonly string[];
}

const addresses = new WeakMap<Posted['headers'], Address>();

function addressOf(url: URL, headers: Posted['headers']): Address {
  const known = addresses.get(headers);
  if (known?.url === url) return known;
  // Only what a request needs: Node copies the options of each and keeps them.
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  const address = {
    url,
    options: { protocol, hostname, port, path, auth, method: 'POST' },
    list: Object.entries({ host: url.host, ...basic, ...headers }).flat(),
  };
  addresses.set(headers, address);
  return address;
}

function requestOptions(
  url: URL,
  headers: Posted['headers'],
  body: Posted['body'],
  isPooled: boolean,
): RequestOptions {
  const { options, list } = addressOf(url, headers);
  const length = String(body.reduce((sum, piece) => sum + piece.length, 0));
  return {
    ...options,
    agent: isPooled && agentFor(url.protocol),
    // Node cannot rewrite a list of headers for a proxy.
    headers: MAY_BE_PROXIED ? { ...headers, 'content-length': length } : [...list, 'content-length', length],
  };
}

function answered(response: IncomingMessage): Answered {
  const { statusCode: status = 0, statusMessage: statusText = '' } = response;
  return {
    status,
    statusText,
    contentType: response.headers['content-type'] ?? '',
    get headers() {
      const all = Object.entries(response.headers);
      return Object.fromEntries(all.map(([name, value]) => [name, String(value)]));
    },
    read: (onChunk) => readStream(response, status, onChunk),
  };
}

function readStream(
  response: IncomingMessage,
  status: number,
  onChunk: (chunk: Uint8Array) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const isInRoom = limit();
    let isOver = false;
    const fail = (error: Error) => {
      isOver = true;
      reject(error);
      response.destroy();
    };
    const broken = (error: Error) => fail(new ResponseError(error.message, { statusCode: status }));
    const body = decoded(response);
    if (body === undefined) {
      fail(new ResponseError('it is compressed in an unknown way', { statusCode: status }));
      return;
    }
    if (body !== response) response.on('error', broken);
    body.on('error', broken);
    let hasEnded = false;
    body.on('end', () => {
      hasEnded = true;
      resolve();
    });
    body.on('close', () => {
      if (!hasEnded && !isOver) broken(new Error('the connection was closed'));
    });
    body.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (!isInRoom(chunk)) return fail(new OutputTooLong('the answer of the model is too long'));
      try {
        if (onChunk(chunk)) return;
      } catch (error) {
        return fail(error instanceof Error ? error : new Error(String(error)));
      }
      isOver = true;
      resolve();
      endSoon(response);
    });
  });
}

/** The connection can be used again if the rest of the body, which is not needed, ends now, as it should. */
function endSoon(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), LINGER).unref();
  response.once('close', () => clearTimeout(timer));
}

/** Undefined for an unknown compression. No compression is asked for, but some gateways send it anyway. */
function decoded(response: IncomingMessage): Readable | undefined {
  const encoding = response.headers['content-encoding'];
  if (encoding === undefined || encoding === 'identity') return response;
  if (encoding === 'gzip' || encoding === 'x-gzip') return response.pipe(createGunzip());
  if (encoding === 'br') return response.pipe(createBrotliDecompress());
  return encoding === 'deflate' ? response.pipe(createInflate()) : undefined;
}

/** Says of each chunk whether the body so far is within the limits. */
function limit(): (chunk: Uint8Array) => boolean {
  let bytes = 0;
  let sinceNewline = 0;
  return (chunk) => {
    bytes += chunk.length;
    const newline = chunk.lastIndexOf(10);
    sinceNewline = newline === -1 ? sinceNewline + chunk.length : chunk.length - newline;
    return bytes <= LONGEST_BODY && sinceNewline <= LONGEST_LINE;
  };
}

/** The same with a `fetch` that the caller gave. */
export function postWith(fetch: typeof globalThis.fetch): Post {
  return async (url, { headers, body, stop }) => {
    const text = Buffer.concat(body).toString();
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers },
      body: text,
      signal: stop.signal,
    });
    const { status, statusText } = response;
    return {
      status,
      statusText,
      headers: Object.fromEntries(response.headers),
      contentType: response.headers.get('content-type') ?? '',
      async read(onChunk) {
        const isInRoom = limit();
        for await (const chunk of response.body ?? []) {
          if (!isInRoom(chunk)) throw new OutputTooLong('the answer of the model is too long');
          if (!onChunk(chunk)) return;
        }
      },
    };
  };
}

/** For the AI SDK, which has no limits of its own: stops reading a response that is too large. */
export function limitedFetch(fetch: typeof globalThis.fetch = globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isInRoom = limit();
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        if (isInRoom(chunk)) controller.enqueue(chunk);
        else controller.error(new OutputTooLong('the answer of the model is too long'));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
