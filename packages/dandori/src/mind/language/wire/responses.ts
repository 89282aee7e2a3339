import { asObject, asText, isObject } from '../../../model/json.ts';
import type { ShownFile } from '../../mind.ts';
import type { OpenAiApi, OpenAiOptions, Output, ResponseReader } from './openai-api.ts';
import {
  type AssistantPart,
  type FinishReason,
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
  const schema = supportsStructuredOutputs ? format?.schema : undefined;
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
        : tools.map(({ name, description, inputSchema: parameters }) => {
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
  if (part.type === 'text') return part.text === '' ? [] : [{ role: 'assistant', content: part.text }];
  const { toolCallId, toolName: name, input } = part;
  return [{ type: 'function_call', call_id: toolCallId, name, arguments: asText(input) }];
}

function toFilePart({ name, type, data }: ShownFile): object {
  const url = `data:${type};base64,${data}`;
  return type.startsWith('image/')
    ? { type: 'input_image', image_url: url }
    : { type: 'input_file', filename: name, file_data: url };
}

/** An item of the output: a message, a call or thoughts. */
interface Item {
  readonly call?: { readonly id: string; readonly name: string } | undefined;
  /** What was told of it. */
  text: string;
  isDone: boolean;
}

class ResponsesReader implements ResponseReader {
  readonly #onPart: Output['onPart'];
  readonly #fail: Output['fail'];
  /** By their place in the output. */
  readonly #items = new Map<number, Item>();
  #reason: FinishReason | undefined;
  #usage: ReportedUsage | undefined;
  #isRefused = false;

  constructor({ onPart, fail }: Output) {
    this.#onPart = onPart;
    this.#fail = fail;
  }

  take(event: Record<string, unknown>): boolean {
    const { type, output_index: index, delta } = event;
    const place = typeof index === 'number' ? index : 0;
    switch (type) {
      case 'response.output_item.added':
        this.#begin(place, asObject(event.item));
        return true;
      case 'response.output_item.done':
        this.#done(place, asObject(event.item));
        return true;
      case 'response.output_text.delta':
        this.#tell(place, 'text', delta);
        return true;
      case 'response.refusal.delta':
        this.#isRefused = true;
        this.#tell(place, 'text', delta);
        return true;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        this.#tell(place, 'thought', delta);
        return true;
      case 'response.function_call_arguments.delta':
        this.#tellArguments(place, delta);
        return true;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        this.#ended(asObject(event.response));
        return false;
      default:
        return this.#takeOther(event);
    }
  }

  end(): ReturnType<ResponseReader['end']> {
    return { reason: this.#reason, usage: this.#usage };
  }

  /** The whole response, an error, or one of the many events that say nothing new. */
  #takeOther(event: Record<string, unknown>): boolean {
    if (event.object === 'response') {
      this.#ended(event);
      return false;
    }
    if (event.type !== 'error' && (event.error ?? null) === null) return true;
    this.#fail(toError(event.error ?? event));
    return false;
  }

  #begin(place: number, { type, id, call_id, name }: Record<string, unknown>): Item {
    const isCall = type === 'function_call' && typeof name === 'string';
    const known = this.#items.get(place);
    if (known !== undefined && (known.call !== undefined || !isCall)) return known;
    const callId = [call_id, id].find((one) => typeof one === 'string' && one !== '' && !this.#isTaken(one));
    const call = isCall ? { id: String(callId ?? `call_at_${place}`), name } : undefined;
    const item: Item = { call, text: '', isDone: false };
    this.#items.set(place, item);
    if (call !== undefined) this.#onPart({ type: 'call-start', ...call });
    return item;
  }

  #isTaken(id: unknown): boolean {
    return [...this.#items.values()].some(({ call }) => call?.id === id);
  }

  #tell(place: number, type: 'text' | 'thought', text: unknown): void {
    if (typeof text !== 'string' || text === '') return;
    this.#begin(place, {}).text += text;
    this.#onPart({ type, text });
  }

  #tellArguments(place: number, text: unknown): void {
    const item = this.#items.get(place);
    if (item?.call === undefined || typeof text !== 'string' || text === '') return;
    item.text += text;
    this.#onPart({ type: 'call-piece', id: item.call.id, text });
  }

  /** Tells what came in no delta: some servers send short items whole. */
  #done(place: number, item: Record<string, unknown>): void {
    const known = this.#begin(place, item);
    if (known.isDone) return;
    known.isDone = true;
    if (known.call !== undefined) {
      const written = typeof item.arguments === 'string' ? item.arguments : '';
      if (known.text === '') this.#tellArguments(place, written);
      this.#onPart({ type: 'call', ...known.call, input: written === '' ? known.text : written });
    } else if (known.text === '') this.#tellWhole(place, item);
  }

  #tellWhole(place: number, { type, content, summary }: Record<string, unknown>): void {
    const isThought = type === 'reasoning';
    const parts = isThought ? summary : content;
    for (const part of Array.isArray(parts) ? parts.map(asObject) : []) {
      if (typeof part.refusal === 'string') this.#isRefused = true;
      this.#tell(place, isThought ? 'thought' : 'text', part.refusal ?? part.text);
    }
  }

  #ended({ status, output, usage, error, incomplete_details: incomplete }: Record<string, unknown>): void {
    if (isObject(usage)) this.#usage = toReported(usage);
    if (isObject(error) || status === 'failed') {
      this.#fail(toError(error ?? { message: 'the response failed' }));
      return;
    }
    for (const [place, item] of (Array.isArray(output) ? output : []).entries())
      if (isObject(item)) this.#done(place, item);
    this.#reason = this.#reasonFor(isObject(incomplete) ? incomplete.reason : undefined);
  }

  #reasonFor(incomplete: unknown): FinishReason {
    if (incomplete === 'max_output_tokens') return 'length';
    if (incomplete === 'content_filter') return 'content-filter';
    for (const { call } of this.#items.values()) if (call !== undefined) return 'tool-calls';
    if (incomplete !== undefined) return 'other';
    return this.#isRefused ? 'content-filter' : 'stop';
  }
}

/** The status that a server answers with before it streams, by the code that it gives the same error in a stream. */
const STATUS: readonly (readonly [RegExp, number])[] = [
  [/insufficient_quota|rate_limit/, 429],
  [/authentication|api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/invalid|bad_request|context_length/, 400],
];

/** An error within the stream. Whether a retry helps depends on its code. */
function toError(error: unknown): unknown {
  const { message, code, type } = asObject(error);
  const said = `${code ?? ''} ${type ?? ''}`;
  const status = STATUS.find(([pattern]) => pattern.test(said))?.[1];
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
