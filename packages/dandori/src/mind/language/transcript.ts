import { stringifyJson } from '../../model/json.ts';
import type { Action } from '../../model/task.ts';
import type { Decision } from '../../run/state/state.ts';

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

/**
 * The actions of a decision as the model wrote them. The journal keeps tasks and operations of ours apart, so that only
 * counted ids tell how they stood together; where they do not, ours come last.
 */
export function inWrittenOrder({
  proposed,
  operations,
}: Pick<Decision, 'proposed' | 'operations'>): Action[] {
  const isCounted = [proposed, operations].every((list) => list.every(isAfterTheOneBefore));
  const actions = [...proposed, ...operations];
  if (!isCounted) return actions;
  return actions.sort((one, other) => (countOf(one.id) ?? 0) - (countOf(other.id) ?? 0));
}

function isAfterTheOneBefore({ id }: Action, index: number, list: readonly Action[]): boolean {
  const before = index === 0 ? 0 : countOf(list[index - 1]?.id ?? '');
  const own = countOf(id);
  return own !== undefined && before !== undefined && own > before;
}

/** 7 of `t7`; undefined for an id that is not counted. */
export function countOf(id: string): number | undefined {
  const digits = /^t(\d{1,9})$/.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
