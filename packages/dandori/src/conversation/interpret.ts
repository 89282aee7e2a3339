import * as z from 'zod';
import { plainAnswer, takesWords } from '../commands/answer-words.ts';
import type { Message } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { askedQuestionSchema } from '../views/report.ts';
import type { ConversationState } from './state.ts';

/** An open question of one of the conversation's runs. */
export const askedSchema = z.object({ run: z.string(), question: askedQuestionSchema });
export type Asked = Readonly<z.infer<typeof askedSchema>>;

/**
 * How a message is meant: as the answer to one question, as the answer to one of several (unclear), or as a
 * new goal.
 */
export type Meant =
  | { readonly kind: 'answer'; readonly asked: Asked }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'goal' };

interface Heard {
  readonly open: readonly Asked[];
  readonly state: ConversationState | undefined;
  /**
   * The last message that the sender had seen. Undefined if unknown, for example if a program sent the
   * message.
   */
  readonly seen?: string | undefined;
}

/**
 * A "yes" does not answer a question that arrived while the user was typing; that is unclear, and nothing is
 * done. A "yes" also approves no call if another run has asked for one since. The user may mean the other
 * run, and its text may be injected.
 */
export function meantBy(text: string, { open, state, seen }: Heard): Meant {
  const [asked] = open;
  const isOnly = open.length === 1 && asked !== undefined && isSeen(asked, state, seen);
  if (open.some(({ question }) => plainAnswer(text, question) !== undefined))
    return isOnly && !isTalkedOver(text, { asked, state, seen })
      ? { kind: 'answer', asked }
      : { kind: 'unclear' };
  const isNext = isOnly && takesWords(asked.question) && isLast(asked, state) && !/[?？]\s*$/.test(text);
  return isNext ? { kind: 'answer', asked } : { kind: 'goal' };
}

/** The message, read as the answer to this question. */
export function answerIn(text: string, question: Question): Json {
  return plainAnswer(text, question)?.value ?? text;
}

function isSeen(asked: Asked, state: ConversationState | undefined, seen: string | undefined): boolean {
  if (seen === undefined) return true;
  const messages = [...(state?.messages.values() ?? [])];
  const place = placeOf(asked, messages);
  return place >= 0 && place <= messages.findIndex(({ id }) => id === seen);
}

const ASKS_FOR_YES = /[?？]|\b(yes|ok|okay|approve|confirm|reply|type)\b|はい|承認|返信|返事|入力|了解/i;

interface TalkedOver {
  readonly asked: Asked;
  readonly state: ConversationState | undefined;
  readonly seen: string | undefined;
}

/**
 * Whether this is a yes, and the model of another run asked for a yes after the question. A no is harmless.
 */
function isTalkedOver(text: string, { asked, state, seen }: TalkedOver): boolean {
  if (asked.question.kind !== 'approval' || plainAnswer(text, asked.question)?.value !== 'approve')
    return false;
  const messages = [...(state?.messages.values() ?? [])];
  const place = placeOf(asked, messages);
  const end = seen === undefined ? messages.length : messages.findIndex(({ id }) => id === seen) + 1;
  if (place < 0) return false;
  return messages
    .slice(place + 1, end)
    .some(
      (message) => message.role === 'agent' && message.run !== asked.run && ASKS_FOR_YES.test(message.text),
    );
}

function placeOf({ run, question: { id } }: Asked, messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => message.role === 'agent' && message.run === run && message.question === id,
  );
}

/**
 * Whether the question is the last message. Then the next message is its answer, unless that is a question
 * itself.
 */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}
