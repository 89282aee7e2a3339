import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Event, FactType } from '../model/event.ts';
import type { Journal } from '../store/index.ts';
import { linesOf, type Owner, writeHistoryLines } from './history-lines.ts';
import { addEntry, type HistoryEntry } from './plan-history.ts';

/**
 * The planning history as files: `RUN.history.jsonl` beside the journal `RUN.jsonl`.
 *
 * H1  A file is a view: it is computed from the journal only. Deleting it loses nothing.
 * H2  A file is replaced as a whole, so a reader never sees a torn or repeated line, even after a crash.
 * H3  A file may be behind after a crash. Driving the run again, or `update`, brings it up to date.
 * H4  A file that cannot be written never stops a run: the journal has everything.
 */
export interface HistoryFiles {
  /** Takes an event that is already in the journal. */
  event(event: Event): void;
  /** Resolves when the file of the run has everything that is in its journal. */
  update(run: string): Promise<void>;
  /** Deletes the files of runs that are gone. */
  prune(): Promise<void>;
  /** Resolves when everything that was announced is written. */
  close(): Promise<void>;
}

/** A file as it was written last, and what the next one is computed from. */
interface Known extends Owner {
  readonly entries: HistoryEntry[];
  readonly seq: number;
}

const TOLD: ReadonlySet<FactType> = new Set<FactType>([
  'plan_proposed',
  'plan_revised',
  'plan_approved',
  'plan_rejected',
  'reflection_made',
]);

const ENDING = '.history.jsonl';

export function createHistoryFiles(directory: string, journal: Pick<Journal, 'read'>): HistoryFiles {
  const known = new Map<string, Known>();
  const writing = new Map<string, Promise<void>>();
  /** Runs with events that came while their file was being written. */
  const behind = new Set<string>();

  async function write(run: string): Promise<void> {
    const before = known.get(run);
    const events = await journal.read(run, before?.seq ?? 0);
    const [first] = events;
    const goal = before?.goal ?? (first?.type === 'run_started' ? first.data.goal : '');
    const entries = before?.entries ?? [];
    for (const event of events) addEntry(entries, event);
    known.set(run, { run, goal, entries, seq: events.at(-1)?.seq ?? before?.seq ?? 0 });
    const isNews = before === undefined || events.some(({ type }) => TOLD.has(type));
    if (!isNews || entries.length === 0) return;
    const path = join(directory, `${run}${ENDING}`);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeFile(temporary, writeHistoryLines(linesOf(entries, { run, goal })), { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      known.delete(run);
      await unlink(temporary).catch(() => {});
      throw error;
    }
  }

  async function writeAll(run: string): Promise<void> {
    try {
      do {
        behind.delete(run);
        await write(run);
      } while (behind.has(run));
    } catch {
      // The next event of the run tries again (H4).
    } finally {
      writing.delete(run);
    }
  }

  function update(run: string): Promise<void> {
    const current = writing.get(run);
    if (current !== undefined) {
      behind.add(run);
      return current;
    }
    const next = writeAll(run);
    writing.set(run, next);
    return next;
  }

  return {
    event({ run, type }) {
      if (type === 'run_finished') void update(run).then(() => known.delete(run));
      else if (TOLD.has(type) || !known.has(run)) void update(run);
    },
    async update(run) {
      await update(run);
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
      await Promise.all(writing.values());
    },
  };
}
