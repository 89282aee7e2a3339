import { isObject, parsedJson, stringifyJson } from '../../../model/json.ts';
import type { Provider } from '../../../model/settings.ts';
import { LastMade } from '../../last-made.ts';
import { writeMessages } from './body.ts';
import { EventReader } from './events.ts';
import { type Answered, type Post, post, postWith } from './http.ts';
import {
  type FinishReason,
  InvalidResponse,
  type ModelMessage,
  type ModelRequest,
  type Part,
  type ReportedUsage,
  ResponseError,
  type Wire,
} from './wire.ts';

export interface OpenAiOptions {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly supportsStructuredOutputs: boolean;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** One of the two APIs of OpenAI: how a request is written, and how its response is read. */
export interface OpenAiApi {
  readonly path: string;
  /** The name of the member that holds the messages. */
  readonly messages: string;
  /** Everything else in the body. What is undefined is left out. */
  body(request: ModelRequest, options: OpenAiOptions): object;
  /** The message as the API has it, which may be several objects. */
  toItems(message: ModelMessage): object[];
  createReader(output: Output): ResponseReader;
}

/** What the reader of a response found in it. */
export interface Output {
  readonly onPart: (part: Part) => void;
  readonly fail: (error: unknown) => void;
}

export interface ResponseReader {
  /** Takes an event of the stream, or the whole response of a server that does not stream. False after the last one. */
  take(value: Record<string, unknown>): boolean;
  /** Called once, when nothing more comes. */
  end(): { readonly reason: FinishReason | undefined; readonly usage: ReportedUsage | undefined };
}

/** Characters of an error response that are read. */
const LONGEST_ERROR = 64 * 1024;
const END = Buffer.from(']}');

export function openApi(api: OpenAiApi, options: OpenAiOptions): Wire {
  const { apiKey, fetch } = options;
  const url = new URL(`${options.baseUrl.replace(/\/$/, '')}${api.path}`);
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'user-agent': 'dandori',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const send: Post = fetch === undefined ? post : postWith(fetch);
  const writeBody = createBody(api, options);
  return {
    async send(request, { stop, onPart }) {
      const answered = await send(url, { headers, body: writeBody(request), stop });
      if (answered.status < 200 || answered.status >= 300) throw await refusal(answered);
      await readOutput(api, answered, onPart);
    },
  };
}

function createBody(api: OpenAiApi, options: OpenAiOptions): (request: ModelRequest) => Uint8Array[] {
  /** Everything before the messages. Most requests have the same. */
  const start = new LastMade<Uint8Array>();
  const toJson = (message: ModelMessage) => api.toItems(message).map(stringifyJson).join(',');
  return (request) => {
    const { tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort } = request;
    const parts = [tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort];
    const before = start.from(parts, () => {
      const rest = stringifyJson({ ...api.body(request, options), stream: true });
      return Buffer.from(`${rest.slice(0, -1)},"${api.messages}":[`);
    });
    const { instructions, messages, conversation = {} } = request;
    return [before, ...writeMessages(instructions, messages, { conversation, toJson }), END];
  };
}

async function readOutput(api: OpenAiApi, answered: Answered, onPart: (part: Part) => void): Promise<void> {
  let hasFailed = false;
  const fail = (error: unknown) => {
    hasFailed = true;
    onPart({ type: 'error', error });
  };
  const reader = api.createReader({ onPart, fail });
  await readEvents(answered, (data) => {
    if (data === '[DONE]') return false;
    const value = parsedJson(data);
    if (!isObject(value)) fail(new InvalidResponse('an event of the response is no JSON object'));
    else return reader.take(value);
    return true;
  });
  const { reason, usage } = reader.end();
  if (reason === undefined && !hasFailed)
    fail(new InvalidResponse('the response ended without a finish reason'));
  onPart({ type: 'finish', reason: hasFailed ? 'error' : (reason ?? 'other'), usage });
}

/**
 * Calls `onData` with the data of each event until `onData` returns false. A server that does not stream sends one body,
 * which is read like one event.
 */
async function readEvents(answered: Answered, onData: (data: string) => boolean): Promise<void> {
  if (answered.contentType.includes('application/json')) {
    const chunks: Uint8Array[] = [];
    await answered.read((chunk) => {
      chunks.push(chunk);
      return true;
    });
    onData(Buffer.concat(chunks).toString());
    return;
  }
  let isOver = false;
  const events = new EventReader((data) => {
    if (!isOver) isOver = !onData(data);
  });
  await answered.read((chunk) => {
    events.push(chunk);
    return !isOver;
  });
  if (!isOver) events.end();
}

async function refusal(answered: Answered): Promise<ResponseError> {
  const { status: statusCode, statusText, headers: responseHeaders } = answered;
  const chunks: Uint8Array[] = [];
  let length = 0;
  await answered
    .read((chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      return length < LONGEST_ERROR;
    })
    // The status is known, whatever happens to the body.
    .catch(() => {});
  const responseBody = Buffer.concat(chunks).toString();
  const message = errorIn(responseBody) ?? (statusText === '' ? `status ${statusCode}` : statusText);
  return new ResponseError(message, { statusCode, responseBody, responseHeaders });
}

/** Servers put it into `error.message`, `error`, `message` or `detail`. */
function errorIn(body: string): string | undefined {
  const value = parsedJson(body);
  if (!isObject(value)) return undefined;
  const { error = value, message, detail } = value;
  const found = isObject(error) ? (error.message ?? message ?? detail) : error;
  return typeof found === 'string' ? found : undefined;
}
