import type { ModelReply, RecordedRequest } from 'dandori/testing';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

export interface Counts {
  readonly calls: number;
  readonly prompt: number;
  /** Prompt tokens behind the prefix that the request before had too. */
  readonly uncached: number;
  readonly completion: number;
  /** Share of prompt characters in that prefix, from the second request on. */
  readonly samePrefix: number;
}

/** What providers write around each message; OpenAI's cookbook reckons with three or four. */
const AROUND_A_MESSAGE = '<|message|>';
const AS_TEXT = { disallowedSpecial: new Set<string>() };

export function countAll(requests: readonly RecordedRequest[], replies: readonly ModelReply[]): Counts {
  const prompts = requests.map(promptText);
  const same = prompts.map((prompt, index) => samePrefix(prompt, prompts[index - 1] ?? ''));
  const later = prompts.slice(1);
  return {
    calls: requests.length,
    prompt: sum(prompts.map(tokensOf)),
    uncached: sum(prompts.map((prompt, index) => tokensOf(prompt.slice(same[index])))),
    completion: sum(replies.map((reply) => tokensOf(replyText(reply)))),
    samePrefix: sum(same) / Math.max(1, sum(later.map(({ length }) => length))),
  };
}

/** A request as a model reads it: tools and schemas as JSON, then the messages, their text without the escapes of JSON. */
export function promptText({ body }: RecordedRequest): string {
  const { tools, response_format: format, messages = [] } = body;
  const before = [tools, format].filter((part) => part !== undefined).map((part) => JSON.stringify(part));
  const told = messages.map(({ role, content, tool_calls: calls }) => {
    const parts = [textOf(content), ...callsOf(calls)].filter((part) => part !== '');
    return `${AROUND_A_MESSAGE}${role}\n${parts.join('\n')}`;
  });
  return [...before, ...told].join('\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('\n');
}

function callsOf(calls: unknown): string[] {
  if (!Array.isArray(calls)) return [];
  return calls.map(
    ({ function: { name, arguments: args } }: { function: { name: string; arguments: string } }) =>
      `${name} ${args}`,
  );
}

function replyText(reply: ModelReply): string {
  if ('toolCalls' in reply && reply.toolCalls !== undefined)
    return reply.toolCalls.map(({ name, arguments: args }) => `${name} ${JSON.stringify(args)}`).join('\n');
  if (!('content' in reply)) return '';
  return typeof reply.content === 'string' ? reply.content : JSON.stringify(reply.content);
}

function samePrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

export function tokensOf(text: string): number {
  return countTokens(text, AS_TEXT);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
