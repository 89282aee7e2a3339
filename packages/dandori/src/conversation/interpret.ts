import * as z from 'zod';
import { plainAnswer, takesWords } from '../commands/answer-words.ts';
import type { Message } from '../model/conversation.ts';
import type { Json } from '../model/json.ts';
import type { Question } from '../model/question.ts';
import { askedQuestionSchema } from '../views/report.ts';
import type { ConversationState } from './state.ts';

/** A question of one of a conversation's runs that is open. */
export const askedSchema = z.object({ run: z.string(), question: askedQuestionSchema });
export type Asked = Readonly<z.infer<typeof askedSchema>>;

/** What a message is: the answer to a question, one to several, so that nobody knows which, or a new goal. */
export type Meant =
  | { readonly kind: 'answer'; readonly asked: Asked }
  | { readonly kind: 'unclear' }
  | { readonly kind: 'goal' };

interface Heard {
  readonly open: readonly Asked[];
  readonly state: ConversationState | undefined;
  /** The last message that the speaker had before them; undefined where that is not known, as of a program. */
  readonly seen?: string | undefined;
}

/**
 * A "yes" is no answer to what came up while it was typed: then it is unclear what is meant, and nothing is done. Nor does
 * it approve a call if another run has asked for a yes since: the user may mean that one, and its words may be injected.
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

/** The message as the answer to this question. */
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

/** Whether this is a yes, and another run's model has asked for one behind the question. A no does no harm. */
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

/** Whether the question is the last that was said, so that what follows is the answer, unless it is a question itself. */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}
