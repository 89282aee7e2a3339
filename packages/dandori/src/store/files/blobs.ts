import { createHash, randomUUID } from 'node:crypto';
import { closeSync, constants, fsync, openSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, stat, unlink, utimes } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { DandoriError } from '../../model/error.ts';
import type { BlobHandle } from '../../model/event.ts';
import { type Blobs, encoded, type StoredBlob } from '../blobs.ts';
import { unreadable, unwritable } from './disk.ts';

/** One file per value, named by its hash: `blobs/ab/abcd….json`. */
export function createFileBlobs(directory: string): Blobs {
  const pathOf = (sha256: string) => join(directory, sha256.slice(0, 2), `${sha256}.json`);
  return {
    async put(parts) {
      // The name is not known before the last part is written.
      const unnamed = join(directory, `${randomUUID()}.tmp`);
      try {
        await makeDirectory(directory);
        const handle = await write(unnamed, parts);
        await name(unnamed, pathOf(handle.sha256), handle.bytes);
        return handle;
      } catch (error) {
        await unlink(unnamed).catch(() => {});
        return unwritable(unnamed, error);
      }
    },
    async get(handle) {
      const path = pathOf(handle.sha256);
      const content = await read(path);
      if (content?.sha256 === handle.sha256) return content.text;
      const what = content === undefined ? 'is missing' : 'does not match its hash';
      throw new DandoriError('blob-damaged', `The stored result ${path} ${what}.`, {
        fix: "Restore the file from a backup; the run can't continue without it.",
      });
    },
    async putBefore(time) {
      const names = await readdir(directory, { recursive: true }).catch(noneWhereMissing(directory));
      const found: StoredBlob[] = [];
      for (const name of names) {
        const sha256 = NAME.exec(name)?.[1];
        const file = sha256 === undefined ? undefined : await stat(pathOf(sha256)).catch(() => undefined);
        if (sha256 !== undefined && file !== undefined && file.mtimeMs < time)
          found.push({ sha256, bytes: file.size });
      }
      return found;
    },
    async remove({ sha256 }, before) {
      const path = pathOf(sha256);
      return removeUntouched(path, before).catch((error) => unwritable(path, error));
    },
    async sweep(before, isUsed) {
      const names = await readdir(directory, { recursive: true }).catch(noneWhereMissing(directory));
      const swept: StoredBlob[] = [];
      for (const name of names) {
        const found = LEFT.exec(name);
        const left = join(directory, name);
        const file = found === null ? undefined : await stat(left).catch(() => undefined);
        if (found === null || file === undefined || file.mtimeMs >= before) continue;
        const [, sha256 = ''] = found;
        const isTaken =
          sha256 !== '' && (await isUsed(sha256)) && (await restore(left, pathOf(sha256), sha256));
        if (isTaken) continue;
        await unlink(left).catch((error) => unwritable(left, error));
        swept.push({ sha256, bytes: file.size });
      }
      return swept;
    },
  };
}

const NAME = /([0-9a-f]{64})\.json$/;
/** A file that was not fully written, or that was set aside for removal and so has its name in front. */
const LEFT = /(?:([0-9a-f]{64})\.json\.)?[0-9a-f-]{36}\.tmp$/;

/** A crash during a removal may have left the only copy of a value that is needed again. */
async function restore(left: string, path: string, sha256: string): Promise<boolean> {
  if ((await stat(path).catch(() => undefined)) !== undefined) return false;
  if ((await read(left))?.sha256 !== sha256) return false;
  await rename(left, path);
  await syncDirectory(dirname(path));
  return true;
}

/** Touches the file, so that a removal of old blobs sees that it is needed again. */
async function isKept(path: string, bytes: number): Promise<boolean> {
  try {
    const now = new Date();
    await utimes(path, now, now);
    return (await stat(path)).size === bytes;
  } catch {
    return false;
  }
}

/** Renames first and checks then. A blob that is put between a check and an `unlink` would be lost. */
async function removeUntouched(path: string, before: number): Promise<boolean> {
  const aside = `${path}.${randomUUID()}.tmp`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  const isOld = (await stat(aside)).mtimeMs < before;
  await (isOld ? unlink(aside) : rename(aside, path));
  return isOld;
}

function noneWhereMissing(directory: string): (error: NodeJS.ErrnoException) => string[] {
  return (error) => (error.code === 'ENOENT' ? [] : unreadable(directory, error));
}

async function write(path: string, parts: Iterable<string>): Promise<BlobHandle> {
  const file = await open(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
  try {
    const chunks = encoded(parts);
    let step = chunks.next();
    for (; step.done !== true; step = chunks.next()) await file.appendFile(step.value);
    await file.datasync();
    return step.value;
  } finally {
    await file.close();
  }
}

/** Gives a complete file its name. A crash leaves either no file of that name or a complete one. */
async function name(unnamed: string, path: string, bytes: number): Promise<void> {
  if (await isKept(path, bytes)) return unlink(unnamed);
  await makeDirectory(dirname(path));
  await rename(unnamed, path);
  await syncDirectory(dirname(path));
}

/** Undefined if there is no such file. Frees the bytes at once: with the text they would be in memory twice. */
async function read(path: string): Promise<{ text: string; sha256: string } | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const content = { text: bytes.toString(), sha256: createHash('sha256').update(bytes).digest('hex') };
  if (bytes.byteLength === bytes.buffer.byteLength) bytes.buffer.transfer(0);
  return content;
}

/**
 * Creates one folder at a time and syncs each name. If a folder's own name is not on the disk yet, a crash of
 * the machine would lose its files too. Node's `recursive` also hangs if a parent exists and refuses with
 * ENOENT.
 */
export async function makeDirectory(path: string): Promise<void> {
  if (await isMade(path)) return;
  await makeDirectory(dirname(resolve(path)));
  if (!(await isMade(path)))
    throw Object.assign(new Error(`ENOENT: cannot make the folder ${path}`), { code: 'ENOENT' });
}

/** False if the parent must be created first. */
async function isMade(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return false;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return true;
    throw error;
  }
  await syncDirectory(dirname(resolve(path)));
  return true;
}

/** Per folder: the sync that is running, and the next one if a caller waits for it. */
const syncing = new Map<string, { readonly now: Promise<void>; next?: Promise<void> }>();

/**
 * Callers that arrive during a sync share the next one, so a thousand runs that begin together need only a few. The sync
 * that is going on does not count for them: it may have begun before their change.
 */
export function syncDirectory(path: string): Promise<void> {
  const current = syncing.get(path);
  if (current === undefined) return beginSync(path);
  current.next ??= current.now.catch(() => {}).then(() => beginSync(path));
  return current.next;
}

function beginSync(path: string): Promise<void> {
  const now = syncOnce(path).finally(() => {
    if (syncing.get(path) === entry) syncing.delete(path);
  });
  const entry = { now };
  syncing.set(path, entry);
  return now;
}

async function syncOnce(path: string): Promise<void> {
  // Windows cannot open a directory. It does not need to: NTFS journals its names.
  if (process.platform === 'win32') return;
  const directory = openSync(path, constants.O_RDONLY);
  try {
    await sync(directory);
  } finally {
    closeSync(directory);
  }
}

const sync = promisify(fsync);
