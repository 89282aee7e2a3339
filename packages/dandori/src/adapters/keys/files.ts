import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '../../ports/keys.ts';
import { createWhole } from '../journal/jsonl.ts';
import { unreadable, unwritable } from '../journal/unwritable.ts';

const KEY = /^[0-9a-f]{64}$/;

/** One file a name, called by its hash: a name may hold anything, and nobody has to be told it. */
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
