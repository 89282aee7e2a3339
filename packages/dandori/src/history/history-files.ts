import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event, FactType } from '../model/event.ts';
import { shown } from '../model/redact.ts';
import type { Journal } from '../store/index.ts';
import { linesOf, type Owner, writeHistoryLines } from './history-lines.ts';
import { addEntry, type GrowingHistory } from './plan-history.ts';

/**
 * The planning history as files: `RUN.history.jsonl` beside the journal `RUN.jsonl`.
 *
 * H1  A file is a view: it is computed from the journal only. Deleting it loses nothing.
 * H2  A file is replaced as a whole, so a reader never sees a torn or repeated line, even after a crash.
 * H3  A file may be behind while its run goes on, and after a crash. The end of a drive, or `update`, brings it up to
 *     date. Until then the pauses between two writes grow, because the whole file is written each time, and with many
 *     runs only one file is written at a time.
 * H4  A file that cannot be written never stops a run: the journal has everything.
 */
export interface HistoryFiles {
  /** Takes an event that is already in the journal. */
  event(event: Event): void;
  /**
   * Resolves when the file of the run has everything that is in its journal. `last`: the number of its last event, if
   * the caller knows it. If all events up to that one were announced, the journal is not read again.
   */
  update(run: string, last?: number): Promise<void>;
  /** Deletes the files of runs that are gone. */
  prune(): Promise<void>;
  /** Resolves when everything that was announced is written. */
  close(): Promise<void>;
}

/** What the next file is computed from: the events up to `seq`. */
interface Known extends Owner, GrowingHistory {
  seq: number;
  /** Whether the file lacks something. */
  isNews: boolean;
  /** Milliseconds until the next write. */
  delay: number;
}

/** In characters. */
const SHORT = 64 * 1024;
/** Milliseconds that events are collected for the first write. Each further write waits twice as long. */
const FIRST_DELAY = 5_000;
const LONGEST_DELAY = 60_000;

/** They change the last entry. */
const JUDGES: ReadonlySet<FactType> = new Set<FactType>(['plan_approved', 'plan_rejected']);

const ENDING = '.history.jsonl';

function unwritten(run: string, goal: string, seq: number): Known {
  return { run, goal, entries: [], seq, isNews: true, delay: FIRST_DELAY };
}

export function createHistoryFiles(directory: string, journal: Pick<Journal, 'read'>): HistoryFiles {
  const known = new Map<string, Known>();
  const writing = new Map<string, Promise<void>>();
  const timers = new Map<string, NodeJS.Timeout>();
  /** Runs whose file was asked for while it was being written, with the last event that it must have. */
  const behind = new Map<string, number>();

  function add(event: Event, to: Known): void {
    const { length } = to.entries;
    addEntry(to, event);
    to.seq = event.seq;
    if (to.entries.length > length || JUDGES.has(event.type)) to.isNews = true;
  }

  async function upToDate(run: string, last: number): Promise<Known> {
    const current = known.get(run);
    if (current !== undefined && current.seq >= last) return current;
    const events = await journal.read(run, current?.seq ?? 0);
    const [first] = events;
    const goal = first?.type === 'run_started' ? first.data.goal : '';
    const next = current ?? unwritten(run, goal, 0);
    for (const event of events) if (event.seq > next.seq) add(event, next);
    known.set(run, next);
    return next;
  }

  async function write(run: string, last: number): Promise<void> {
    const now = await upToDate(run, last);
    if (!now.isNews || now.entries.length === 0) return;
    const path = join(directory, `${run}${ENDING}`);
    const temporary = `${path}.${randomUUID()}.tmp`;
    now.isNews = false;
    try {
      if (!existsSync(directory)) await mkdir(directory, { recursive: true, mode: 0o700 });
      // In the text of all lines, a mark is found faster than in every value of them.
      const text = shown(writeHistoryLines(linesOf(now.entries, now)));
      // For a short text another thread takes longer than the write itself.
      if (text.length < SHORT) writeFileSync(temporary, text, { mode: 0o600 });
      else await writeFile(temporary, text, { mode: 0o600 });
      // Some file systems write the new file to the disk before they let it replace an old one.
      if (existsSync(path)) await rename(temporary, path);
      else renameSync(temporary, path);
    } catch (error) {
      known.delete(run);
      await unlink(temporary).catch(() => {});
      throw error;
    }
  }

  async function writeAll(run: string, last: number): Promise<void> {
    try {
      for (let next: number | undefined = last; next !== undefined; next = behind.get(run)) {
        behind.delete(run);
        await write(run, next);
      }
    } catch {
      // The next event of the run tries again (H4).
    } finally {
      writing.delete(run);
    }
  }

  function update(run: string, last = Number.POSITIVE_INFINITY): Promise<void> {
    clearTimeout(timers.get(run));
    timers.delete(run);
    const current = writing.get(run);
    if (current !== undefined) {
      behind.set(run, Math.max(last, behind.get(run) ?? 0));
      return current;
    }
    const next = writeAll(run, last);
    writing.set(run, next);
    return next;
  }

  function updateLater(run: string): void {
    const current = known.get(run);
    const delay = current?.delay ?? FIRST_DELAY;
    const write = () => {
      timers.delete(run);
      if (writing.size > 0) return updateLater(run);
      if (current !== undefined) current.delay = Math.min(2 * delay, LONGEST_DELAY);
      void update(run, known.get(run)?.seq);
    };
    timers.set(run, setTimeout(write, delay).unref());
  }

  return {
    event(event) {
      const { run, seq, type } = event;
      if (type === 'run_started' && seq === 1) known.set(run, unwritten(run, event.data.goal, seq));
      const current = known.get(run);
      // After a gap, the rest is read from the journal.
      if (current?.seq === seq - 1) add(event, current);
      if (!timers.has(run)) updateLater(run);
    },
    async update(run, last) {
      await update(run, last);
      known.delete(run);
    },
    async prune() {
      const names = await readdir(directory).catch((): string[] => []);
      const there = new Set(names);
      const gone = names.filter(
        (name) => name.endsWith(ENDING) && !there.has(`${name.slice(0, -ENDING.length)}.jsonl`),
      );
      await Promise.all(gone.map((name) => unlink(join(directory, name)).catch(() => {})));
    },
    async close() {
      for (const run of timers.keys()) void update(run);
      await Promise.all(writing.values());
    },
  };
}
