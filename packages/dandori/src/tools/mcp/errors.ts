import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../model/error.ts';
import { parseJson } from '../../model/json.ts';
import { clip } from '../../model/text.ts';
import { type CallOutcome, failed, lost } from '../toolbox.ts';
import { isHttp, type McpServerConfig, publicUrl, type Redact } from './config.ts';
import { LoginNeeded } from './oauth.ts';
import { isMalformed, NO_JSON_RPC, type ServerTransport, TransportProblem } from './transport.ts';

/**
 * The outcome of a call that ended in an error. The question is always whether it could have taken effect. If
 * that is possible, the call is lost, and the engine settles it by its effect. `reason` says why the server
 * is gone, if it is.
 */
export function callErrorOutcome(error: unknown, server: string, reason?: string): CallOutcome {
  const problem = problemIn(error);
  if (problem !== undefined) return problemOutcome(problem, server);
  if (isMalformed(error)) return problemOutcome(new TransportProblem('malformed', NO_JSON_RPC), server);
  if (error instanceof SdkHttpError) return statusOutcome(error, server);
  // The server has answered with an error.
  if (error instanceof ProtocolError)
    return failed('tool_error', error.message, error.code === INTERNAL_ERROR ? { retryable: true } : {});
  if (error instanceof SdkError) return sdkOutcome(error, server, reason);
  const message = messageOf(error);
  // The SDK says this without a code if the connection has just closed.
  if (message === 'Not connected')
    return failed('unavailable', `${server} is not connected`, { retryable: true });
  return lost('connection_lost', `${server}: ${message}`);
}

/** JSON-RPC: the server had a problem of its own, not with the call. */
const INTERNAL_ERROR = -32603;

function problemIn(error: unknown): TransportProblem | undefined {
  if (error instanceof TransportProblem) return error;
  const data = error instanceof ProtocolError ? error.data : undefined;
  return data instanceof TransportProblem ? data : undefined;
}

function problemOutcome({ kind, message, retryAfter }: TransportProblem, server: string): CallOutcome {
  if (kind === 'too_large') return failed('too_large', `${server}: ${message}`);
  if (kind === 'malformed')
    return failed('invalid_result', `${server}: ${message}; the call was made and may have taken effect`);
  if (kind === 'connection_lost') return lost('connection_lost', `${server}: ${message}`);
  return failed('unavailable', `${server}: ${message}`, {
    retryable: true,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

function statusOutcome(error: SdkHttpError, server: string): CallOutcome {
  const status = error.status ?? 0;
  const message = `${server} answered with ${describeStatus(error)}`;
  if (status === 401 || status === 403) return failed('unavailable', message);
  // Our session is over, for example after a restart of the server. The next call opens a new one.
  if (status === 404) return failed('unavailable', message, { retryable: true });
  // A gateway may answer 502 or 504 after the server behind it has received the call.
  return status >= 500 ? lost('connection_lost', message) : failed('tool_error', message);
}

function sdkOutcome(error: SdkError, server: string, reason: string | undefined): CallOutcome {
  switch (error.code) {
    case SdkErrorCode.NotConnected:
      return failed('unavailable', `${server} is not connected`, { retryable: true });
    case SdkErrorCode.InvalidResult:
      return failed(
        'invalid_result',
        `${server} sent an answer that is not a tool result: ${readable(error)}`,
      );
    case SdkErrorCode.UnsupportedResultType:
      return failed('invalid_result', `${server} sent a kind of answer that is not supported`);
    default:
      return lost('connection_lost', `server ${server} was lost during the call: ${reason ?? error.message}`);
  }
}

interface About {
  readonly config: McpServerConfig;
  readonly transport: ServerTransport;
  readonly redact: Redact;
  /** The timeout in milliseconds, if that is the reason. */
  readonly late?: number | undefined;
}

/** Why a server is missing, for the person who configured it. */
export function reasonOf(error: unknown, { config, transport, redact, late }: About): string {
  const { ended, stderr, garbage, body = '' } = transport.lastWords();
  const why =
    late === undefined
      ? (ended ?? describe(error, config, redact(body)))
      : `it did not answer within ${late / 1_000} s`;
  const parts = [redact(why)];
  // Redacted before it is cut: half a secret would not be found.
  if (garbage !== undefined)
    parts.push(`on stdout it wrote something that is not MCP: ${redact(garbage).slice(0, 120)}`);
  if (stderr !== undefined) parts.push(`on stderr: ${lastLines(redact(stderr))}`);
  return parts.join('; ');
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n').slice(-600);
}

/** True if the server, or our session with it, is certainly gone. */
export function isGone(error: unknown): boolean {
  if (error instanceof TransportProblem) return error.kind === 'not_sent';
  return error instanceof SdkHttpError && error.status === 404;
}

/** True if a kept-alive connection turned out to be closed. */
export function isStale(error: unknown): boolean {
  return error instanceof TransportProblem && error.kind === 'connection_lost';
}

/** Whether the user has to log in. If the user configured headers, those are wrong instead. */
export function isLoginNeeded(error: unknown, config: McpServerConfig): boolean {
  if (!isHttp(config)) return false;
  if (error instanceof LoginNeeded || error instanceof UnauthorizedError) return true;
  if (error instanceof Error && error.cause instanceof LoginNeeded) return true;
  const hasHeaders = Object.keys(config.headers ?? {}).length > 0;
  return error instanceof SdkHttpError && error.status === 401 && !hasHeaders;
}

function describe(error: unknown, config: McpServerConfig, body: string): string {
  const message = readable(error ?? 'the connection was closed');
  if (!isHttp(config)) return message;
  const url = publicUrl(config.url);
  if (isLoginNeeded(error, config)) return `${url} wants a login: \`dandori login NAME\``;
  if (error instanceof SdkHttpError) return `${url} answered with ${describeStatus(error)}`;
  const what = notMcp(error);
  if (what !== undefined)
    return `${url} answered with ${what}${excerpt(body)}; is it the URL of an MCP server?`;
  return `${url}: ${message}`;
}

/** What the server sent instead of a message, if that is the problem. */
function notMcp(error: unknown): string | undefined {
  if (error instanceof SyntaxError) return 'something that is not JSON';
  if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent) {
    const { contentType } = (error.data ?? {}) as { contentType?: string | null };
    return contentType == null ? 'no content type' : contentType.slice(0, 60);
  }
  return error instanceof Error && 'issues' in error ? 'JSON that is not an MCP message' : undefined;
}

function excerpt(text: string): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat === '' ? '' : `: ${clip(flat, 100)}`;
}

/** For an answer that does not fit, the SDK's message is a JSON list of issues, which is hard to read. */
function readable(error: unknown): string {
  const message = messageOf(error);
  const [, method, issue] = /^Invalid result for ([\w/]+):(.*)/s.exec(message) ?? [];
  return method === undefined || issue === undefined
    ? message
    : `its answer to ${method} does not follow MCP${firstIssue(issue)}`;
}

function firstIssue(text: string): string {
  try {
    const [{ path, message }] = parseJson(text.slice(text.indexOf('['))) as [
      { path: string[]; message: string },
    ];
    return `: ${path.join('.')} ${message}`;
  } catch {
    return excerpt(text);
  }
}

function describeStatus(error: SdkHttpError): string {
  const { status } = error;
  if (status === 401 || status === 403) {
    return `HTTP ${status}: it does not accept the credentials; check its headers in the configuration`;
  }
  const text = String(error.data.text || error.statusText || '').trim();
  // An HTML page says no more than its status.
  const told = text.startsWith('<') ? (error.statusText ?? '') : text.slice(0, 200);
  return told === '' ? `HTTP ${status}` : `HTTP ${status}: ${told}`;
}
