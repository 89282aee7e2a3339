import type { Decision } from '../../core/state.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import type { Action } from '../../domain/task.ts';
import { inWrittenOrder } from './written-order.ts';

/** A run as a model is told of it, in the messages of one dialect. */
export interface Conversation<Message> {
  /** Paragraphs in the voice of the user. */
  hear(...paragraphs: string[]): void;
  /** What the model decided. Of an output that could not be used nothing is kept. */
  say(decision: Decision): void;
  /** What came of an action of the last decision; nothing where that is told elsewhere. */
  hearOf(action: Action, text: string): void;
  /** The last paragraph, if nobody has spoken since. */
  lastHeard(): string | undefined;
  messages(): Message[];
}

export interface TextMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Everything as text: actions in the form that was asked for, and results among the user's words. */
export class TextConversation implements Conversation<TextMessage> {
  readonly #turns: { role: TextMessage['role']; paragraphs: string[] }[] = [];

  hear(...paragraphs: string[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === 'user') last.paragraphs.push(...paragraphs);
    else if (paragraphs.length > 0) this.#turns.push({ role: 'user', paragraphs });
  }

  say(decision: Decision): void {
    const { reasoning } = decision;
    const actions = inWrittenOrder(decision).map(writeAction);
    const text = stringifyJson({ ...(reasoning !== undefined && { reasoning }), actions });
    this.#turns.push({ role: 'assistant', paragraphs: [text] });
  }

  hearOf(_action: Action, text: string): void {
    if (text !== '') this.hear(text);
  }

  lastHeard(): string | undefined {
    const last = this.#turns.at(-1);
    return last?.role === 'user' ? last.paragraphs.at(-1) : undefined;
  }

  messages(): TextMessage[] {
    return this.#turns.map(({ role, paragraphs }) => ({ role, content: paragraphs.join('\n\n') }));
  }
}

export function writeAction({
  id,
  operation,
  args,
  after,
  expect,
  timeout,
  description,
  reasoning,
  step,
}: Action): object {
  const seconds = timeout === undefined ? undefined : timeout / 1000;
  return { id, operation, args, after, expect, timeout: seconds, description, reasoning, step };
}
