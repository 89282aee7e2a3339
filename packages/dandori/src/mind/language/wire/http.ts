import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Stop } from '../../../model/stop.ts';
import { CallStopped, type Flow, Pool, type Receive, StaleConnection, type Take } from './connection.ts';
import type { ResponseHead } from './response-reader.ts';
import { OutputTooLong, ResponseError } from './wire.ts';

interface Posted {
  readonly headers: Readonly<Record<string, string>>;
  /** In pieces, so that a long conversation is not copied for every request. */
  readonly body: readonly Uint8Array[];
  readonly stop: Stop;
}

/**
 * Sends a request. Resolves at the end of the body, or when no more of it is needed. Rejects if there is no response,
 * or if it breaks off or is too long.
 */
export type Post = (
  url: URL,
  posted: Posted,
  receive: (head: ResponseHead) => Take | undefined,
) => Promise<void>;

/** Bytes of one response. A few characters of output arrive in an event of some hundred bytes. */
const LONGEST_BODY = 256 * 1024 * 1024;
/** Bytes without a newline, and of one event. It is kept in memory, and the objects in it take twenty times as much. */
export const LONGEST_EVENT = 16 * 1024 * 1024;
/** Bytes of memory that a piece takes besides its content. A server may send every byte on its own. */
const PIECE = 128;
const MOST_REDIRECTS = 3;

const postDirectly: Post = async (url, posted, receive) => {
  let target = url;
  let { headers } = posted;
  for (let redirects = 0; ; redirects++) {
    const from = target;
    let unpacking: Unpacking | undefined;
    let next: URL | undefined;
    try {
      await exchange(from, { ...posted, headers }, (head, flow) => {
        if (redirects < MOST_REDIRECTS) next = redirectIn(head, from);
        if (next !== undefined) return undefined;
        const take = receive(head);
        unpacking = take && unpack(head, take, { flow, stop: posted.stop });
        return unpacking?.take ?? (take && limited(take));
      });
    } catch (error) {
      unpacking?.stop();
      throw error;
    }
    if (next === undefined) return unpacking?.end();
    // Another server must not see the key.
    if (next.origin !== from.origin) headers = withoutKey(headers);
    target = next;
  }
};

function redirectIn({ status, headers }: ResponseHead, from: URL): URL | undefined {
  const isMoved = status === 307 || status === 308;
  if (!isMoved || headers.location === undefined) return undefined;
  const to = URL.parse(headers.location, from.href);
  if (to?.protocol !== 'http:' && to?.protocol !== 'https:')
    throw new ResponseError('it redirects to an address that is no URL of HTTP', { statusCode: status });
  return to;
}

function withoutKey({ authorization: _, ...others }: Posted['headers']): Posted['headers'] {
  return others;
}

async function exchange(url: URL, { headers, body, stop }: Posted, receive: Receive): Promise<void> {
  const { pool, start } = destinationOf(url, headers);
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const head = `${start}content-length: ${length}\r\n\r\n`;
  try {
    await pool.send({ head, body, length, stop }, receive);
  } catch (error) {
    // The server closed an idle connection just when it was used again.
    if (!(error instanceof StaleConnection) || stop.isStopped) throw error;
    await pool.send({ head, body, length, stop }, receive, true);
  }
}

/** What is the same for all requests to an address with the same headers. */
interface Destination {
  readonly url: URL;
  readonly pool: Pool;
  /** The request line and all headers but the length. */
  readonly start: string;
}

const destinations = new WeakMap<Posted['headers'], Destination>();
/** By the origin of their servers. */
const pools = new Map<string, Pool>();

function destinationOf(url: URL, headers: Posted['headers']): Destination {
  const known = destinations.get(headers);
  if (known?.url === url) return known;
  const pool = pools.get(url.origin) ?? new Pool(url);
  pools.set(url.origin, pool);
  const found = { url, pool, start: writeStart(url, headers) };
  destinations.set(headers, found);
  return found;
}

function writeStart(url: URL, headers: Posted['headers']): string {
  const all = { host: url.host, connection: 'keep-alive', ...credentialsIn(url), ...headers };
  const lines = Object.entries(all).map(([name, value]) => {
    // A line break in a key would begin another header.
    if (!IN_HEADER.test(value))
      throw new TypeError(`The header ${name} has a character that it must not have.`);
    return `${name}: ${value}\r\n`;
  });
  return `POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}`;
}

const IN_HEADER = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the address says about who asks, as a header. */
export function credentialsIn({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

interface Unpacking {
  readonly take: Take;
  /** Call it when the whole body was taken, or no more of it is needed. */
  end(): Promise<void>;
  /** Call it if the body broke off. */
  stop(): void;
}

/** Undefined if the body is not compressed. No compression is asked for, but some gateways send it anyway. */
function unpack(
  { status: statusCode, headers }: ResponseHead,
  asGiven: Take,
  { flow, stop: callStop }: { readonly flow: Flow; readonly stop: Stop },
): Unpacking | undefined {
  const encoding = headers['content-encoding']?.toLowerCase();
  // Some servers send `none`, so that nothing in between compresses a stream.
  if (encoding === undefined || encoding === 'identity' || encoding === 'none') return undefined;
  const stream = unpacker(encoding);
  if (stream === undefined) throw new ResponseError('it is compressed in an unknown way', { statusCode });
  const take = limited(asGiven);
  let isOver = false;
  const stop = () => {
    isOver = true;
    stream.destroy();
  };
  const ended = new Promise<void>((resolve, reject) => {
    const stopWith = (then: () => void) => {
      stop();
      then();
      // The server may send nothing more.
      flow.leave();
    };
    stream.on('end', () => stopWith(resolve));
    stream.on('error', (error) => stopWith(() => reject(new ResponseError(error.message, { statusCode }))));
    stream.on('drain', () => flow.resume());
    stream.on('data', (chunk: Buffer) => {
      if (isOver) return;
      try {
        // A few bytes unpack to millions, long after the connection has ended.
        if (callStop.isStopped) throw new CallStopped();
        if (!take(chunk)) stopWith(resolve);
      } catch (error) {
        stopWith(() => reject(error));
      }
    });
  });
  // It is awaited only when the body has arrived.
  ended.catch(() => {});
  return {
    take(piece) {
      // A server may send faster than this is unpacked.
      if (!isOver && !stream.write(piece)) flow.pause();
      return !isOver;
    },
    end() {
      if (!isOver) stream.end();
      return ended;
    },
    stop,
  };
}

function unpacker(encoding: string): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip();
  if (encoding === 'br') return createBrotliDecompress();
  return encoding === 'deflate' ? createInflate() : undefined;
}

/** Throws if the body gets too long. */
function limited(take: Take): Take {
  const isInRoom = limit();
  return (piece) => {
    if (!isInRoom(piece)) throw new OutputTooLong('the answer of the model is too long');
    return take(piece);
  };
}

/** Says of each chunk whether the body so far is within the limits. */
function limit(): (chunk: Uint8Array) => boolean {
  let bytes = 0;
  let sinceNewline = 0;
  return (chunk) => {
    bytes += chunk.length + PIECE;
    const newline = chunk.lastIndexOf(10);
    sinceNewline = newline === -1 ? sinceNewline + chunk.length + PIECE : chunk.length - newline;
    return bytes <= LONGEST_BODY && sinceNewline <= LONGEST_EVENT;
  };
}

/** The same with a `fetch` that the caller gave. */
export function postWith(fetch: typeof globalThis.fetch): Post {
  return async (url, { headers, body, stop }, receive) => {
    const response = await fetch(withoutCredentials(url), {
      method: 'POST',
      headers: { ...credentialsIn(url), ...headers },
      body: Buffer.concat(body).toString(),
      signal: stop.signal,
    });
    const { status, statusText } = response;
    const take = receive({ status, statusText, headers: Object.fromEntries(response.headers) });
    if (take === undefined || response.body === null) return;
    const takeSome = limited(take);
    for await (const chunk of response.body) if (!takeSome(chunk)) return;
  };
}

/** `fetch` refuses an address with credentials, and repeats it in its error. */
export function withoutCredentials(url: URL): URL {
  if (url.username === '' && url.password === '') return url;
  const plain = new URL(url);
  plain.username = '';
  plain.password = '';
  return plain;
}

/** Whether Node sends requests through the proxies that the environment names. */
function usesProxies(): boolean {
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env;
  return (
    NODE_USE_ENV_PROXY === '1' || [...process.execArgv, NODE_OPTIONS].join(' ').includes('--use-env-proxy')
  );
}

/** Posts over pooled connections. Where Node sends requests through a proxy, its `fetch` does. */
export const post: Post = usesProxies() ? postWith(globalThis.fetch) : postDirectly;

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
