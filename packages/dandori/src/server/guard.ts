import { isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { HonoRequest, MiddlewareHandler } from 'hono';
import type { Dandori } from '../app/dandori.ts';
import { DandoriError } from '../model/error.ts';
import { mayAct, type RateLimit, type User, type Users } from './access.ts';
import type { Env, ServerParts } from './parts.ts';

/** Read by everybody: nothing of a run is in them. */
const PUBLIC = ['/', '/healthz', '/readyz', '/openapi.json', '/docs'];

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
} as const;

export function securityHeaders(): MiddlewareHandler<Env> {
  return async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    await next();
  };
}

/** Also for the answers that bypass Hono. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = HEADERS;

/**
 * A page of somebody else must not talk to this server through the browser of who looks at it: neither under a name of
 * its own that it has pointed here (DNS rebinding), nor under ours (cross-site requests). A plain address cannot be
 * pointed anywhere, so it is no danger as a host. A link may lead to the page: who follows it leaves the other one.
 */
export function ownPagesOnly(
  hosts: readonly string[],
  isOfPage: (path: string) => boolean,
): MiddlewareHandler<Env> {
  const known = new Set(['localhost', ...hosts.map((host) => host.toLowerCase())]);
  return async (c, next) => {
    const host = c.req.header('host') ?? '';
    const name = nameIn(host);
    if (name === undefined || !(known.has(name) || isIP(name) !== 0))
      throw new DandoriError('forbidden', 'This server does not answer under that name.', {
        fix: 'Call it by its address, or add the name to server.hosts.',
      });
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site') ?? 'none';
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    if (!isOwn || !(['none', 'same-origin'].includes(site) || (isFollowed(c.req) && isOfPage(c.req.path))))
      throw new DandoriError('forbidden', 'Pages of other origins may not call this server.', {
        fix: 'Open the page from this server, or call it from a program.',
      });
    await next();
  };
}

/** A link that fills the whole window, and not a frame or a form. */
function isFollowed(asked: HonoRequest): boolean {
  const [mode, target] = [asked.header('sec-fetch-mode'), asked.header('sec-fetch-dest')];
  return asked.method === 'GET' && mode === 'navigate' && target === 'document';
}

/** The name of a `Host` header without its port. */
function nameIn(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::\d{1,5})?$/.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** Who it is, and that it is not too much. Who only guesses tokens is held back by address. */
export function authentication(
  users: Users,
  limit: RateLimit,
  isOfPage: (path: string) => boolean,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const address = getConnInfo(c).remote.address ?? '';
    const user = users.of(c.req.header('authorization'));
    if (!limit.take(user?.id === undefined ? `address ${address}` : `user ${user.id}`))
      throw new DandoriError('too-many-requests', 'These are more requests than one may send.', {
        fix: 'Wait a second and send fewer; server.rate_limit says how many.',
      });
    if (user !== undefined) c.set('user', user);
    else if (!PUBLIC.includes(c.req.path) && !isOfPage(c.req.path))
      throw new DandoriError('unauthorized', 'This needs a token that the server knows.', {
        fix: 'Send it as "Authorization: Bearer TOKEN"; `dandori token` makes one.',
      });
    await next();
  };
}

/** A viewer reads. What has no effect may be asked for by POST all the same. */
const WITHOUT_EFFECT = ['/api/plans/check'];

export function roles(): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const isReading = ['GET', 'HEAD'].includes(method) || WITHOUT_EFFECT.includes(path);
    if (!isReading && !mayAct(c.get('user'), 'operator'))
      throw new DandoriError('forbidden', 'A viewer may read and nothing else.', {
        fix: 'Use the token of an operator.',
      });
    await next();
  };
}

export function adminsOnly(why: string): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!mayAct(c.get('user'), 'admin')) throw new DandoriError('forbidden', why);
    await next();
  };
}

/** Who is named to answer a question of somebody else's run may do just that. */
const ANSWERING = /^\/api\/runs\/[^/]+\/(?:answer|approve|reject)$/;

export function ownRunsOnly({
  ownRuns,
  dandori,
}: Pick<ServerParts, 'ownRuns' | 'dandori'>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const run = c.req.param('run') ?? '';
    const user = c.get('user');
    const isForAnswerers = c.req.method === 'POST' && ANSWERING.test(c.req.path);
    if (!(isForAnswerers && (await isNamed(run, user, dandori)))) await ownRuns.check(run, user);
    await next();
  };
}

export function ownConversationsOnly({
  ownConversations,
}: Pick<ServerParts, 'ownConversations'>): MiddlewareHandler<Env> {
  return async (c, next) => {
    await ownConversations.check(c.req.param('conversation') ?? '', c.get('user'));
    await next();
  };
}

const LARGEST_BODY = 1_000_000;
/** As deep as a result may be: what walks a value that is deeper may run out of stack. */
const DEEPEST_BODY = 500;

/** A form of another page can send anything but this type without being asked first. */
export function smallJsonOnly(): MiddlewareHandler<Env> {
  return async (c, next) => {
    const length = Number(c.req.header('content-length') ?? 0);
    if (length > LARGEST_BODY) throw tooLarge();
    const hasBody = length > 0 || c.req.header('transfer-encoding') !== undefined;
    if (hasBody && !/^application\/json(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new DandoriError('request-invalid', 'The body must be JSON.', {
        fix: 'Send "Content-Type: application/json".',
      });
    // Node reads no more of a body than its length says; of one that has none, we count.
    if (length === 0 && hasBody && c.req.raw.body !== null) {
      const { method, headers } = c.req.raw;
      c.req.raw = new Request(c.req.url, { method, headers, body: await smallText(c.req.raw.body) });
    }
    if (hasBody && isDeep(await c.req.text()))
      throw new DandoriError('request-invalid', `The body is nested more than ${DEEPEST_BODY} deep.`, {
        fix: 'Put deep data into a file that a tool can read.',
      });
    await next();
  };
}

/** By its brackets alone; whether it is JSON at all is seen behind it. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') depth--;
    if (depth > DEEPEST_BODY) return true;
  }
  return false;
}

async function smallText(body: ReadableStream<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > LARGEST_BODY) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function tooLarge(): DandoriError {
  return new DandoriError('request-too-large', `A body may have ${LARGEST_BODY} bytes at most.`, {
    fix: 'Put large data into a file that a tool can read.',
  });
}

/** Whether the questions of the run name the user as one who may answer: all have the same terms. */
async function isNamed(run: string, { id }: User, dandori: Pick<Dandori, 'events'>): Promise<boolean> {
  if (id === undefined) return false;
  try {
    return (await dandori.events(run)).some(
      (event) => event.type === 'question_asked' && event.data.question.answerers?.includes(id) === true,
    );
  } catch (error) {
    if (error instanceof DandoriError) return false;
    throw error;
  }
}
