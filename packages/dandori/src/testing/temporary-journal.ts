import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore } from '../store/implementations.ts';
import type { Store } from '../store/index.ts';

/** The parts of a store, and the whole store for `openDandori({ store })`. */
export interface TemporaryJournal extends AsyncDisposable, Store {
  readonly directory: string;
  readonly store: Store;
}

/**
 * A real journal in a temporary folder, deleted after the test:
 * `await using temporary = await createTemporaryJournal()`.
 */
export async function createTemporaryJournal(): Promise<TemporaryJournal> {
  const directory = await mkdtemp(join(tmpdir(), 'dandori-'));
  const store = createFileStore(directory);
  return {
    directory,
    store,
    ...store,
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
