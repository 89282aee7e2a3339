import { fold } from '../core/apply.ts';
import { type AskedQuestion, openQuestions } from '../core/report.ts';
import { DandoriError } from '../domain/error.ts';
import type { Journal } from '../ports/journal.ts';

/** A question with the run that asks it. */
export interface RunQuestion extends AskedQuestion {
  readonly run: string;
  readonly goal: string;
}

/** So many runs are listed at a time. */
const PAGE = 500;
const OPEN: readonly string[] = ['open', 'waiting', 'paused'];

/** Of one run, or of all that have not ended, newest first. A run that is damaged hides no other. */
export async function listQuestions(
  journal: Pick<Journal, 'list' | 'read'>,
  only?: string,
): Promise<RunQuestion[]> {
  if (only !== undefined) return questionsOf(journal, only);
  const found: RunQuestion[] = [];
  for (let before: string | undefined; ; ) {
    const page = await journal.list({ limit: PAGE, before });
    for (const { run, status } of page) {
      if (OPEN.includes(status)) found.push(...(await questionsIfReadable(journal, run)));
    }
    before = page.at(-1)?.run;
    if (before === undefined) return found;
  }
}

async function questionsIfReadable(journal: Pick<Journal, 'read'>, run: string): Promise<RunQuestion[]> {
  try {
    return await questionsOf(journal, run);
  } catch (error) {
    if (error instanceof DandoriError) return [];
    throw error;
  }
}

async function questionsOf(journal: Pick<Journal, 'read'>, run: string): Promise<RunQuestion[]> {
  const state = fold(await journal.read(run));
  if (state === undefined) return [];
  return openQuestions(state).map((question) => ({ run, goal: state.goal, ...question }));
}
