import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { Problem } from '../client/api.ts';
import { DandoriError, type ErrorCode } from '../domain/error.ts';
import type { Env } from './parts.ts';
import { mayAct } from './users.ts';

const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  'request-invalid': 400,
  unauthorized: 401,
  forbidden: 403,
  'answer-not-allowed': 403,
  'run-not-found': 404,
  'conversation-not-found': 404,
  'question-not-found': 404,
  'route-not-found': 404,
  'run-exists': 409,
  'run-ended': 409,
  'run-not-ended': 409,
  'run-driven-elsewhere': 409,
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

/** Every error that leaves the server goes through here. Nothing of a stack or of the server's disk is in it. */
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

/** What Hono refuses by itself: a body that is no JSON, one of the wrong kind. */
function fromHttp({ status, message }: HTTPException): DandoriError {
  if (status === 413) return new DandoriError('request-too-large', 'The body of the request is too large.');
  if (status >= 500) return new DandoriError('server-failed', CANNOT);
  return new DandoriError('request-invalid', message === '' ? 'The request cannot be understood.' : message, {
    fix: 'GET /openapi.json says what can be sent.',
  });
}

function statusOf({ code }: DandoriError): ContentfulStatusCode {
  return STATUS[code] ?? 500;
}

function respond(error: DandoriError, c: Context<Env>): Response {
  const { code, message: detail, fix, diagnostics } = error;
  const status = statusOf(error);
  const title = code.replaceAll('-', ' ');
  const problem: Problem = {
    type: `urn:dandori:error:${code}`,
    title,
    status,
    detail,
    code,
    ...(fix !== undefined && { fix }),
    ...(diagnostics !== undefined && { diagnostics }),
  };
  if (status === 401) c.header('WWW-Authenticate', 'Bearer realm="dandori"');
  if (status === 429) c.header('Retry-After', '1');
  if (code === 'server-stopping') c.header('Retry-After', '5');
  return c.json(problem, status, { 'Content-Type': 'application/problem+json' });
}
