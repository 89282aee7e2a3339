import { isObject, parsedJson, stringifyJson } from '../../../model/json.ts';
import type { Provider } from '../../../model/settings.ts';
import { LastMade } from '../../last-made.ts';
import { writeMessages } from './body.ts';
import type { Take } from './connection.ts';
import { EventReader } from './events.ts';
import { LONGEST_EVENT, type Post, post, postWith } from './http.ts';
import type { ResponseHead } from './response-reader.ts';
import {
  type FinishReason,
  InvalidResponse,
  type ModelMessage,
  type ModelRequest,
  OutputTooLong,
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
  createReader(output: Output): OutputReader;
}

/** What the reader of a response found in it. */
export interface Output {
  readonly onPart: (part: Part) => void;
  readonly fail: (error: unknown) => void;
}

export interface OutputReader {
  /** Takes an event of the stream, or the whole response of a server that does not stream. False after the last one. */
  take(value: Record<string, unknown>): boolean;
  /** Called once, when nothing more comes. */
  end(): { readonly reason: FinishReason | undefined; readonly usage: ReportedUsage | undefined };
}

/** Some servers send empty ids and names where they have none. */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Characters of an error response that are read. */
const LONGEST_ERROR = 64 * 1024;
const END = Buffer.from(']}');
const BLANK = 0x20;
const BRACKET = 0x7b;

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
      const received = new Received(api, onPart);
      const sending = send(url, { headers, body: writeBody(request), stop }, (head) => received.begin(head));
      try {
        await sending;
      } catch (error) {
        // The status is known, whatever happens to the body.
        if (!received.isRefused) throw error;
      }
      received.end();
    },
  };
}

function createBody(api: OpenAiApi, options: OpenAiOptions): (request: ModelRequest) => Uint8Array[] {
  /** Everything before the messages. Most requests have the same. */
  const start = new LastMade<Uint8Array>();
  const toJson = (message: ModelMessage) => api.toItems(message).map(stringifyJson).join(',');
  return (request) => {
    const { tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort, includeUsage } =
      request;
    const parts = [tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort, includeUsage];
    const before = start.from(parts, () => {
      const rest = stringifyJson({ ...api.body(request, options), stream: true });
      return Buffer.from(`${rest.slice(0, -1)},"${api.messages}":[`);
    });
    const { instructions, messages, conversation = {} } = request;
    return [before, ...writeMessages(instructions, messages, { conversation, toJson }), END];
  };
}

/** The response: an output, or the reason why there is none. */
class Received {
  readonly #api: OpenAiApi;
  readonly #onPart: (part: Part) => void;
  #head: ResponseHead | undefined;
  #reader: OutputReader | undefined;
  #hasFailed = false;
  #events: EventReader | undefined;
  /** The last event has been read. */
  #isOver = false;
  /** A body that is read as a whole. */
  #whole: Uint8Array[] = [];
  #length = 0;

  constructor(api: OpenAiApi, onPart: (part: Part) => void) {
    this.#api = api;
    this.#onPart = onPart;
  }

  get isRefused(): boolean {
    const { status } = this.#head ?? {};
    return status !== undefined && (status < 200 || status >= 300);
  }

  begin(head: ResponseHead): Take {
    this.#head = head;
    if (this.isRefused) return (piece) => this.#keep(piece) < LONGEST_ERROR;
    this.#reader = this.#api.createReader({ onPart: this.#onPart, fail: (error) => this.#fail(error) });
    return (piece) => this.#takeBody(piece);
  }

  /**
   * A server that does not stream sends one body, which is read like one event. Servers don't always name the right
   * type, but only such a body begins with a bracket.
   */
  #takeBody(piece: Uint8Array): boolean {
    if (this.#length === 0 && this.#events === undefined) {
      const first = piece.find((byte) => byte > BLANK);
      // Some servers send blanks to keep the connection open.
      if (first === undefined) return true;
      if (first !== BRACKET) this.#events = new EventReader((data) => this.#take(data));
    }
    if (this.#events === undefined) {
      checkLength(this.#keep(piece));
      return true;
    }
    this.#events.push(piece);
    return !this.#isOver;
  }

  /** Throws if the server refused the request. */
  end(): void {
    if (this.#head !== undefined && this.isRefused) throw refusal(this.#head, this.#text());
    if (this.#events === undefined) this.#take(this.#text());
    else if (!this.#isOver) this.#events.end();
    const { reason, usage } = this.#reader?.end() ?? {};
    if (reason === undefined && !this.#hasFailed)
      this.#fail(new InvalidResponse('the response ended without a finish reason'));
    this.#onPart({ type: 'finish', reason: this.#hasFailed ? 'error' : (reason ?? 'other'), usage });
  }

  #take(data: string): void {
    const text = data.trim();
    // Some gateways send empty events to keep the connection open.
    if (this.#isOver || text === '') return;
    checkLength(text.length);
    const value = text === '[DONE]' ? undefined : parsedJson(text);
    if (text === '[DONE]' || (isObject(value) && this.#reader?.take(value) === false)) this.#isOver = true;
    else if (!isObject(value)) this.#fail(new InvalidResponse('an event of the response is no JSON object'));
  }

  /** What follows makes the output no better, and some servers leave a response open after an error. */
  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#isOver = true;
    this.#onPart({ type: 'error', error });
  }

  #keep(piece: Uint8Array): number {
    this.#whole.push(piece);
    this.#length += piece.length;
    return this.#length;
  }

  #text(): string {
    return Buffer.concat(this.#whole).toString();
  }
}

/** An event may have many lines, each within the limit of a line. */
function checkLength(length: number): void {
  if (length > LONGEST_EVENT) throw new OutputTooLong('an event of the response is too long');
}

function refusal(
  { status: statusCode, statusText, headers }: ResponseHead,
  responseBody: string,
): ResponseError {
  const message = errorIn(responseBody) ?? (statusText === '' ? `status ${statusCode}` : statusText);
  return new ResponseError(message, { statusCode, responseBody, responseHeaders: headers });
}

/** Servers put it into `error.message`, `error`, `message` or `detail`, as a text or in a form of their own. */
export function errorIn(body: string): string | undefined {
  // Google sends it in a list.
  const [value] = [parsedJson(body)].flat();
  if (!isObject(value)) return undefined;
  const { error, message, detail } = value;
  const found = (isObject(error) ? error.message : error) ?? message ?? detail;
  return typeof found === 'string' ? found : stringifyJson(found ?? undefined);
}
