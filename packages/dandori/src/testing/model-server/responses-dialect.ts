import type { Answer, AnswerItem } from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { Piece } from './piece.ts';

/** The OpenAI Responses API, which the AI SDK uses for OpenAI unless `.chat()` is asked for. */
export const responsesDialect: Dialect = {
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
    usage: usageOf(answer),
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

function usageOf({ usage }: Answer): object | null {
  if (usage === null) return null;
  return {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: usage.prompt_tokens + usage.completion_tokens,
  };
}
