import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '../blobs.ts';
import { unreadable, unwritable } from './disk.ts';
import { createWhole } from './journal.ts';

const KEY = /^[0-9a-f]{64}$/;

const STORE_KEY = /^[0-9a-f]{64}$/;

/**
 * The key by which the journals of a store name secrets. It is created with the first secret, and only its
 * owner can read it. Without it, secrets in an interrupted run cannot be restored, and calls that contain one
 * fail.
 */
export function createStoreKey(directory: string): () => string {
  const path = join(directory, 'secrets.key');
  let key: string | undefined;
  return () => {
    key ??= readKey(path) ?? makeKey(directory, path);
    return key;
  };
}

function readKey(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    return STORE_KEY.test(text) ? text : unreadable(path, new Error('it has no key'));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unreadable(path, error);
  }
}

/** Two processes may create the key at the same time. The first one wins, and both read what it wrote. */
function makeKey(directory: string, path: string): string {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(temporary, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx', flush: true });
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritable(path, error);
  } finally {
    rmSync(temporary, { force: true });
  }
  return readKey(path) ?? unreadable(path, new Error('it is gone'));
}

/** One file per name, named by a hash: a name may contain any character and may be private. */
export function createFileKeys(directory: string): Keys {
  return {
    async hold(name, value) {
      const path = join(directory, createHash('sha256').update(name).digest('hex'));
      try {
        await createWhole(directory, path, value);
        return value;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return unwritable(path, error);
      }
      return readFile(path, 'utf8').catch((error) => unreadable(path, error));
    },
    async *heldBefore(time) {
      for (const name of await readdir(directory).catch((): string[] => [])) {
        if (!KEY.test(name)) continue;
        const path = join(directory, name);
        const { mtimeMs = time } = await stat(path).catch(() => ({ mtimeMs: time }));
        if (mtimeMs >= time) continue;
        const value = await readFile(path, 'utf8').catch(() => undefined);
        if (value !== undefined) yield { value, remove: () => rm(path, { force: true }) };
      }
    },
  };
}
