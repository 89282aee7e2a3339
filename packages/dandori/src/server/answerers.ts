import type { Dandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';
import type { User } from './users.ts';

/** Whether the questions of the run name the user as one who may answer: all have the same terms. */
export async function isNamed(run: string, { id }: User, dandori: Pick<Dandori, 'events'>): Promise<boolean> {
  if (id === undefined) return false;
  try {
    return (await dandori.events(run)).some(
      (event) => event.type === 'question_asked' && event.data.question.answerers?.includes(id) === true,
    );
  } catch (error) {
    if (error instanceof DandoriError) return false;
    throw error;
  }
}
