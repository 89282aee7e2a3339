import { parseJson, stringifyJson } from '../domain/json-text.ts';
import type { UserConfigApi } from './config.ts';

/** Why there is no configuration of a user's. */
export type UserConfigProblem =
  | 'unreachable'
  | 'timeout'
  | 'status'
  | 'redirect'
  | 'too_large'
  | 'not_json'
  /** It holds keys that only the file may hold. The others count. */
  | 'refused'
  /** What it holds is wrong, and nothing of it counts. */
  | 'invalid';

export type Asked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: UserConfigProblem; readonly detail: string };

/** As much as instructions and a few settings can need. */
const MAX_BYTES = 256 * 1024;

/** Never throws. What it says of a problem holds neither the headers nor the query. */
export async function askUserConfig(api: UserConfigApi, userId: string): Promise<Asked> {
  const url = addressOf(api.url, userId);
  if (url === undefined) return problem('unreachable', `${stringifyJson(userId)} cannot stand in an address`);
  const signal = AbortSignal.timeout(api.timeout);
  try {
    // A redirect is not followed: it would carry the headers, and with them the key, to wherever it leads.
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...api.headers },
      redirect: 'manual',
      signal,
    });
    const { status } = response;
    if (status >= 300 && status < 400) return await dropped(response, problem('redirect', `HTTP ${status}`));
    if (status < 200 || status > 299) return await dropped(response, problem('status', `HTTP ${status}`));
    const text = await readText(response);
    if (text === undefined) return problem('too_large', `more than ${MAX_BYTES / 1024} kB`);
    return parse(text);
  } catch (error) {
    if (signal.aborted) return problem('timeout', `no answer within ${api.timeout / 1000} s`);
    return problem('unreachable', reasonOf(error));
  }
}

function problem(kind: UserConfigProblem, detail: string): Asked {
  return { ok: false, problem: kind, detail };
}

/** Undefined for `.` and `..`, which in a path would lead to somebody else's. */
function addressOf(template: string, userId: string): URL | undefined {
  const encoded = encodeURIComponent(userId.toWellFormed());
  if (template.includes('{user_id}')) {
    return /^\.{1,2}$/.test(userId) ? undefined : new URL(template.replaceAll('{user_id}', () => encoded));
  }
  const url = new URL(template);
  url.searchParams.set('user_id', userId);
  return url;
}

async function dropped(response: Response, found: Asked): Promise<Asked> {
  await response.body?.cancel();
  return found;
}

/** Undefined where it is too large; the rest is not read. */
async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Asked {
  try {
    return { ok: true, value: parseJson(text) };
  } catch {
    return problem('not_json', 'it is not JSON');
  }
}

/** The code alone: a message may quote the address or a header. */
function reasonOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? error) as { code?: unknown };
  return typeof code === 'string' ? code : 'the request could not be made; check url and headers';
}
