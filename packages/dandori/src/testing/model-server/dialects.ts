import type { Answer, AnswerItem, Piece, TextItem, ToolCallItem } from './answer.ts';
import type { ReplyUsage } from './reply.ts';

/** How an API formats an answer: as one JSON body, or as the `data` lines of an event stream. */
export interface Dialect {
  body(answer: Answer): object;
  opening(answer: Answer): StreamEvent[];
  piece(answer: Answer, piece: Piece): StreamEvent[];
  closing(answer: Answer): StreamEvent[];
}

export type StreamEvent = object | '[DONE]';

/** The dialect that a client of this path uses. */
export function dialectOf(path: string): Dialect | undefined {
  if (path === '/v1/chat/completions') return chatDialect;
  if (path === '/v1/responses') return responsesDialect;
  return undefined;
}

/** OpenAI chat completions, the API of local servers and most vendors. */
const chatDialect: Dialect = {
  body: (answer) => ({
    ...head(answer, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(answer), finish_reason: answer.finishReason }],
    ...(answer.usage === null ? {} : { usage: chatUsage(answer.usage) }),
  }),
  opening: (answer) => [chunk(answer, { role: 'assistant', content: '' })],
  piece: (answer, piece) => deltasOf(answer, piece).map((delta) => chunk(answer, delta)),
  closing: (answer) => [
    ...(answer.finishReason === null ? [] : [chunk(answer, {}, answer.finishReason)]),
    ...usageEvents(answer),
    '[DONE]',
  ],
};

function messageOf(answer: Answer): object {
  const toolCalls = answer.items.filter((item) => item.kind === 'toolCall');
  const reasoning = textOf(answer, 'reasoning');
  return {
    role: 'assistant',
    content: textOf(answer, 'text') ?? null,
    refusal: textOf(answer, 'refusal') ?? null,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCallOf) }),
  };
}

function textOf(answer: Answer, kind: TextItem['kind']): string | undefined {
  return answer.items.find((item) => item.kind === kind)?.text;
}

function toolCallOf(call: ToolCallItem): object {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.text } };
}

const textFields = { text: 'content', refusal: 'refusal', reasoning: 'reasoning_content' } as const;

function deltasOf(answer: Answer, { item, text, first }: Piece): object[] {
  if (item.kind !== 'toolCall') return [{ [textFields[item.kind]]: text }];
  const index = answer.items.filter((other) => other.kind === 'toolCall').indexOf(item);
  const rest = { tool_calls: [{ index, function: { arguments: text } }] };
  if (!first) return [rest];
  return [{ tool_calls: [{ index, ...toolCallOf({ ...item, text: '' }) }] }, rest];
}

function chunk(answer: Answer, delta: object, finishReason: string | null = null): object {
  return {
    ...head(answer, 'chat.completion.chunk'),
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function usageEvents(answer: Answer): object[] {
  if (answer.usage === null || !answer.usageInStream) return [];
  return [{ ...head(answer, 'chat.completion.chunk'), choices: [], usage: chatUsage(answer.usage) }];
}

function chatUsage(usage: ReplyUsage): object {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function head(answer: Answer, object: string): object {
  return { id: answer.id, object, created: answer.createdAtSeconds, model: answer.model };
}

/** The OpenAI Responses API, which the AI SDK uses for OpenAI unless `.chat()` is asked for. */
const responsesDialect: Dialect = {
  body: responseOf,
  opening: (answer) => [{ type: 'response.created', response: { ...responseOf(answer), output: [] } }],
  piece: (_answer, piece) => eventsOf(piece),
  closing: (answer) => [
    {
      type: incompleteReason(answer) === undefined ? 'response.completed' : 'response.incomplete',
      response: responseOf(answer),
    },
  ],
};

function responseOf(answer: Answer): object {
  const reason = incompleteReason(answer);
  return {
    id: answer.id,
    object: 'response',
    created_at: answer.createdAtSeconds,
    model: answer.model,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: answer.items.map((item, index) => itemOf(item, index, item.text)),
    usage: responsesUsage(answer),
  };
}

function incompleteReason(answer: Answer): string | undefined {
  if (answer.finishReason === 'length') return 'max_output_tokens';
  return answer.finishReason === 'content_filter' ? 'content_filter' : undefined;
}

function itemOf(item: AnswerItem, index: number, text: string): object {
  const id = itemId(index);
  switch (item.kind) {
    case 'reasoning':
      return { type: 'reasoning', id, summary: [{ type: 'summary_text', text }] };
    case 'toolCall':
      return {
        type: 'function_call',
        id,
        call_id: item.id,
        name: item.name,
        arguments: text,
        status: 'completed',
      };
    case 'refusal':
      return { type: 'message', id, role: 'assistant', content: [{ type: 'refusal', refusal: text }] };
    case 'text':
      return {
        type: 'message',
        id,
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      };
  }
}

function itemId(index: number): string {
  return `item_${index}`;
}

function eventsOf({ item, itemIndex, text, first, last }: Piece): object[] {
  const place = { item_id: itemId(itemIndex), output_index: itemIndex };
  const added = {
    type: 'response.output_item.added',
    output_index: itemIndex,
    item: itemOf(item, itemIndex, ''),
  };
  const done = {
    type: 'response.output_item.done',
    output_index: itemIndex,
    item: itemOf(item, itemIndex, item.text),
  };
  return [...(first ? [added] : []), deltaOf(item, place, text), ...(last ? [done] : [])];
}

function deltaOf(item: AnswerItem, place: object, delta: string): object {
  switch (item.kind) {
    case 'reasoning':
      return { type: 'response.reasoning_summary_text.delta', ...place, summary_index: 0, delta };
    case 'toolCall':
      return { type: 'response.function_call_arguments.delta', ...place, delta };
    case 'refusal':
      return { type: 'response.refusal.delta', ...place, content_index: 0, delta };
    case 'text':
      return { type: 'response.output_text.delta', ...place, content_index: 0, delta };
  }
}

function responsesUsage({ usage }: Answer): object | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
  };
}
