import { randomUUID } from 'node:crypto';
import { type FSWatcher, watch as watchFile } from 'node:fs';
import { link, mkdir, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DandoriError } from '../../domain/error.ts';
import type { Claim, Journal } from '../../ports/journal.ts';
import { syncDirectory } from '../blobs/files.ts';
import { tryLock } from './file-lock.ts';
import { toLine } from './line.ts';
import { summariseFile } from './peek.ts';
import { drivenElsewhere, runNotFound } from './refusal.ts';
import { openOrNotFound, type RunFile } from './run-file.ts';
import { unwritable } from './unwritable.ts';

/** A run id is a file name, so nothing but these characters may stand in it. */
const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/**
 * JSON Lines, one file a run: `RUN.jsonl`. Beside it, while somebody drives the run, `RUN.driver` says who, and for
 * the time of a write `RUN.jsonl.lock`. Both can be thrown away when no process is at work.
 */
export function createJsonlJournal(directory: string): Journal {
  const claimed = new Map<string, RunFile>();
  const pathOf = (run: string) => (RUN_ID.test(run) ? join(directory, `${run}.jsonl`) : runNotFound(run));

  /** A driver keeps its file open; everybody else opens it for the one thing they do. */
  async function withFile<T>(run: string, use: (file: RunFile) => T | Promise<T>): Promise<T> {
    const mine = claimed.get(run);
    if (mine !== undefined) return use(mine);
    const file = openOrNotFound(pathOf(run), run);
    try {
      return await use(file);
    } finally {
      file.close();
    }
  }

  return {
    async create(run, events) {
      const path = pathOf(run);
      await createWhole(directory, path, events.map(toLine).join('')).catch((error) => {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST' && (error as NodeJS.ErrnoException).syscall === 'link') {
          throw new DandoriError('run-exists', `The run ${run} is there already.`);
        }
        return unwritable(path, error);
      });
    },
    append: (run, after, events) => withFile(run, (file) => file.append(after, events)),
    read: (run, after = 0) => withFile(run, (file) => file.read(after)),
    async list({ limit = Number.POSITIVE_INFINITY, before } = {}) {
      const names = await readdir(directory).catch(() => []);
      const runs = names.filter((name) => name.endsWith('.jsonl')).map((name) => name.slice(0, -'.jsonl'.length));
      runs.sort().reverse();
      const chosen = runs.filter((run) => before === undefined || run < before).slice(0, limit);
      return Promise.all(chosen.map((run) => summariseFile(join(directory, `${run}.jsonl`), run)));
    },
    async claim(run): Promise<Claim> {
      const path = pathOf(run);
      openOrNotFound(path, run).close();
      if (claimed.has(run)) drivenElsewhere(run, 'this process');
      const driver = join(directory, `${run}.driver`);
      const lock = tryLockOrRefuse(driver);
      if ('heldBy' in lock) return drivenElsewhere(run, `process ${lock.heldBy.pid} on ${lock.heldBy.host}`);
      const file = openOrNotFound(path, run, driver);
      claimed.set(run, file);
      return {
        async release() {
          if (claimed.get(run) === file) claimed.delete(run);
          file.close();
          lock.unlock();
        },
      };
    },
    watch(run, changed) {
      const path = pathOf(run);
      // A driver's own writes are no news to it.
      const listener = () => {
        const mine = claimed.get(run);
        if (mine === undefined || mine.hasGrown()) changed();
      };
      let watcher: FSWatcher;
      try {
        watcher = watchFile(path, { persistent: false }, listener);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') runNotFound(run);
        throw error;
      }
      watcher.on('error', changed);
      return () => watcher.close();
    },
  };
}

function tryLockOrRefuse(path: string): ReturnType<typeof tryLock> {
  try {
    return tryLock(path);
  } catch (error) {
    return unwritable(path, error);
  }
}

/** A crash leaves either no run of that name or a whole one. */
async function createWhole(directory: string, path: string, text: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.datasync();
    } finally {
      await file.close();
    }
    await link(temporary, path);
  } finally {
    await unlink(temporary).catch(() => {});
  }
  await syncDirectory(directory);
}
