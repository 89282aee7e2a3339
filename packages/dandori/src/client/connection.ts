import { DandoriError } from '../domain/error.ts';
import { parseJson, stringifyJson } from '../domain/json-text.ts';
import type { Problem } from './api.ts';

export interface ConnectionOptions {
  /** Such as `http://127.0.0.1:4310`. */
  readonly url: string;
  readonly token?: string;
  /** In place of the global one. */
  readonly fetch?: typeof fetch;
}

/** What is sent to a server. What it refuses is thrown as the error that it gave. */
export interface Connection {
  send(path: string, init?: RequestInit): Promise<Response>;
  get<T>(path: string): Promise<T>;
  /** With a key, what is sent twice is done once. */
  post<T>(path: string, body: object, key?: string): Promise<T>;
}

export function connect({ url, token, ...options }: ConnectionOptions): Connection {
  const ask = options.fetch ?? globalThis.fetch.bind(globalThis);
  const base = url.replace(/\/+$/, '');
  const headers: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await ask(`${base}${path}`, {
        ...init,
        headers: { ...headers, ...(init.headers as Record<string, string> | undefined) },
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
    async post<T>(path: string, body: object, key?: string) {
      const response = await send(path, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(key !== undefined && { 'Idempotency-Key': key }),
        },
        body: stringifyJson(body),
      });
      return bodyOf<T>(response);
    },
  };
}

/** Another program may listen there, and a proxy may answer with a page of its own. */
async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return parseJson(text) as T;
  } catch (cause) {
    throw strange(`The server answered ${response.status} with what is no JSON.`, cause);
  }
}

export function queryOf(filters: object): string {
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
  const fix = 'Look whether this is the address of a Dandori server.';
  return new DandoriError('server-failed', message, { fix, ...(cause !== undefined && { cause }) });
}

function unreachable(base: string, cause: unknown): DandoriError {
  const { hostname, port } = URL.canParse(base) ? new URL(base) : { hostname: base, port: '' };
  return new DandoriError('server-unreachable', `No server answers at ${hostname}${port && `:${port}`}.`, {
    fix: 'Start one with `dandori serve`, or correct the address.',
    cause,
  });
}
