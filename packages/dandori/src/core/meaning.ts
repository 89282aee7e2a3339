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

export function meantBy(
  text: string,
  { open, state }: { open: readonly Asked[]; state: ConversationState | undefined },
): Meant {
  const [asked] = open;
  const isOnly = open.length === 1 && asked !== undefined;
  if (open.some(({ question }) => plainAnswer(text, question) !== undefined))
    return isOnly ? { kind: 'answer', asked } : { kind: 'unclear' };
  const isNext = isOnly && takesWords(asked.question) && isLast(asked, state) && !/[?？]\s*$/.test(text);
  return isNext ? { kind: 'answer', asked } : { kind: 'goal' };
}

/** The message as the answer to this question. */
export function answerIn(text: string, question: Question): Json {
  return plainAnswer(text, question)?.value ?? text;
}

/** Whether the question is the last that was said, so that what follows is the answer, unless it is a question itself. */
function isLast({ run, question }: Asked, state: ConversationState | undefined): boolean {
  const last = [...(state?.messages.values() ?? [])].at(-1);
  return last?.kind === 'question' && last.run === run && last.question === question.id;
}
