import type { Message } from '../domain/conversation.ts';
import type { Json } from '../domain/json.ts';
import type { Question } from '../domain/question.ts';
import type { ConversationState } from './conversation.ts';
import { plainAnswer, takesWords } from './plain-answer.ts';
import type { AskedQuestion } from './report.ts';

/** A question of one of a conversation's runs that is open. */
export interface Asked {
  readonly run: string;
  readonly question: AskedQuestion;
}

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

/** A "yes" is no answer to what came up while it was typed: then it is unclear what is meant, and nothing is done. */
export function meantBy(text: string, { open, state, seen }: Heard): Meant {
  const [asked] = open;
  const isOnly = open.length === 1 && asked !== undefined && isSeen(asked, state, seen);
  if (open.some(({ question }) => plainAnswer(text, question) !== undefined))
    return isOnly ? { kind: 'answer', asked } : { kind: 'unclear' };
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
  const isIt = ({ role, run, question }: Message) =>
    role === 'agent' && run === asked.run && question === asked.question.id;
  const place = messages.findIndex(isIt);
  return place >= 0 && place <= messages.findIndex(({ id }) => id === seen);
}

/** Whether the question is the last that was said, so that what follows is the answer, unless it is a question itself. */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}
