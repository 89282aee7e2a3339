import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isObject } from '../../model/json.ts';

/** The last output of a server, which may explain why it is gone. */
interface LastWords {
  readonly ended?: string;
  readonly stderr?: string;
  /** The first line on stdout that was not a message. */
  readonly garbage?: string;
  /** The beginning of the last HTTP answer. */
  readonly body?: string;
}

export interface ServerTransport extends Transport {
  readonly pid?: number | null;
  readonly stderr?: null;
  lastWords(): LastWords;
  kill(): void;
}

export function cancelledRequest(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id: unknown = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

/**
 * What a transport knows about a request that will get no answer.
 * - `not_sent`         it certainly never reached the server
 * - `busy`             the server is there but accepted no call
 * - `connection_lost`  it may have reached the server
 * - `too_large`        the answer is larger than the limit
 * - `malformed`        the answer is not JSON-RPC
 */
export class TransportProblem extends Error {
  override readonly name = 'TransportProblem';
  readonly kind: 'not_sent' | 'busy' | 'connection_lost' | 'too_large' | 'malformed';
  /** Milliseconds after which the server wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    kind: TransportProblem['kind'],
    message: string,
    details: { cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.retryAfter = details.retryAfter;
  }
}

export function tooLarge(limit: number): TransportProblem {
  return new TransportProblem('too_large', `the result is larger than ${Math.round(limit / 1e6)} MB`);
}

/**
 * A request ends with a response, so a problem is delivered as one. It is an object in `data`, which nothing
 * that comes over the wire can imitate.
 */
export function asResponse(id: string | number, problem: TransportProblem) {
  return { jsonrpc: '2.0' as const, id, error: { code: -32_000, message: problem.message, data: problem } };
}

/**
 * What is wrong with an answer; undefined if the SDK accepts it. The SDK would ignore any other answer, and
 * the call would wait for its timeout.
 */
export function answerProblem(message: Readonly<Record<string, unknown>>): TransportProblem | undefined {
  const malformed = (reason: string) => new TransportProblem('malformed', `its answer ${reason}`);
  const { jsonrpc, result, error } = message;
  if (jsonrpc !== '2.0') return malformed('is not of JSON-RPC 2.0');
  if (result !== undefined && error !== undefined) return malformed('has both a result and an error');
  if (error !== undefined)
    return isError(error) ? undefined : malformed('has an error without a code and a message');
  if (result === undefined) return malformed('has neither a result nor an error');
  if (!isObject(result)) return malformed('has a result that is not an object');
  // The SDK would take these for a result without content, and the call for done.
  const { resultType = 'complete', inputRequests = {} } = result;
  if (!['complete', 'input_required'].includes(String(resultType)))
    return malformed('has a result of an unknown type');
  return isObject(inputRequests) ? undefined : malformed('asks for input in no known form');
}

/** The answer without what the SDK does not know: it would ignore an answer with another member. */
export function bareAnswer(message: Readonly<Record<string, unknown>>, id: string | number): JSONRPCMessage {
  const { result, error } = message;
  return { jsonrpc: '2.0', id, ...(error === undefined ? { result } : { error }) } as JSONRPCMessage;
}

function isError(error: unknown): boolean {
  return isObject(error) && Number.isInteger(error.code) && typeof error.message === 'string';
}

/** The id in a line that is not JSON but looks like an answer. */
export function idInBrokenAnswer(line: string): number | undefined {
  const edges = `${line.slice(0, 500)} ${line.slice(-500)}`;
  // A log line may be in front of it, and a dictionary of Python has other quotes.
  const isLike = /^\s*\{/.test(line) || (edges.includes('"jsonrpc"') && /"(?:result|error)"\s*:/.test(edges));
  if (!isLike || /["']method["']\s*:/.test(edges)) return undefined;
  const [, id] = /["']id["']\s*:\s*["']?(\d{1,15})\b/.exec(edges) ?? [];
  return id === undefined ? undefined : Number(id);
}

export const WRONG_ID = 'its answer has the id of no request';
export const NO_JSON_RPC = 'its answer is not JSON-RPC';

/** The SDK's error for a body that is not JSON, or not JSON-RPC. */
export function isMalformed(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && error.name.includes('ZodError'));
}
