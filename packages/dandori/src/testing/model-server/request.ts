import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../model/error.ts';
import { isObject, parseJson } from '../../model/json.ts';

/** A request that reached the scripted model, kept for the test. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: ModelRequestBody;
  /** The content of every message, one after the other. */
  readonly promptText: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Set when the answer is sent or the connection is closed. */
  endedAt?: number;
  /** The client disconnected before it had the whole answer. */
  aborted: boolean;
}

/** The fields that tests use most. All other fields of the body are present too. */
export interface ModelRequestBody {
  model?: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
  messages?: { role: string; content?: unknown; [field: string]: unknown }[];
  response_format?: {
    type: string;
    json_schema?: { name: string; strict?: boolean; description?: string; schema: Record<string, unknown> };
  };
  tools?: unknown[];
  [field: string]: unknown;
}

/** Reads the whole request. If it is not a JSON object, the body is `{}` and `unreadable` has the reason. */
export async function readRequest(
  incoming: IncomingMessage,
  path: string,
): Promise<{ request: RecordedRequest; unreadable?: string }> {
  const startedAt = Date.now();
  const parsed = parseBody(await text(incoming));
  const body = 'body' in parsed ? parsed.body : {};
  const request: RecordedRequest = {
    method: incoming.method ?? 'GET',
    path,
    headers: incoming.headers,
    body,
    promptText: promptTextOf(body),
    startedAt,
    aborted: false,
  };
  return 'unreadable' in parsed ? { request, unreadable: parsed.unreadable } : { request };
}

function parseBody(source: string): { body: ModelRequestBody } | { unreadable: string } {
  try {
    const body: unknown = parseJson(source);
    if (isObject(body)) return { body };
    return { unreadable: 'its body is not a JSON object' };
  } catch (error) {
    return { unreadable: `its body is not JSON (${messageOf(error)})` };
  }
}

function promptTextOf(body: ModelRequestBody): string {
  // Chat completions put the prompt in `messages`; the Responses API in `instructions` and `input`.
  return [body.instructions, body.messages, body.input].flatMap(textsIn).join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const { content, text: partText, output } = value as Record<string, unknown>;
  return [content, partText, output].flatMap(textsIn);
}
