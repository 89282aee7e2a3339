import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Keys } from '../../ports/keys.ts';
import { createWhole } from '../journal/jsonl.ts';
import { unreadable, unwritable } from '../journal/unwritable.ts';

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
  };
}
