import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileBlobs } from '../adapters/blobs/files.ts';
import { createJsonlJournal } from '../adapters/journal/jsonl.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Journal } from '../ports/journal.ts';

/** A real journal in a folder of its own, gone with the test: `await using temporary = await createTemporaryJournal()`. */
export async function createTemporaryJournal(): Promise<
  AsyncDisposable & { readonly directory: string; readonly journal: Journal; readonly blobs: Blobs }
> {
  const directory = await mkdtemp(join(tmpdir(), 'dandori-'));
  return {
    directory,
    journal: createJsonlJournal(directory),
    blobs: createFileBlobs(join(directory, 'blobs')),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}
