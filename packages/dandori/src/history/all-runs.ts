import * as z from 'zod';
import type { Durations } from '../driver/index.ts';
import { DandoriError } from '../model/error.ts';
import { type Event, UNFINISHED } from '../model/event.ts';
import { fold } from '../run/state/apply.ts';
import {
  allRuns,
  type Journal,
  type KeptCounts,
  type PeriodLength,
  type RunSummary,
  statisticsSchema,
} from '../store/index.ts';
import { askedQuestionSchema, openQuestions } from '../views/report.ts';
import { countsOf, createCounter, statisticsOf } from './statistics.ts';

export interface CountOptions {
  /** Only runs that started at or after this time, in milliseconds since 1970. */
  readonly since?: number;
  /** Only runs of this user. */
  readonly userId?: string;
  /** Also return a series, whose periods start at `since`. */
  readonly every?: PeriodLength;
  /** Called after each run with the number of runs read. */
  readonly onRead?: (count: number) => void;
}

export const countedSchema = statisticsSchema.extend({
  damaged: z
    .array(z.object({ run: z.string(), reason: z.string() }))
    .readonly()
    .describe('Runs that could not be read, and so are not counted'),
});
export type Counted = Readonly<z.infer<typeof countedSchema>>;

type Damaged = Counted['damaged'][number];

/** Reads one journal at a time. A damaged journal is named and does not hide others. */
export async function countRuns(
  journal: Pick<Journal, 'list' | 'read'>,
  { since = 0, userId, every, onRead }: CountOptions = {},
): Promise<Counted> {
  const counter = createCounter({ from: since, ...(every && { every }) });
  const damaged: Damaged[] = [];
  let read = 0;
  for await (const { run, userId: owner } of runsSince(journal, since)) {
    if (userId !== undefined && owner !== userId) continue;
    try {
      const counts = countsOf(await journal.read(run));
      if (counts !== undefined) counter.add(counts);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
      // It was removed after it was listed.
      if (error.code !== 'run-not-found') damaged.push({ run, reason: error.message });
    }
    onRead?.(++read);
  }
  return { ...statisticsOf(counter.sums(), every), damaged };
}

/** Runs that are read at a time. */
const READ_AT_ONCE = 200;

/**
 * Reads only the journals that have changed since they were counted. The store adds up the rest. Newest first, as
 * `countRuns`: the first run that is too old ends the reading.
 */
export async function countKeptRuns(
  kept: KeptCounts,
  { since = 0, userId, every, onRead }: CountOptions = {},
): Promise<Counted> {
  const damaged: Damaged[] = [];
  let read = 0;
  for (let before: string | undefined; ; ) {
    const page = await kept.outdated({ limit: READ_AT_ONCE, before, userId });
    const counted = page.flatMap(({ run, events, reason }) => {
      const counts = events === undefined ? undefined : countsOf(events);
      if (reason !== undefined) damaged.push({ run, reason });
      return counts === undefined ? [] : [{ run, seq: events?.length ?? 0, counts }];
    });
    await kept.keep(counted);
    read += page.length;
    onRead?.(read);
    before = page.at(-1)?.run;
    const isPast = counted.some(({ counts }) => counts.startedAt < since);
    if (isPast || page.length < READ_AT_ONCE) break;
  }
  const sums = await kept.sum({
    from: since,
    ...(userId !== undefined && { userId }),
    ...(every && { every }),
  });
  return { ...statisticsOf(sums, every), damaged };
}

/**
 * Newest first, so that the first run that is too old ends the loop. The start of a damaged run is unknown.
 */
async function* runsSince(journal: Pick<Journal, 'list'>, since: number): AsyncGenerator<RunSummary> {
  for await (const summary of allRuns(journal)) {
    if (summary.status !== 'damaged' && summary.startedAt < since) return;
    yield summary;
  }
}

/** The newest runs are enough for an estimate, and long ones are skipped. */
const RUNS = 20;
const LONGEST = 20_000;

export function createDurations(journal: Journal): Durations {
  const medians = new Map<string, number>();
  let loading: Promise<void> | undefined;

  async function read(): Promise<void> {
    const seen = new Map<string, number[]>();
    for (const { run, lastSeq, status } of await journal.list({ limit: RUNS })) {
      if (status === 'damaged' || lastSeq > LONGEST) continue;
      // It may have been removed, and this is only an estimate.
      collect(await journal.read(run).catch(() => []), seen);
    }
    for (const [operation, times] of seen) {
      const sorted = times.sort((a, b) => a - b);
      medians.set(operation, sorted[Math.floor(sorted.length / 2)] ?? 0);
    }
  }

  return {
    load: () => {
      loading ??= read();
      return loading;
    },
    expected: (operation) => medians.get(operation),
  };
}

function collect(events: readonly Event[], seen: Map<string, number[]>): void {
  const operations = new Map<string, string>();
  for (const { type, data } of events) {
    if (type === 'plan_proposed' || type === 'plan_revised')
      for (const { id, operation } of data.tasks) operations.set(id, operation);
    if (type !== 'task_succeeded') continue;
    const operation = operations.get(data.task);
    if (operation === undefined) continue;
    const times = seen.get(operation) ?? [];
    times.push(data.ms);
    seen.set(operation, times);
  }
}

export const runQuestionSchema = askedQuestionSchema.extend({ run: z.string(), goal: z.string() });
export type RunQuestion = Readonly<z.infer<typeof runQuestionSchema>>;

/**
 * The questions of one run, or of the open runs of a user or of all users, newest first. A damaged run does not hide
 * others.
 */
type ListQuestions = (only?: string, userId?: string) => Promise<RunQuestion[]>;

/** What is cached about an open run. */
interface Known {
  readonly seq: number;
  readonly questions: readonly RunQuestion[];
}

/** The open runs that a list looks at. With 100,000 runs that wait, reading all of them would take minutes. */
export const MOST_OPEN = 1_000;
const REMEMBERED = 5 * MOST_OPEN;
/** Journals that are read at the same time. */
const AT_ONCE = 20;

/**
 * Clients poll, and most runs have not changed since the last time. Unchanged runs are not read again; for
 * runs without questions only new events are read.
 */
export function createQuestionList(journal: Pick<Journal, 'list' | 'read'>): ListQuestions {
  const known = new Map<string, Known>();

  async function listOpen(userId: string | undefined): Promise<RunQuestion[]> {
    const found: RunQuestion[] = [];
    const options = { limit: MOST_OPEN, status: UNFINISHED, ...(userId !== undefined && { userId }) };
    const open = await journal.list(options);
    for (let from = 0; from < open.length; from += AT_ONCE) {
      const some = open.slice(from, from + AT_ONCE);
      const read = await Promise.all(some.map(knownOrRead));
      for (const [index, { run }] of some.entries()) {
        const now = read[index];
        known.delete(run);
        if (now === undefined) continue;
        known.set(run, now);
        found.push(...now.questions);
      }
    }
    for (const run of known.keys()) if (known.size > REMEMBERED) known.delete(run);
    return found;
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

  return async (only, userId) =>
    only === undefined ? listOpen(userId) : [...(knownFrom(await journal.read(only))?.questions ?? [])];
}

/** Undefined for a run that has ended. If its limits are raised, its questions are open again. */
function knownFrom(events: readonly Event[]): Known | undefined {
  const state = fold(events);
  if (state === undefined || state.end !== undefined) return undefined;
  const { run, goal, seq } = state;
  return { seq, questions: openQuestions(state).map((question) => ({ run, goal, ...question })) };
}
