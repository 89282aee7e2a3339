import type { Duplex } from 'node:stream';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DandoriError, type ErrorCode } from '../model/error.ts';
import { stringifyJson } from '../model/json.ts';
import type { Working } from '../store/index.ts';
import { messages } from '../views/texts/ja/messages/index.ts';
import { createTranslate, type Translate } from '../views/texts/translate.ts';
import { mayAct } from './access.ts';
import type { Problem } from './api.ts';
import { SECURITY_HEADERS } from './guard.ts';
import type { Env } from './parts.ts';

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  'request-invalid': 400,
  unauthorized: 401,
  forbidden: 403,
  'answer-not-allowed': 403,
  'run-not-found': 404,
  'conversation-not-found': 404,
  'question-not-found': 404,
  'approval-not-found': 404,
  'route-not-found': 404,
  'run-exists': 409,
  'run-ended': 409,
  'run-not-ended': 409,
  'run-waiting': 409,
  'run-failed': 409,
  'run-driven-elsewhere': 409,
  'tools-missing': 409,
  'journal-conflict': 409,
  'question-answered': 409,
  'question-expired': 409,
  'request-too-large': 413,
  usage: 422,
  'goal-invalid': 422,
  'plan-invalid': 422,
  'answer-invalid': 422,
  'key-reused': 422,
  'too-many-requests': 429,
  'server-stopping': 503,
};

const CANNOT = 'The server cannot do this now. Its log says why.';

/**
 * Converts every error that leaves the server. The result contains no stack and no path of the server's disk.
 */
export function problemFor(
  error: unknown,
  c: Context<Env>,
  log: (error: unknown) => void = () => {},
): Response {
  if (error instanceof HTTPException) return respond(fromHttp(error), c);
  if (!(error instanceof DandoriError)) {
    log(error);
    return respond(new DandoriError('server-failed', CANNOT), c);
  }
  if (statusOf(error) < 500 || error.code === 'server-stopping') return respond(error, c);
  log(error);
  const user = c.get('user');
  const isTold = user !== undefined && mayAct(user, 'admin');
  return respond(isTold ? error : new DandoriError(error.code, CANNOT), c);
}

/** Errors that Hono raises by itself, such as a body that is not JSON. */
function fromHttp({ status, message }: HTTPException): DandoriError {
  if (status === 413) return new DandoriError('request-too-large', 'The body of the request is too large.');
  if (status >= 500) return new DandoriError('server-failed', CANNOT);
  return new DandoriError('request-invalid', message === '' ? 'The request is malformed.' : message, {
    fix: 'GET /openapi.json says what can be sent.',
  });
}

function statusOf({ code }: DandoriError): ContentfulStatusCode {
  return STATUS[code] ?? 500;
}

function respond(error: DandoriError, c: Context<Env>): Response {
  const problem = inLanguage(problemOf(error), translateFor(c));
  const { status, code } = problem;
  // The rest of the body is not read, and the client need not send it.
  if (status === 413) c.header('Connection', 'close');
  if (status === 401) c.header('WWW-Authenticate', 'Bearer realm="dandori"');
  if (status === 429) c.header('Retry-After', '1');
  if (code === 'server-stopping') c.header('Retry-After', '5');
  return c.json(problem, statusOf(error), { 'Content-Type': TYPE });
}

const TYPE = 'application/problem+json';

const inJapanese = createTranslate(messages);

export function translateFor(c: Context<Env>): Translate {
  return c.get('language') === 'ja' ? inJapanese : (text) => text;
}

/** The code and the title are the same in every language. */
function inLanguage(problem: Problem, translate: Translate): Problem {
  const { detail, fix } = problem;
  return { ...problem, detail: translate(detail), ...(fix !== undefined && { fix: translate(fix) }) };
}

function problemOf(error: DandoriError, status: number = statusOf(error)): Problem {
  const { code, message: detail, fix, diagnostics } = error;
  return {
    type: `urn:dandori:error:${code}`,
    title: code.replaceAll('-', ' '),
    status,
    detail,
    code,
    ...(fix !== undefined && { fix }),
    ...(diagnostics !== undefined && { diagnostics }),
  };
}

/** For errors outside any route: the address is malformed, or the server itself has failed. */
export function problemOutside(error: unknown, log: (error: unknown) => void): Response {
  const isTheirs = error instanceof Error && error.name === 'RequestError';
  if (!isTheirs) log(error);
  const problem = isTheirs
    ? new DandoriError('request-invalid', 'The address of the request cannot be read.')
    : new DandoriError('server-failed', CANNOT);
  return Response.json(problemOf(problem), {
    status: statusOf(problem),
    headers: { ...SECURITY_HEADERS, 'Content-Type': TYPE },
  });
}

/**
 * Answers bytes that are not HTTP. It closes the connection, because the next request cannot be located in
 * them.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason, code, detail] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
  const body = stringifyJson(problemOf(new DandoriError(code, detail), status));
  const headers = { ...SECURITY_HEADERS, 'Content-Type': TYPE, Connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}${length}\r\n${body}`);
}

type Refusal = readonly [status: number, reason: string, code: ErrorCode, detail: string];

const UNREADABLE: Refusal = [400, 'Bad Request', 'request-invalid', 'This is not valid HTTP.'];
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: [
    431,
    'Request Header Fields Too Large',
    'request-too-large',
    'The request headers are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    'Request Timeout',
    'request-invalid',
    'The request took too long to arrive.',
  ],
};

/** Called by routes that would start new work. */
export function refuseStopping({ isStopping }: Pick<Working, 'isStopping'>): void {
  if (!isStopping) return;
  throw new DandoriError('server-stopping', 'The server is stopping and accepts no new work.', {
    fix: 'Send it again with the same Idempotency-Key in a moment.',
  });
}
