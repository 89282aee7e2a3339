import { asText, stringifyJson } from '../../model/json.ts';
import type {
  ActionsReply,
  ContentReply,
  RefusalReply,
  ReplyToolCall,
  ReplyUsage,
  ToolCallsReply,
} from './reply.ts';
import type { RecordedRequest } from './request.ts';

export type AnswerReply = ContentReply | ActionsReply | ToolCallsReply | RefusalReply;

/** What the model says, independent of the API. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly createdAtSeconds: number;
  readonly items: readonly AnswerItem[];
  readonly finishReason: string | null;
  readonly usage: ReplyUsage | null;
  /** A chat completions client gets usage from a stream only on request. */
  readonly usageInStream: boolean;
}

export type AnswerItem = TextItem | ToolCallItem;

export interface TextItem {
  readonly kind: 'reasoning' | 'text' | 'refusal';
  readonly text: string;
}

export interface ToolCallItem {
  readonly kind: 'toolCall';
  /** The arguments. */
  readonly text: string;
  readonly id: string;
  readonly name: string;
}

export function writeAnswer(reply: AnswerReply, request: RecordedRequest, number: number): Answer {
  const items = itemsOf(reply, number);
  return {
    id: `scripted-${number}`,
    model: request.body.model ?? 'scripted',
    createdAtSeconds: Math.floor(request.startedAt / 1000),
    items,
    finishReason: reply.finishReason === undefined ? usualFinishReason(items) : reply.finishReason,
    usage: reply.usage === undefined ? estimateUsage(request, items) : reply.usage,
    usageInStream: request.body.stream_options?.include_usage === true,
  };
}

function itemsOf(reply: AnswerReply, number: number): AnswerItem[] {
  const items: AnswerItem[] = [];
  if (reply.reasoning !== undefined) items.push({ kind: 'reasoning', text: reply.reasoning });
  if ('content' in reply) items.push({ kind: 'text', text: asText(reply.content) });
  if ('actions' in reply) items.push({ kind: 'text', text: stringifyJson({ elements: reply.actions }) });
  if ('refusal' in reply) items.push({ kind: 'refusal', text: reply.refusal });
  if ('toolCalls' in reply) {
    items.push(
      ...(reply.toolCalls ?? []).map((call, index) => toolCallItem(call, `call_${number}_${index}`)),
    );
  }
  return items;
}

function toolCallItem(call: ReplyToolCall, id: string): ToolCallItem {
  return { kind: 'toolCall', id: call.id ?? id, name: call.name, text: asText(call.arguments ?? {}) };
}

function usualFinishReason(items: readonly AnswerItem[]): string {
  return items.some((item) => item.kind === 'toolCall') ? 'tool_calls' : 'stop';
}

function estimateUsage(request: RecordedRequest, items: readonly AnswerItem[]): ReplyUsage {
  const answerLength = items.reduce((length, item) => length + item.text.length, 0);
  return {
    prompt_tokens: Math.ceil(request.promptText.length / 4),
    completion_tokens: Math.ceil(answerLength / 4),
  };
}

/** A group of characters that is sent as one event of a stream. */
export interface Piece {
  readonly item: AnswerItem;
  readonly itemIndex: number;
  readonly text: string;
  /** The item starts with this piece. */
  readonly first: boolean;
  /** The item is complete after this piece. */
  readonly last: boolean;
}

/** Splits an answer into pieces, and stops after `limit` characters. Reasoning does not count. */
export function* splitAnswer(answer: Answer, chunkSize: number, limit: number): Generator<Piece> {
  const step = Math.max(1, chunkSize);
  let left = limit;
  for (const [itemIndex, item] of answer.items.entries()) {
    // Split by code points, because no real model sends half of an emoji.
    const characters = Array.from(item.text);
    const end = item.kind === 'reasoning' ? characters.length : Math.min(characters.length, left);
    if (item.kind !== 'reasoning') left -= end;
    const whole = end === characters.length;
    // An item without characters still has one piece, so that its start and end are reported.
    for (let start = 0; start < Math.max(end, 1); start += step) {
      const next = Math.min(start + step, end);
      const text = characters.slice(start, next).join('');
      yield { item, itemIndex, text, first: start === 0, last: whole && next === end };
    }
    if (!whole) return;
  }
}
