import { isDeepStrictEqual } from 'node:util';
import { asObject, asText, isObject, parsedJson, stringifyJson } from '../../../model/json.ts';
import type { ShownFile } from '../../mind.ts';
import { isThinker, thinksWithoutTools } from '../options.ts';
import { isName, type OpenAiApi, type OpenAiOptions, type Output, type OutputReader } from './openai-api.ts';
import { openAiSchema } from './openai-schema.ts';
import {
  type FinishReason,
  InvalidResponse,
  MOST_CALLS,
  type ModelMessage,
  type ModelRequest,
  OutputTooLong,
  type ReportedUsage,
} from './wire.ts';

/** The chat completions of OpenAI, which most servers speak. */
export const chatApi: OpenAiApi = {
  path: '/chat/completions',
  messages: 'messages',
  body: toBody,
  toItems: toChat,
  createReader: (output) => new ChatReader(output),
};

function toBody(
  request: ModelRequest,
  { model, provider, supportsStructuredOutputs }: OpenAiOptions,
): object {
  const { tools = [], responseFormat, maxOutputTokens } = request;
  const isOpenAi = provider === 'openai';
  const format = responseFormat?.type === 'json' ? responseFormat : undefined;
  const wanted = supportsStructuredOutputs ? format?.schema : undefined;
  const schema = isOpenAi ? openAiSchema(wanted) : wanted;
  const limit = isOpenAi && isThinker(model) ? 'max_completion_tokens' : 'max_tokens';
  const mustNotThink = isOpenAi && tools.length > 0 && thinksWithoutTools(model);
  return {
    model,
    [limit]: maxOutputTokens,
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
    reasoning_effort: mustNotThink ? 'none' : request.reasoningEffort,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, inputSchema }) => ({
            type: 'function',
            function: {
              name,
              description,
              parameters: isOpenAi ? openAiSchema(inputSchema) : inputSchema,
            },
          })),
    tool_choice: tools.length === 0 ? undefined : 'auto',
    stream_options: request.includeUsage ? { include_usage: true } : undefined,
  };
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

/** A call in the output. */
interface Call {
  /** Its index, or its place in the list of a server that sends none. */
  readonly place: number;
  /** The id that the server gave it. */
  sentId: string | undefined;
  /** What it is told by. */
  id: string;
  /** Undefined: it has no name yet, and is not told. */
  name: string | undefined;
  text: string;
  /** Its text has come in one piece, perhaps not the whole text. */
  isOnePiece: boolean;
}

class ChatReader implements OutputReader {
  readonly #onPart: Output['onPart'];
  readonly #fail: Output['fail'];
  readonly #calls: Call[] = [];
  readonly #ids = new Set<string>();
  #reason: string | undefined;
  #usage: ReportedUsage | undefined;
  #isRefused = false;

  constructor({ onPart, fail }: Output) {
    this.#onPart = onPart;
    this.#fail = fail;
  }

  /** The stream ends with `[DONE]`, so no event is known to be the last one. */
  take(value: Record<string, unknown>): boolean {
    // A few servers send an empty one with each event.
    if (value.error) {
      this.#fail(value.error);
      return true;
    }
    if (isObject(value.usage)) this.#usage = toReported(value.usage);
    const choice: unknown = Array.isArray(value.choices) ? value.choices[0] : undefined;
    if (!isObject(choice)) return true;
    if (isName(choice.finish_reason)) this.#reason = choice.finish_reason;
    const delta = choice.delta ?? choice.message;
    if (isObject(delta)) this.#delta(delta);
    return true;
  }

  end(): ReturnType<OutputReader['end']> {
    for (const { id, name, text } of this.#calls)
      if (name !== undefined) this.#onPart({ type: 'call', id, name, input: text });
    if (this.#calls.some(({ name }) => name === undefined))
      this.#fail(new InvalidResponse('a tool call has no name'));
    const reason = this.#reason === undefined ? undefined : finishReason(this.#reason, this.#isRefused);
    return { reason, usage: this.#usage };
  }

  #delta({ content, reasoning, reasoning_content, refusal, tool_calls }: ChatDelta): void {
    // A few servers send both names.
    this.#tell('thought', reasoning || reasoning_content);
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

  #call(sent: ChatCall, position: number): void {
    const { name, arguments: piece } = asObject(sent.function);
    // A few servers send the arguments as an object.
    const text = typeof piece === 'string' ? piece : isObject(piece) ? stringifyJson(piece) : '';
    const call = this.#callOf(sent, { name, text }, position);
    if (isName(sent.id)) call.sentId ??= sent.id;
    if (text !== '') call.isOnePiece = call.text === '';
    call.text += text;
    if (call.name !== undefined) this.#piece(call, text);
    else if (isName(name)) {
      call.name = name;
      call.id = this.#freeId(call);
      this.#onPart({ type: 'call-start', id: call.id, name });
      this.#piece(call, call.text);
    }
  }

  /**
   * The call that a piece belongs to. Some servers send the same index with every call, and others send none. A few
   * change the id with every piece. So an unknown id begins another call only together with a name.
   */
  #callOf({ index, id }: ChatCall, { name, text }: { name: unknown; text: string }, position: number): Call {
    const place = typeof index === 'number' ? index : position;
    const isHere = (call: Call) => call.place === place;
    const named = isName(id)
      ? this.#calls.findLast((call) => call.sentId === id && (typeof index !== 'number' || isHere(call)))
      : undefined;
    const known = named ?? this.#calls.findLast(isHere);
    if (known !== undefined && !(isName(name) && isAnother(known, { id, name, text }))) return known;
    // Calls without a name are not told, so the limit of the listener does not count them.
    if (this.#calls.length === MOST_CALLS)
      throw new OutputTooLong('the output of the model has too many calls');
    const call = { place, sentId: undefined, id: '', name: undefined, text: '', isOnePiece: false };
    this.#calls.push(call);
    return call;
  }

  /** A few servers give the same id to several calls of one answer. */
  #freeId({ sentId, place }: Call): string {
    let id = sentId === undefined || this.#ids.has(sentId) ? `call_${place}` : sentId;
    while (this.#ids.has(id)) id += '_';
    this.#ids.add(id);
    return id;
  }

  #piece({ id }: Call, text: string): void {
    if (text !== '') this.#onPart({ type: 'call-piece', id, text });
  }
}

/**
 * Whether a piece with a name begins another call. Some servers repeat the name and the id of a call in other pieces. A
 * few repeat all of its arguments at the end, and a call must not be made twice because of that.
 */
function isAnother(call: Call, { id, name, text }: { id: unknown; name: string; text: string }): boolean {
  if (isName(id) && call.sentId !== undefined && id !== call.sentId) return true;
  if (call.name === undefined) return false;
  if (name !== call.name) return true;
  // Only a text of one piece is parsed, so that a long one is not parsed again for each of its pieces.
  const before = !isName(id) && call.isOnePiece && text.startsWith('{') ? parsedJson(call.text) : undefined;
  return isObject(before) && !isDeepStrictEqual(before, parsedJson(text));
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

/**
 * Besides the reasons of OpenAI, those of other servers for an output that is not whole: `abort` (vLLM), `model_length`
 * (Mistral), `sensitive` and `network_error` (Zhipu), `insufficient_system_resource` (DeepSeek), `error` (OpenRouter),
 * `function_call_filter: MALFORMED_FUNCTION_CALL` (Google).
 */
const REASONS: readonly (readonly [RegExp, FinishReason])[] = [
  [/^(tool_calls|function_call)$/, 'tool-calls'],
  [/length|max_tokens|context_window/, 'length'],
  [/^content_filter|^sensitive/, 'content-filter'],
  [/error|abort|cancel|insufficient|^function_call_filter/, 'error'],
];

function finishReason(said: string, isRefused: boolean): FinishReason {
  if (said === 'stop') return isRefused ? 'content-filter' : 'stop';
  return REASONS.find(([pattern]) => pattern.test(said))?.[1] ?? 'other';
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
