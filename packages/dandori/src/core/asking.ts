import type { Question } from '../domain/question.ts';
import type { Settings } from '../domain/settings.ts';

/** A question with what holds for all of the run: when it expires and who may answer, where it does not say so itself. */
export function withTerms(question: Question, { questions }: Settings, at: number): Question {
  const { expireAfter, answerers } = questions ?? {};
  return {
    ...(expireAfter !== undefined && { expiresAt: at + expireAfter }),
    ...(answerers !== undefined && { answerers }),
    ...question,
  };
}
