import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  statSync,
  unlinkSync,
  unwatchFile,
  watch,
  watchFile,
  writeFile,
  writeFileSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Event } from '../../model/event.ts';
import {
  alreadyExists,
  assertFollows,
  type Claim,
  claimEnded,
  drivenElsewhere,
  type Entry,
  type Form,
  isListed,
  type Journal,
  NEVER_LOST,
  RUNS,
  type RunSummary,
  type TornTail,
} from '../journal.ts';
import { makeDirectory, syncDirectory } from './blobs.ts';
import { unreadable, unwritable } from './disk.ts';
import { toLine } from './line.ts';
import { lockHolder, tryLock } from './lock.ts';
import { type Opening, openOrNotFound, type Position, type RunFile } from './run-file.ts';
import { firstOfFile, type KnownSummaries, summariseFile } from './summaries.ts';
import { syncData } from './sync.ts';

/** A run id is a file name, so only these characters are allowed. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

export function isRunId(name: string): boolean {
  return RUN_ID.test(name);
}

const LIST_AT_ONCE = 64;
const REMEMBERED_ENDS = 1_000;

interface JsonlOptions {
  /** Called once per run. */
  readonly onTorn?: ((tail: TornTail) => void) | undefined;
}

/**
 * JSON Lines, one file per run: `RUN.jsonl`. While a process drives the run, `RUN.driver` names that process.
 * `RUN.jsonl.lock` exists during a write, and a moment longer. Both may be deleted when no process is at work.
 */
export function createJsonlJournal(directory: string, options: JsonlOptions = {}): Journal {
  return createJsonlJournalOf<Event, RunSummary>(RUNS, directory, options);
}

export function createJsonlJournalOf<E extends Entry, Summary>(
  form: Form<E, Summary>,
  directory: string,
  { onTorn }: JsonlOptions = {},
): Journal<E, Summary> {
  const { notFound } = form;
  const told = new Set<string>();
  const claimed = new Map<string, RunFile<E>>();
  const claims = new Map<string, Claim>();
  const ends = new Map<string, Position>();
  /** Where the runs end that this process has just created. Their driver need not read what it knows. */
  const created = new Map<string, Position>();
  const known: KnownSummaries<Summary> = new Map();
  const pathOf = (run: string) => (RUN_ID.test(run) ? join(directory, `${run}.jsonl`) : notFound(run));

  /** A driver keeps its file open. Every other caller opens it for one operation. */
  function withFile<T>(
    run: string,
    opening: { isReadOnly?: boolean; from?: Position },
    use: (file: RunFile<E>) => T | Promise<T>,
  ): T | Promise<T> {
    const mine = claimed.get(run);
    return mine === undefined ? withOpened(run, opening, use) : use(mine);
  }

  async function withOpened<T>(
    run: string,
    opening: { isReadOnly?: boolean; from?: Position },
    use: (file: RunFile<E>) => T | Promise<T>,
  ): Promise<T> {
    const file = openOrNotFound(pathOf(run), { run, form, ...opening });
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  /** Continues where the last read ended: reading the whole file for each new event would be quadratic. */
  async function readOn(run: string, after: number): Promise<E[]> {
    const end = ends.get(run);
    const isBehind = end !== undefined && end.seq > 0 && end.seq <= after;
    const opening = { isReadOnly: true, ...(isBehind && { from: end }) };
    try {
      return await withFile(run, opening, async (file) => {
        const events = file.read(after);
        remember(run, file.position);
        if (claimed.get(run) === file) await file.sync();
        if (file.torn > 0 && onTorn !== undefined && !told.has(run) && isLeftTorn(pathOf(run), file)) {
          told.add(run);
          onTorn({ run, bytes: file.torn });
        }
        return events;
      });
    } catch (error) {
      // The file may have been restored from a backup, and so differ from the one that was read before.
      if (!isBehind || !ends.delete(run)) throw error;
      return readOn(run, after);
    }
  }

  function remember(run: string, end: Position, inMap = ends): void {
    inMap.delete(run);
    inMap.set(run, end);
    const [oldest] = inMap.keys();
    if (inMap.size > REMEMBERED_ENDS && oldest !== undefined) inMap.delete(oldest);
  }

  const journal: Journal<E, Summary> = {
    async create(run, events) {
      const path = pathOf(run);
      const text = events.map(toLine).join('');
      await createWhole(directory, path, text).catch((error) => {
        if (
          (error as NodeJS.ErrnoException).code === 'EEXIST' &&
          (error as NodeJS.ErrnoException).syscall === 'link'
        ) {
          alreadyExists(form.owner, run);
        }
        return unwritable(path, error);
      });
      const { length } = events;
      remember(run, { bytes: Buffer.byteLength(text), seq: length, line: length + 1 }, created);
    },
    async append(run, after, events, claim) {
      assertFollows(after, events);
      if (claim !== undefined && claims.get(run) !== claim) claimEnded(run);
      return withFile(run, {}, (file) => file.append(after, events));
    },
    read: (run, after = 0) => readOn(run, after),
    async first(run) {
      return (await firstOfFile(pathOf(run), run, form)) ?? notFound(run);
    },
    async list({ limit = Number.POSITIVE_INFINITY, before, ...which } = {}) {
      const older = (await runsIn(directory)).filter((run) => before === undefined || run < before);
      const runs = older.sort().reverse();
      const summaries: Summary[] = [];
      // In batches: a process can open only a limited number of files.
      for (let from = 0; from < runs.length && summaries.length < limit; from += LIST_AT_ONCE) {
        const some = runs.slice(from, from + LIST_AT_ONCE);
        const found = await Promise.all(
          some.map((run) => summariseFile(join(directory, `${run}.jsonl`), run, { form, known })),
        );
        for (const summary of found)
          if (summary !== undefined && isListed(summary, which)) summaries.push(summary);
      }
      return summaries.slice(0, limit);
    },
    async claim(run): Promise<Claim> {
      const path = pathOf(run);
      if (!existsSync(path)) notFound(run);
      if (claimed.has(run)) drivenElsewhere(run, 'this process');
      const driver = join(directory, `${run}.driver`);
      const lock = tryLockOrRefuse(driver);
      if ('heldBy' in lock)
        return drivenElsewhere(run, `process ${lock.heldBy.pid} on ${lock.heldBy.host}`, driver);
      const from = created.get(run);
      created.delete(run);
      const file = openOrUnlock(
        path,
        { run, form, identityFile: driver, ...(from && { from }) },
        lock.unlock,
      );
      claimed.set(run, file);
      const claim: Claim = {
        lost: NEVER_LOST,
        last: from && file.last(),
        async release() {
          // A second release must do nothing: another driver may hold the run by then.
          if (claimed.get(run) !== file) return;
          claimed.delete(run);
          claims.delete(run);
          // The next reader need not read again what this process wrote.
          remember(run, file.position);
          await file.close();
          lock.unlock();
        },
      };
      claims.set(run, claim);
      return claim;
    },
    async isClaimed(run) {
      return claimed.has(run) || lockHolder(join(directory, `${run}.driver`))?.isHeld === true;
    },
    async size(run) {
      return (statSync(pathOf(run), { throwIfNoEntry: false }) ?? notFound(run)).size;
    },
    async remove(run, after) {
      const claim = await journal.claim(run);
      try {
        await claimed.get(run)?.remove(after);
      } catch (error) {
        unwritable(pathOf(run), error);
      } finally {
        await claim.release();
      }
      ends.delete(run);
      await syncDirectory(directory);
    },
    watch(run, changed) {
      // A driver is notified of its own writes too, because an answer from this process goes through the same
      // open file. The last seq tells the two apart.
      if (!RUN_ID.test(run)) return () => {};
      return watchPath(join(directory, `${run}.jsonl`), () => changed(claimed.get(run)?.last()));
    },
  };
  return journal;
}

/** Between two looks at a file that the system cannot watch, in milliseconds. */
const LOOK_AGAIN = 500;

/**
 * Watches a file. That is impossible if the file does not exist yet or the system has no watches left. Then it looks
 * at the file regularly, and tries to watch it after each change.
 */
function watchPath(path: string, changed: () => void): () => void {
  const begun = tryWatch(path, changed);
  if (begun !== undefined) return begun;
  let stop = () => {};
  const looked = () => {
    const watching = tryWatch(path, changed);
    if (watching !== undefined) {
      stop();
      stop = watching;
    }
    changed();
  };
  watchFile(path, { persistent: false, interval: LOOK_AGAIN }, looked);
  stop = () => unwatchFile(path, looked);
  return () => stop();
}

function tryWatch(path: string, changed: () => void): (() => void) | undefined {
  try {
    const watcher = watch(path, { persistent: false }, () => changed());
    watcher.on('error', () => changed());
    return () => watcher.close();
  } catch {
    return undefined;
  }
}

/** True if no process is still writing the rest of the line. */
function isLeftTorn(path: string, { position, torn }: Pick<RunFile<Entry>, 'position' | 'torn'>): boolean {
  try {
    const attempt = tryLock(`${path}.lock`);
    if ('heldBy' in attempt) return false;
    const { size } = statSync(path);
    attempt.unlock();
    return size === position.bytes + torn;
  } catch {
    // In a read-only folder no Dandori process can be writing.
    return true;
  }
}

async function runsIn(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return [];
    return unreadable(directory, error);
  });
  const runs = names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length));
  return runs.filter((run) => RUN_ID.test(run));
}

function openOrUnlock<E extends Entry>(path: string, opening: Opening<E>, unlock: () => void): RunFile<E> {
  try {
    return openOrNotFound(path, opening);
  } catch (error) {
    unlock();
    throw error;
  }
}

function tryLockOrRefuse(path: string): ReturnType<typeof tryLock> {
  try {
    return tryLock(path);
  } catch (error) {
    return unwritable(path, error);
  }
}

const writeAsync = promisify(writeFile);
/** In characters. A longer text is written in another thread. */
const SHORT = 64 * 1024;

/**
 * A crash leaves either no run of that name or a complete one. Only what waits for the disk is asynchronous: another
 * thread takes longer than a short write itself.
 */
export async function createWhole(directory: string, path: string, text: string): Promise<void> {
  if (!existsSync(directory)) await makeDirectory(directory);
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o600);
    try {
      if (text.length < SHORT) writeFileSync(file, text);
      else await writeAsync(file, text);
      await syncData(file);
    } finally {
      closeSync(file);
    }
    linkSync(temporary, path);
  } finally {
    tryRemove(temporary);
  }
  await syncDirectory(directory);
}

/** A file that is left is found by `dandori doctor`. */
function tryRemove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or the disk refuses every change.
  }
}
