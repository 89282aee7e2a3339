import type { FactOf } from '../../domain/event.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import type { Attributes } from './span.ts';

/** More of one text than this nobody reads in a trace, and the journal has it whole. */
const LONGEST = 10_000;

/** What was said, in the form of the GenAI conventions. */
export function agentContent(goal: string | undefined, answer: string | undefined): Attributes {
  return {
    'gen_ai.input.messages': messages('user', goal),
    'gen_ai.output.messages': messages('assistant', answer),
  };
}

/** The prompt is not among it: it is made from the journal for each call, and is not in it. */
export function decisionContent({ reasoning, operations }: FactOf<'decision_made'>['data']): Attributes {
  const calls = (operations ?? []).map(({ id, operation, args }) => ({
    type: 'tool_call',
    id,
    name: operation,
    arguments: text(args),
  }));
  const thoughts = reasoning === undefined ? [] : [{ type: 'reasoning', content: cut(reasoning) }];
  const parts = [...thoughts, ...calls];
  if (parts.length === 0) return {};
  return { 'gen_ai.output.messages': stringifyJson([{ role: 'assistant', parts, finish_reason: 'stop' }]) };
}

export function text(value: unknown): string | undefined {
  return value === undefined ? undefined : cut(stringifyJson(value));
}

function messages(role: 'user' | 'assistant', said: string | undefined): string | undefined {
  if (said === undefined) return undefined;
  const message = { role, parts: [{ type: 'text', content: cut(said) }] };
  return stringifyJson([role === 'assistant' ? { ...message, finish_reason: 'stop' } : message]);
}

function cut(said: string): string {
  return said.length <= LONGEST ? said : `${said.slice(0, LONGEST).toWellFormed()}…`;
}
