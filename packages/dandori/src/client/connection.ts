import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import type { Problem } from '../server/api.ts';

export interface ConnectionOptions {
  /** For example `http://127.0.0.1:4310`. */
  readonly url: string;
  readonly token?: string;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Sends requests to a server. If the server refuses one, its error is thrown. */
export interface Connection {
  send(path: string, init?: RequestInit): Promise<Response>;
  get<T>(path: string): Promise<T>;
  /** Two requests with the same key take effect once. */
  post<T>(path: string, body: object | FormData, key?: string): Promise<T>;
}

export function connect({ url, token, ...options }: ConnectionOptions): Connection {
  const ask = options.fetch ?? globalThis.fetch.bind(globalThis);
  const base = url.replace(/\/+$/, '');
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const request = {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
    };
    let response: Response;
    try {
      response = await ask(`${base}${path}`, request).catch((error: unknown) => {
        // A server may close an idle connection just as the next request arrives. A read is therefore retried
        // once.
        if (init.method !== undefined || init.signal?.aborted) throw error;
        return ask(`${base}${path}`, request);
      });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw unreachable(base, error);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  return {
    send,
    get: async <T>(path: string) => bodyOf<T>(await send(path)),
    async post<T>(path: string, body: object | FormData, key?: string) {
      const isForm = body instanceof FormData;
      const response = await send(path, {
        method: 'POST',
        headers: {
          // For a form, fetch writes the boundary too.
          ...(!isForm && { 'Content-Type': 'application/json' }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        body: isForm ? body : stringifyJson(body),
      });
      return bodyOf<T>(response);
    },
  };
}

/**
 * Trusts the server to send the type: checking it would load zod in the browser. A test of the server proves
 * that every route follows its schema.
 */
export function parsedAs<T>(text: string): T {
  return parseJson(text) as T;
}

/** Another program may listen at this address, or a proxy may answer with its own page. */
async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return parsedAs(text);
  } catch (cause) {
    throw strange(`The server answered ${response.status} with something that is not JSON.`, cause);
  }
}

export function queryString(filters: object): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

async function refusal(response: Response): Promise<DandoriError> {
  const problem = (await response.json().catch(() => undefined)) as Partial<Problem> | undefined;
  if (problem?.code === undefined)
    return strange(`The server answered ${response.status} and did not say why.`);
  const { code, detail = '', fix, diagnostics } = problem;
  return new DandoriError(code, detail, {
    ...(fix !== undefined && { fix }),
    ...(diagnostics !== undefined && { diagnostics }),
  });
}

function strange(message: string, cause?: unknown): DandoriError {
  const fix = 'Check that this is the address of a Dandori server.';
  return new DandoriError('server-failed', message, { fix, ...(cause !== undefined && { cause }) });
}

function unreachable(base: string, cause: unknown): DandoriError {
  const { hostname, port } = URL.canParse(base) ? new URL(base) : { hostname: base, port: '' };
  return new DandoriError('server-unreachable', `No server answers at ${hostname}${port && `:${port}`}.`, {
    fix: 'Start one with `dandori serve`, or correct the address.',
    cause,
  });
}

/** One message of a stream of server-sent events. */
export interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Parses server-sent events as the standard says. Lines end with LF, CR or both, and an empty line ends a
 * message.
 */
export async function* readServerEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let name = 'message';
  let id: string | undefined;
  let data: string[] = [];
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { name, id, data: data.join('\n') };
      name = 'message';
      id = undefined;
      data = [];
      continue;
    }
    const [, field = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'event') name = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split(/\r\n|[\n\r]/);
      pieces.push(first);
      for (const next of others) {
        yield pieces.join('');
        pieces = [next];
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export interface FollowOptions {
  /** The seq of the last event that the caller already knows. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

interface Followable {
  readonly send: Connection['send'];
  readonly path: string;
  /** Milliseconds to keep reconnecting to a lost server. */
  readonly patience: number;
}

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 5_000;

/** A stream that reconnects and continues where it stopped. Messages with an id arrive once and in order. */
export async function* followStream(
  { send, path, patience }: Followable,
  { after = 0, signal }: FollowOptions = {},
): AsyncGenerator<ServerEvent> {
  let seen = after;
  let lostAt: number | undefined;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
    try {
      const response = await send(`${path}?after=${seen}`, {
        ...(signal && { signal }),
        headers: { Accept: 'text/event-stream' },
      });
      for await (const event of readServerEvents(response.body ?? new ReadableStream())) {
        lostAt = undefined;
        pause = FIRST_PAUSE;
        if (event.name !== 'message') yield event;
        else if (Number(event.id) > seen) {
          seen = Number(event.id);
          yield event;
        }
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof DandoriError && !isPassing(error)) throw error;
      lostAt ??= Date.now();
      if (Date.now() - lostAt > patience) throw error;
    }
    if (signal?.aborted) return;
    await sleep(pause, signal);
  }
}

/** Whether waiting may help: the server restarts, or limits the rate of requests. */
function isPassing({ code }: DandoriError): boolean {
  return ['server-unreachable', 'server-stopping', 'too-many-requests'].includes(code);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
