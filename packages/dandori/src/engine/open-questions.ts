import { fold } from '../core/apply.ts';
import { type AskedQuestion, openQuestions } from '../core/report.ts';
import { DandoriError } from '../domain/error.ts';
import type { Event } from '../domain/event.ts';
import type { Journal, RunSummary } from '../ports/journal.ts';

/** A question with the run that asks it. */
export interface RunQuestion extends AskedQuestion {
  readonly run: string;
  readonly goal: string;
}

/** Of one run, or of all that have not ended, newest first. A run that is damaged hides no other. */
export type ListQuestions = (only?: string) => Promise<RunQuestion[]>;

/** What is known of a run that had not ended by then. */
interface Known {
  readonly seq: number;
  readonly questions: readonly RunQuestion[];
}

/** So many runs are listed at a time. */
const PAGE = 500;
const OPEN: readonly string[] = ['open', 'waiting', 'paused'];

/**
 * People look again and again, and most runs have not changed since: those are not read, and of those that asked nothing
 * only what is new.
 */
export function createQuestionList(journal: Pick<Journal, 'list' | 'read'>): ListQuestions {
  let known = new Map<string, Known>();

  async function listAll(): Promise<RunQuestion[]> {
    const found = new Map<string, Known>();
    for (let before: string | undefined; ; ) {
      const page = await journal.list({ limit: PAGE, before });
      for (const summary of page) {
        if (!OPEN.includes(summary.status)) continue;
        const now = await knownOrRead(summary);
        if (now !== undefined) found.set(summary.run, now);
      }
      before = page.at(-1)?.run;
      if (before !== undefined) continue;
      known = found;
      return [...found.values()].flatMap(({ questions }) => questions);
    }
  }

  async function knownOrRead({ run, lastSeq }: RunSummary): Promise<Known | undefined> {
    const before = known.get(run);
    if (before?.seq === lastSeq) return before;
    try {
      const isQuiet = before !== undefined && before.questions.length === 0 && before.seq < lastSeq;
      const since = isQuiet ? await journal.read(run, before.seq) : [];
      const last = since.at(-1);
      if (last !== undefined && !since.some(({ type }) => type === 'question_asked'))
        return { seq: last.seq, questions: [] };
      return knownFrom(await journal.read(run));
    } catch (error) {
      if (error instanceof DandoriError) return undefined;
      throw error;
    }
  }

  return async (only) =>
    only === undefined ? listAll() : [...(knownFrom(await journal.read(only))?.questions ?? [])];
}

/** Undefined of a run that has ended: one that is given more goes on with the questions that it had. */
function knownFrom(events: readonly Event[]): Known | undefined {
  const state = fold(events);
  if (state === undefined || state.end !== undefined) return undefined;
  const { run, goal, seq } = state;
  return { seq, questions: openQuestions(state).map((question) => ({ run, goal, ...question })) };
}
