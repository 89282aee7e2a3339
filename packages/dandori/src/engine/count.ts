import type { Every } from '../core/period.ts';
import { createCounter, type Statistics } from '../core/statistics.ts';
import { DandoriError } from '../domain/error.ts';
import type { Journal, RunSummary } from '../ports/journal.ts';

export interface CountOptions {
  /** Only runs that started at this time or later, in milliseconds since 1970. */
  readonly since?: number;
  /** Only runs of this user. */
  readonly userId?: string;
  /** Tells a series too, whose periods begin with `since`. */
  readonly every?: Every;
  /** Told after each run how many have been read. */
  readonly onRead?: (count: number) => void;
}

export interface Counted extends Statistics {
  /** Runs that could not be read, and so are not counted. */
  readonly damaged: readonly { readonly run: string; readonly reason: string }[];
}

/** So many runs are listed at a time: a list of a million would be large by itself. */
const PAGE = 500;

/** Reads one journal after the other. One that is damaged is named, and hides no other. */
export async function countRuns(
  journal: Pick<Journal, 'list' | 'read'>,
  { since = 0, userId, every, onRead }: CountOptions = {},
): Promise<Counted> {
  const counter = createCounter({ from: since, ...(every && { every }) });
  const damaged: { run: string; reason: string }[] = [];
  let read = 0;
  for await (const { run, userId: owner } of runsSince(journal, since)) {
    if (userId !== undefined && owner !== userId) continue;
    try {
      counter.add(await journal.read(run));
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      // Somebody has taken it away since it was listed.
      if (error.code !== 'run-not-found') damaged.push({ run, reason: error.message });
    }
    onRead?.(++read);
  }
  return { ...counter.statistics(), damaged };
}

/** Newest first, so that the first that is too old ends it. Of a damaged one nobody knows when it started. */
async function* runsSince(journal: Pick<Journal, 'list'>, since: number): AsyncGenerator<RunSummary> {
  let before: string | undefined;
  for (;;) {
    const page = await journal.list({ limit: PAGE, before });
    for (const summary of page) {
      if (summary.status !== 'damaged' && summary.startedAt < since) return;
      yield summary;
    }
    before = page.at(-1)?.run;
    if (before === undefined) return;
  }
}
