import { asObject, asText, isObject, stringifyJson } from '../../../model/json.ts';
import type { ShownFile } from '../../mind.ts';
import { isName, type OpenAiApi, type OpenAiOptions, type Output, type OutputReader } from './openai-api.ts';
import { openAiSchema } from './openai-schema.ts';
import {
  type AssistantPart,
  type FinishReason,
  InvalidResponse,
  type ModelMessage,
  type ModelRequest,
  type ReportedUsage,
  ResponseError,
} from './wire.ts';

/** The Responses API, which OpenAI recommends for its own models. */
export const responsesApi: OpenAiApi = {
  path: '/responses',
  messages: 'input',
  body: toBody,
  toItems,
  createReader: (output) => new ResponsesReader(output),
};

function toBody(request: ModelRequest, { model, supportsStructuredOutputs }: OpenAiOptions): object {
  const { tools = [], responseFormat, reasoningEffort: effort } = request;
  const format = responseFormat?.type === 'json' ? responseFormat : undefined;
  const schema = supportsStructuredOutputs ? openAiSchema(format?.schema) : undefined;
  return {
    model,
    max_output_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    text: format && {
      format:
        schema === undefined
          ? { type: 'json_object' }
          : // Strict schemas allow no free-form objects such as `args`.
            { type: 'json_schema', name: format.name ?? 'response', schema, strict: false },
    },
    reasoning: effort && { effort, ...(effort !== 'none' && { summary: 'auto' }) },
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, inputSchema }) => {
            const parameters = openAiSchema(inputSchema);
            // In this API functions are strict by default.
            return { type: 'function', name, description, parameters, strict: false };
          }),
    tool_choice: tools.length === 0 ? undefined : 'auto',
  };
}

function toItems(message: ModelMessage): object[] {
  const { role, content } = message;
  if (role === 'user' && message.files !== undefined)
    return [{ role, content: [{ type: 'input_text', text: content }, ...message.files.map(toFilePart)] }];
  if (role === 'user' || typeof content === 'string') return [{ role, content }];
  if (role === 'tool')
    return content.map(({ toolCallId, output }) => ({
      type: 'function_call_output',
      call_id: toolCallId,
      output: output.value,
    }));
  return content.flatMap(toOwnItems);
}

function toOwnItems(part: AssistantPart): object[] {
  if (part.type === 'text') return [{ role: 'assistant', content: part.text }];
  const { toolCallId, toolName: name, input } = part;
  return [{ type: 'function_call', call_id: toolCallId, name, arguments: asText(input) }];
}

function toFilePart({ name, type, data }: ShownFile): object {
  const url = `data:${type};base64,${data}`;
  return type.startsWith('image/')
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', filename: name, file_data: url };
}

/** A call in the output. Servers differ in what they name it by. */
interface Call {
  /** What it is told by. */
  readonly id: string;
  readonly name: string;
  readonly callId: unknown;
  readonly itemId: unknown;
  readonly place: unknown;
  /** The arguments that were told. */
  text: string;
  isEnded: boolean;
}

class ResponsesReader implements OutputReader {
  readonly #onPart: Output['onPart'];
  readonly #fail: Output['fail'];
  readonly #calls: Call[] = [];
  readonly #ids = new Set<string>();
  /** What has arrived in pieces is not told again when its item is complete. */
  readonly #inPieces = new Set<'text' | 'thought'>();
  /** What was told is not told again when the response is complete. */
  readonly #told = new Set<'text' | 'thought' | 'call'>();
  #reason: FinishReason | undefined;
  #usage: ReportedUsage | undefined;
  #isRefused = false;

  constructor({ onPart, fail }: Output) {
    this.#onPart = onPart;
    this.#fail = fail;
  }

  take(event: Record<string, unknown>): boolean {
    switch (event.type) {
      case 'response.output_item.added':
        this.#begun(event, asObject(event.item));
        return true;
      case 'response.output_item.done':
        this.#done(event, asObject(event.item));
        return true;
      case 'response.output_text.delta':
        this.#piece('text', event.delta);
        return true;
      case 'response.refusal.delta':
        this.#isRefused = true;
        this.#piece('text', event.delta);
        return true;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#piece('thought', event.delta);
        return true;
      case 'response.function_call_arguments.delta':
        this.#tellArguments(this.#callOfPiece(event), event.delta);
        return true;
      case 'response.function_call_arguments.done':
        // A few servers send it without the arguments, and then the item with them.
        if (event.arguments) this.#endCall(this.#callOfPiece(event), event.arguments);
        return true;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        this.#ended({ status: event.type.slice('response.'.length), ...asObject(event.response) });
        return false;
      default:
        return this.#takeOther(event);
    }
  }

  end(): ReturnType<OutputReader['end']> {
    for (const call of this.#calls) this.#endCall(call, undefined);
    return { reason: this.#reason, usage: this.#usage };
  }

  /** The whole response, an error, or one of the many events that say nothing new. */
  #takeOther(event: Record<string, unknown>): boolean {
    if (event.object === 'response') {
      this.#ended(event);
      return false;
    }
    if (event.type !== 'error' && !event.error) return true;
    this.#fail(toError(event.error || event));
    return false;
  }

  #tell(type: 'text' | 'thought', text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#told.add(type);
    this.#onPart({ type, text });
  }

  #piece(type: 'text' | 'thought', text: unknown): void {
    this.#inPieces.add(type);
    this.#tell(type, text);
  }

  #begun(event: Record<string, unknown>, item: Record<string, unknown>): Call | undefined {
    if (item.type !== 'function_call' || !isName(item.name)) return undefined;
    const known = this.#callOfItem(event, item, false);
    if (known !== undefined) return known;
    const { id: itemId, call_id: callId, name } = item;
    const id = this.#freeId(callId, itemId);
    const call = { id, name, callId, itemId, place: event.output_index, text: '', isEnded: false };
    this.#calls.push(call);
    this.#told.add('call');
    this.#onPart({ type: 'call-start', id, name });
    return call;
  }

  #freeId(...wanted: readonly unknown[]): string {
    const free = wanted.find((id) => isName(id) && !this.#ids.has(id));
    let id = free === undefined ? `call_${this.#calls.length}` : String(free);
    while (this.#ids.has(id)) id += '_';
    this.#ids.add(id);
    return id;
  }

  /**
   * The call that an item begins or ends. One place may hold two calls, and two places may hold two calls of one
   * `call_id`. A few servers name a call only when it begins, or only when it ends.
   */
  #callOfItem(
    event: Record<string, unknown>,
    { id, call_id: callId }: Record<string, unknown>,
    isEnd: boolean,
  ) {
    const { output_index: place } = event;
    const isElsewhere = (call: Call) => isNumber(place) && isNumber(call.place) && place !== call.place;
    const isSame = (call: Call) => call.callId === callId && (!isElsewhere(call) || call.itemId === id);
    const mayBe = (call: Call) =>
      isName(id) && isName(call.itemId) ? call.itemId === id : isEnd && !call.isEnded && !isElsewhere(call);
    const named = isName(callId) ? this.#calls.find(isSame) : undefined;
    return named ?? this.#calls.find((call) => !(isName(callId) && isName(call.callId)) && mayBe(call));
  }

  /** A few servers change the id of an item from event to event, and others give it no place. */
  #callOfPiece({ item_id: itemId, output_index: place }: Record<string, unknown>): Call | undefined {
    const named = isName(itemId) ? this.#calls.findLast((call) => call.itemId === itemId) : undefined;
    if (named !== undefined) return named;
    if (isNumber(place)) return this.#calls.findLast((call) => call.place === place);
    return isName(itemId) ? undefined : this.#calls.at(-1);
  }

  #tellArguments(call: Call | undefined, text: unknown): void {
    if (call === undefined || call.isEnded || typeof text !== 'string' || text === '') return;
    call.text += text;
    this.#onPart({ type: 'call-piece', id: call.id, text });
  }

  #endCall(call: Call | undefined, written: unknown): void {
    if (call === undefined || call.isEnded) return;
    // A few servers send the arguments as an object.
    const text = isObject(written) ? stringifyJson(written) : written;
    if (call.text === '') this.#tellArguments(call, text);
    call.isEnded = true;
    const { id, name } = call;
    this.#onPart({ type: 'call', id, name, input: isName(text) ? text : call.text });
  }

  #done(event: Record<string, unknown>, item: Record<string, unknown>): void {
    if (item.type === 'function_call') {
      const call = this.#callOfItem(event, item, true) ?? this.#begun(event, item);
      if (call === undefined) this.#fail(new InvalidResponse('a tool call has no name'));
      else this.#endCall(call, item.arguments);
    } else if (item.type === 'reasoning') this.#tellWhole('thought', item.summary);
    else if (item.type === 'message') this.#tellWhole('text', item.content);
  }

  #tellWhole(type: 'text' | 'thought', parts: unknown): void {
    for (const part of Array.isArray(parts) ? parts.map(asObject) : []) {
      if (typeof part.refusal === 'string') this.#isRefused = true;
      if (!this.#inPieces.has(type)) this.#tell(type, part.refusal ?? part.text);
    }
  }

  #ended({ status, output, usage, error, incomplete_details: incomplete }: Record<string, unknown>): void {
    if (isObject(usage)) this.#usage = toReported(usage);
    if (isObject(error) || status === 'failed' || status === 'cancelled') {
      this.#fail(toError(error ?? { message: `the response is ${status}` }));
      return;
    }
    const told = new Set(this.#told);
    const written = new Map<unknown, unknown>();
    for (const [place, item] of (Array.isArray(output) ? output.map(asObject) : []).entries()) {
      // The list may lack items or have them in other places, so it adds no call to those that were streamed.
      if (!told.has(kindOf(item))) this.#done({ output_index: place }, item);
      else written.set(item.call_id, item.arguments);
    }
    for (const call of this.#calls) this.#endCall(call, written.get(call.callId));
    this.#reason = this.#reasonFor(status, asObject(incomplete).reason);
  }

  #reasonFor(status: unknown, incomplete: unknown): FinishReason {
    if (incomplete === 'content_filter') return 'content-filter';
    // Whatever the reason is, something is missing.
    if (status === 'incomplete' || isName(incomplete)) return 'length';
    if (this.#calls.length > 0) return 'tool-calls';
    return this.#isRefused ? 'content-filter' : 'stop';
  }
}

function kindOf({ type }: Record<string, unknown>): 'text' | 'thought' | 'call' {
  if (type === 'function_call') return 'call';
  return type === 'reasoning' ? 'thought' : 'text';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** The status that a server answers with before it streams, by the code that it gives the same error in a stream. */
const STATUS: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_limit/, 429],
  [/authentication|api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/invalid|bad_request|context_length|billing|image_parse/, 400],
];

/** An error within the stream. Whether a retry helps depends on its code. */
function toError(error: unknown): unknown {
  const { message, code, type } = asObject(error);
  const said = `${code ?? ''} ${type ?? ''}`;
  const isStatus = /^[45]\d\d$/.test(String(code));
  const status = isStatus ? Number(code) : STATUS.find(([pattern]) => pattern.test(said))?.[1];
  if (status === undefined || typeof message !== 'string') return error;
  return new ResponseError(message, { statusCode: status, responseBody: said });
}

function toReported(usage: Record<string, unknown>): ReportedUsage {
  const number = (value: unknown) => (typeof value === 'number' ? value : undefined);
  return {
    inputTokens: number(usage.input_tokens) ?? 0,
    outputTokens: number(usage.output_tokens) ?? 0,
    cachedInputTokens: number(asObject(usage.input_tokens_details).cached_tokens),
  };
}
