import { asObject, asText, isObject, parsedJson, stringifyJson } from '../../../model/json.ts';
import { LastMade } from '../../last-made.ts';
import type { ShownFile } from '../../mind.ts';
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

export interface ChatOptions {
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey?: string | undefined;
  readonly supportsStructuredOutputs: boolean;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Characters of an error response that are read. */
const LONGEST_ERROR = 64 * 1024;

/** The chat completions of OpenAI, which most servers speak. */
export function openChat(options: ChatOptions): Wire {
  const { apiKey, fetch } = options;
  const url = new URL(`${options.baseUrl.replace(/\/$/, '')}/chat/completions`);
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream, application/json',
    'user-agent': 'dandori',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const send: Post = fetch === undefined ? post : postWith(fetch);
  const writeStart = createStart(options);
  return {
    async send(request, { stop, onPart }) {
      const answered = await send(url, { headers, body: writeBody(request, writeStart(request)), stop });
      if (answered.status < 200 || answered.status >= 300) throw await refusal(answered);
      const reader = new ChatReader(onPart);
      await reader.read(answered);
      reader.finish();
    },
  };
}

const END = Buffer.from(']}');

function writeBody(request: ModelRequest, start: Uint8Array): readonly Uint8Array[] {
  const { instructions, messages, conversation = {} } = request;
  const toJson = (message: ModelMessage) => toChat(message).map(stringifyJson).join(',');
  return [start, ...writeMessages(instructions, messages, { conversation, toJson }), END];
}

/** Everything before the messages. Most requests have the same. */
function createStart(options: ChatOptions): (request: ModelRequest) => Uint8Array {
  const bytes = new LastMade<Uint8Array>();
  return (request) => {
    const { tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort } = request;
    const parts = [tools, responseFormat, maxOutputTokens, temperature, topP, reasoningEffort];
    return bytes.from(parts, () => Buffer.from(startText(request, options)));
  };
}

function startText(request: ModelRequest, { model, supportsStructuredOutputs }: ChatOptions): string {
  const { tools = [], responseFormat, maxOutputTokens } = request;
  const format = responseFormat?.type === 'json' ? responseFormat : undefined;
  const schema = supportsStructuredOutputs ? format?.schema : undefined;
  const rest = {
    model,
    max_tokens: maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    response_format:
      format &&
      (schema === undefined
        ? { type: 'json_object' }
        : {
            type: 'json_schema',
            // Strict schemas allow no free-form objects such as `args`.
            json_schema: { schema, strict: false, name: format.name ?? 'response' },
          }),
    reasoning_effort: request.reasoningEffort,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: { name, description, parameters: inputSchema },
          })),
    tool_choice: tools.length === 0 ? undefined : 'auto',
    stream: true,
    stream_options: { include_usage: true },
  };
  return `${stringifyJson(rest).slice(0, -1)},"messages":[`;
}

function toChat(message: ModelMessage): object[] {
  const { role, content } = message;
  if (role === 'user' && message.files !== undefined)
    return [{ role, content: [{ type: 'text', text: content }, ...message.files.map(toFilePart)] }];
  if (role === 'user' || typeof content === 'string') return [{ role, content }];
  if (role === 'tool')
    return content.map(({ toolCallId, output }) => ({
      role,
      tool_call_id: toolCallId,
      content: output.value,
    }));
  const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const calls = content.flatMap((part) =>
    part.type === 'text'
      ? []
      : [
          {
            id: part.toolCallId,
            type: 'function',
            function: { name: part.toolName, arguments: asText(part.input) },
          },
        ],
  );
  if (calls.length === 0) return [{ role, content: text }];
  return [{ role, content: text === '' ? null : text, tool_calls: calls }];
}

function toFilePart({ name, type, data }: ShownFile): object {
  const url = `data:${type};base64,${data}`;
  return type.startsWith('image/')
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { filename: name, file_data: url } };
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

interface Call {
  readonly id: string;
  readonly name: string;
  text: string;
}

/** Reads the response as a stream of events, or whole from a server that does not stream. */
class ChatReader {
  readonly #onPart: (part: Part) => void;
  /** By their index. A call without a name yet is not told. */
  readonly #calls = new Map<number, Call>();
  readonly #early = new Map<number, { id: string | undefined; text: string }>();
  #reason: string | undefined;
  #usage: ReportedUsage | undefined;
  #isRefused = false;
  #hasFailed = false;
  #isDone = false;

  constructor(onPart: (part: Part) => void) {
    this.#onPart = onPart;
  }

  async read(answered: Answered): Promise<void> {
    if (answered.contentType.includes('application/json')) {
      const chunks: Uint8Array[] = [];
      await answered.read((chunk) => {
        chunks.push(chunk);
        return true;
      });
      this.#event(Buffer.concat(chunks).toString());
      return;
    }
    const events = new EventReader((data) => this.#event(data));
    await answered.read((chunk) => {
      events.push(chunk);
      return !this.#isDone;
    });
    if (!this.#isDone) events.end();
  }

  finish(): void {
    for (const { id, name, text } of this.#calls.values())
      this.#onPart({ type: 'call', id, name, input: text });
    if (this.#early.size > 0) this.#fail(new InvalidResponse('a tool call has no name'));
    if (this.#reason === undefined && !this.#hasFailed)
      this.#fail(new InvalidResponse('the response ended without a finish reason'));
    const reason = this.#hasFailed ? 'error' : finishReason(this.#reason, this.#isRefused);
    this.#onPart({ type: 'finish', reason, usage: this.#usage });
  }

  #event(data: string): void {
    if (this.#isDone) return;
    if (data === '[DONE]') {
      this.#isDone = true;
      return;
    }
    const value = parsedJson(data);
    if (!isObject(value)) {
      this.#fail(new InvalidResponse('an event of the response is no JSON object'));
      return;
    }
    if (value.error !== undefined && value.error !== null) {
      this.#fail(value.error);
      return;
    }
    if (isObject(value.usage)) this.#usage = toReported(value.usage);
    const choice: unknown = Array.isArray(value.choices) ? value.choices[0] : undefined;
    if (!isObject(choice)) return;
    if (typeof choice.finish_reason === 'string') this.#reason = choice.finish_reason;
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) this.#delta(delta);
  }

  #delta({
    content,
    reasoning_content,
    reasoning = reasoning_content,
    refusal,
    tool_calls,
  }: ChatDelta): void {
    if (typeof reasoning === 'string') this.#tell('thought', reasoning);
    for (const part of Array.isArray(content) ? content : [content]) this.#content(part);
    if (typeof refusal === 'string' && refusal !== '') {
      this.#isRefused = true;
      this.#tell('text', refusal);
    }
    for (const [place, call] of (Array.isArray(tool_calls) ? tool_calls : []).entries())
      if (isObject(call)) this.#call(call, place);
  }

  /** Some servers send thoughts as parts of the content. */
  #content(part: unknown): void {
    if (typeof part === 'string') this.#tell('text', part);
    else if (isObject(part) && part.type === 'text') this.#tell('text', part.text);
    else if (isObject(part) && part.type === 'thinking' && Array.isArray(part.thinking))
      for (const thought of part.thinking) if (isObject(thought)) this.#tell('thought', thought.text);
  }

  #tell(type: 'text' | 'thought', text: unknown): void {
    if (typeof text === 'string' && text !== '') this.#onPart({ type, text });
  }

  #call({ index, id, function: called }: ChatCall, place: number): void {
    const at = typeof index === 'number' ? index : this.#placeOf(id, place);
    const { name, arguments: piece } = asObject(called);
    // A few servers send the arguments as an object.
    const text = typeof piece === 'string' ? piece : isObject(piece) ? stringifyJson(piece) : '';
    const known = this.#calls.get(at);
    if (known !== undefined) {
      this.#piece(known, text);
      return;
    }
    const early = this.#early.get(at);
    const callId = early?.id ?? (typeof id === 'string' && id !== '' ? id : undefined);
    const begun = (early?.text ?? '') + text;
    if (typeof name !== 'string') {
      this.#early.set(at, { id: callId, text: begun });
      return;
    }
    this.#early.delete(at);
    // A few servers give the same id to several calls of one answer.
    const isTaken = [...this.#calls.values()].some((one) => one.id === callId);
    const call: Call = { id: callId === undefined || isTaken ? `call_${at}` : callId, name, text: '' };
    this.#calls.set(at, call);
    this.#onPart({ type: 'call-start', id: call.id, name });
    this.#piece(call, begun);
  }

  /** For servers that send no index: an id that is known continues its call, another begins one. */
  #placeOf(id: unknown, place: number): number {
    const known = [...this.#calls].find(([, call]) => call.id === id);
    if (known !== undefined) return known[0];
    return typeof id === 'string' && id !== '' ? this.#calls.size : place;
  }

  #piece(call: Call, text: string): void {
    if (text === '') return;
    call.text += text;
    this.#onPart({ type: 'call-piece', id: call.id, text });
  }

  #fail(error: unknown): void {
    this.#hasFailed = true;
    this.#onPart({ type: 'error', error });
  }
}

interface ChatDelta {
  readonly content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly refusal?: unknown;
  readonly tool_calls?: unknown;
}

interface ChatCall {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: unknown;
}

function finishReason(said: string | undefined, isRefused: boolean): FinishReason {
  switch (said) {
    case 'stop':
      return isRefused ? 'content-filter' : 'stop';
    case 'length':
      return 'length';
    case 'content_filter':
      return 'content-filter';
    case 'function_call':
    case 'tool_calls':
      return 'tool-calls';
    default:
      return 'other';
  }
}

function toReported(usage: Record<string, unknown>): ReportedUsage {
  const details = asObject(usage.prompt_tokens_details);
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return {
    inputTokens: number(usage.prompt_tokens) ?? 0,
    outputTokens: number(usage.completion_tokens) ?? 0,
    cachedInputTokens: number(details.cached_tokens),
  };
}
