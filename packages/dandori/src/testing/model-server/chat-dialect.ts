import type { Answer, TextItem, ToolCallItem } from './answer.ts';
import type { Dialect } from './dialect.ts';
import type { Piece } from './piece.ts';
import type { ReplyUsage } from './reply.ts';

/** OpenAI chat completions, the API that local servers and most vendors speak. */
export const chatDialect: Dialect = {
  body: (answer) => ({
    ...head(answer, 'chat.completion'),
    choices: [{ index: 0, message: messageOf(answer), finish_reason: answer.finishReason }],
    ...(answer.usage === null ? {} : { usage: usageOf(answer.usage) }),
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
  return [{ ...head(answer, 'chat.completion.chunk'), choices: [], usage: usageOf(answer.usage) }];
}

function usageOf(usage: ReplyUsage): object {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

function head(answer: Answer, object: string): object {
  return { id: answer.id, object, created: answer.createdAtSeconds, model: answer.model };
}
