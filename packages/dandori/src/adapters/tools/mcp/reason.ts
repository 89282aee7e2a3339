import { SdkHttpError } from '@modelcontextprotocol/client';
import { isHttp, type McpServerConfig } from './config.ts';
import { TransportProblem } from './problem.ts';
import { publicUrl, type Redact } from './redaction.ts';
import type { ServerTransport } from './transport.ts';

interface About {
  readonly config: McpServerConfig;
  readonly transport: ServerTransport;
  readonly redact: Redact;
  /** The time that it had, where that is the reason. */
  readonly late?: number | undefined;
}

/** Why a server is not there, for the person who configured it. */
export function reasonOf(error: unknown, { config, transport, redact, late }: About): string {
  const { ended, stderr, garbage } = transport.lastWords();
  const why =
    late === undefined ? (ended ?? describe(error, config)) : `it did not answer within ${late / 1_000} s`;
  const parts = [redact(why)];
  // Redacted before it is cut: half a secret could not be found any more.
  if (garbage !== undefined)
    parts.push(`on stdout it wrote something that is not MCP: ${redact(garbage).slice(0, 120)}`);
  if (stderr !== undefined) parts.push(`on stderr: ${lastLines(redact(stderr))}`);
  return parts.join('; ');
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-5).join('\n').slice(-600);
}

/** True where the server, or its session with us, is surely no more. */
export function isGone(error: unknown): boolean {
  if (error instanceof TransportProblem) return error.kind === 'not_sent';
  return error instanceof SdkHttpError && error.status === 404;
}

/** True where a connection that was kept from before turned out to be closed. */
export function isStale(error: unknown): boolean {
  return error instanceof TransportProblem && error.kind === 'connection_lost';
}

function describe(error: unknown, config: McpServerConfig): string {
  const message = error instanceof Error ? error.message : String(error ?? 'the connection was closed');
  if (!isHttp(config)) return message;
  const url = publicUrl(config.url);
  if (error instanceof SdkHttpError) return `${url} answered with ${describeStatus(error)}`;
  return `${url}: ${message}`;
}

export function describeStatus(error: SdkHttpError): string {
  const { status } = error;
  if (status === 401 || status === 403) {
    return `HTTP ${status}: it does not accept our credentials, look at its headers in the configuration`;
  }
  const text = String(error.data.text ?? error.statusText ?? '')
    .trim()
    .slice(0, 200);
  return text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`;
}
