import { stringifyJson } from '../../domain/json-text.ts';
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

/** What the model says, before it is put in the words of one API. */
export interface Answer {
  readonly id: string;
  readonly model: string;
  readonly createdAtSeconds: number;
  readonly items: readonly AnswerItem[];
  readonly finishReason: string | null;
  readonly usage: ReplyUsage | null;
  /** A client of chat completions gets usage from a stream only when it asks. */
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

function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
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
