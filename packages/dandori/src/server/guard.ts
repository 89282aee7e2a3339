import { isIP } from 'node:net';
import { MIMEType } from 'node:util';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { HonoRequest, MiddlewareHandler } from 'hono';
import { LARGEST_ATTACHMENTS, type Runtime } from '../app/index.ts';
import { DandoriError } from '../model/error.ts';
import { isObject, parseJson, stringifyJson } from '../model/json.ts';
import { mayAct, type RateLimit, type User, type Users } from './access.ts';
import type { Env, ServerParts } from './parts.ts';

/** Paths that need no token. They contain nothing about runs. */
const PUBLIC = ['/', '/healthz', '/readyz', '/openapi.json', '/docs'];

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  // A browser would look up the hosts of links before anyone clicks them, and a host name can carry data out.
  'X-DNS-Prefetch-Control': 'off',
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

/** Also used for responses that bypass Hono. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = HEADERS;

/**
 * Keeps other websites from calling this server through the user's browser. It refuses unknown host names
 * (DNS rebinding) and requests from other origins (cross-site requests). An IP address as host is safe,
 * because it cannot be rebound. A link on another site may open our page: that site learns nothing from it.
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
        fix: 'Use its address, or add the name to server.hosts.',
      });
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site') ?? 'none';
    const isOwn = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
    if (!isOwn || !(['none', 'same-origin'].includes(site) || (isFollowed(c.req) && isOfPage(c.req.path))))
      throw new DandoriError('forbidden', "Pages of other origins can't call this server.", {
        fix: 'Open the page from this server, or call it from a program.',
      });
    await next();
  };
}

/** Whether the browser follows a link in the whole window, and not in a frame or a form. */
function isFollowed(asked: HonoRequest): boolean {
  const [mode, target] = [asked.header('sec-fetch-mode'), asked.header('sec-fetch-dest')];
  return asked.method === 'GET' && mode === 'navigate' && target === 'document';
}

/** The name of a `Host` header without its port. */
function nameIn(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+))(?::\d{1,5})?$/.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** Identifies the user and applies the rate limit. Requests without a valid token are limited by address. */
export function authentication(
  users: Users,
  limit: RateLimit,
  isOfPage: (path: string) => boolean,
): MiddlewareHandler<Env> {
  return async (c, next) => {
    const address = getConnInfo(c).remote.address ?? '';
    const user = users.of(c.req.header('authorization'));
    if (!limit.take(user?.id === undefined ? `address ${address}` : `user ${user.id}`))
      throw new DandoriError('too-many-requests', 'Too many requests.', {
        fix: 'Wait a second and send fewer; server.rate_limit says how many.',
      });
    if (user !== undefined) c.set('user', user);
    else if (!PUBLIC.includes(c.req.path) && !isOfPage(c.req.path))
      throw new DandoriError('unauthorized', 'This needs a valid access token.', {
        fix: 'Send it as "Authorization: Bearer TOKEN"; `dandori token` makes one.',
      });
    await next();
  };
}

/** A viewer may only read. These POST requests have no effect, so a viewer may send them. */
const WITHOUT_EFFECT = ['/api/plans/check'];

export function roles(): MiddlewareHandler<Env> {
  return async (c, next) => {
    const { method, path } = c.req;
    const isReading = ['GET', 'HEAD'].includes(method) || WITHOUT_EFFECT.includes(path);
    if (!isReading && !mayAct(c.get('user'), 'operator'))
      throw new DandoriError('forbidden', 'A viewer can only read.', {
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

/** Users who are named as answerers may answer questions of another user's run, and nothing else. */
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
/** The same limit as for results. Deeper values could overflow the stack of recursive code. */
const DEEPEST_BODY = 500;

const TAKES_FILES = /^\/api\/(?:runs|conversations|conversations\/[^/]+\/say)$/;
/** What a form may have besides its files: fields, as large as any other request, and the lines between the parts. */
const AROUND_FILES = LARGEST_BODY + 100_000;

/**
 * The files and fields of a form as JSON, so that a route sees one kind of request. Only runs and messages take files.
 * The other guards refuse forms of other websites.
 */
export function filesAsJson(): MiddlewareHandler<Env> {
  return async (c, next) => {
    const isForm = /^multipart\/form-data(;|$)/i.test(c.req.header('content-type') ?? '');
    if (!isForm || c.req.method !== 'POST' || !TAKES_FILES.test(c.req.path) || c.req.raw.body === null)
      return next();
    const { method, url } = c.req.raw;
    const body = await bytesOf(c.req.raw.body, LARGEST_ATTACHMENTS + AROUND_FILES);
    const type = c.req.header('content-type') ?? '';
    refuseManyParts(body, type);
    const form = await new Response(body, { headers: { 'content-type': type } })
      .formData()
      .catch((cause: unknown) => {
        throw new DandoriError('request-invalid', 'The form cannot be read.', {
          fix: 'Send "multipart/form-data" with its boundary.',
          cause,
        });
      });
    const rest = new Headers(c.req.raw.headers);
    rest.set('content-type', 'application/json');
    rest.delete('content-length');
    c.req.raw = new Request(url, { method, headers: rest, body: stringifyJson(await requestIn(form)) });
    c.set('isFromForm', true);
    await next();
  };
}

/** Far more than the fields and attachments of a request. */
const MOST_PARTS = 100;

/** Counted first, because reading a form of 100,000 parts takes seconds and can't be stopped. */
function refuseManyParts(body: Uint8Array<ArrayBuffer>, type: string): void {
  const mark = `--${new MIMEType(type).params.get('boundary') ?? ''}`;
  const bytes = Buffer.from(body.buffer);
  let parts = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length))
    if (++parts > MOST_PARTS)
      throw new DandoriError('request-invalid', `The form has more than ${MOST_PARTS} parts.`, {
        fix: 'Write the request as JSON in the field "request".',
      });
}

/** A field `request` has the whole request in JSON; `goal` and `mode` may be fields of their own. */
async function requestIn(form: FormData): Promise<object> {
  const texts: Record<string, string> = {};
  const attachments: object[] = [];
  let length = 0;
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      length += Buffer.byteLength(value);
      if (length > LARGEST_BODY) throw tooLarge();
      texts[name] = value;
    } else {
      const data = Buffer.from(await value.arrayBuffer()).toString('base64');
      attachments.push({ name: value.name, ...(value.type !== '' && { type: value.type }), data });
    }
  }
  const { request = '{}', ...fields } = texts;
  if (isDeep(request)) throw tooDeep();
  let given: unknown;
  try {
    given = parseJson(request);
  } catch {
    throw new DandoriError('request-invalid', 'The field "request" is not JSON.', {
      fix: 'Write the request as JSON, or leave the field out and send "goal".',
    });
  }
  return { ...(isObject(given) && given), ...fields, attachments };
}

/** Requires JSON as content type: a form on another website can send other types without a CORS preflight. */
export function smallJsonOnly(): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (c.get('isFromForm') === true) return next();
    const length = Number(c.req.header('content-length') ?? 0);
    if (length > LARGEST_BODY) throw tooLarge();
    const hasBody = length > 0 || c.req.header('transfer-encoding') !== undefined;
    if (hasBody && !/^application\/json(;|$)/i.test(c.req.header('content-type') ?? ''))
      throw new DandoriError('request-invalid', 'The body must be JSON.', {
        fix: 'Send "Content-Type: application/json".',
      });
    // Node enforces the declared length. A body without one is counted here.
    if (length === 0 && hasBody && c.req.raw.body !== null) {
      const { method, headers } = c.req.raw;
      c.req.raw = new Request(c.req.url, {
        method,
        headers,
        body: await bytesOf(c.req.raw.body, LARGEST_BODY),
      });
    }
    if (hasBody && isDeep(await c.req.text())) throw tooDeep();
    await next();
  };
}

function tooDeep(): DandoriError {
  return new DandoriError('request-invalid', `The body is nested more than ${DEEPEST_BODY} deep.`, {
    fix: 'Put deep data into a file that a tool can read.',
  });
}

/** Counts brackets only. The JSON parser checks the syntax later. */
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

async function bytesOf(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > most) throw tooLarge(most);
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function tooLarge(most = LARGEST_BODY): DandoriError {
  return new DandoriError('request-too-large', `The body is larger than ${most} bytes.`, {
    fix: 'Put large data into a file that a tool can read.',
  });
}

/**
 * Whether the questions of the run name the user as an answerer. All questions of a run have the same
 * answerers.
 */
async function isNamed(run: string, { id }: User, dandori: Pick<Runtime, 'events'>): Promise<boolean> {
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
