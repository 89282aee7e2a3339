import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { digestsOf } from './golden.ts';

const FOLDER = import.meta.dirname;
/** Written by `npm run journals` when a journal is made, and never again. */
const GOLDEN: Record<string, string[]> = JSON.parse(readFileSync(join(FOLDER, 'golden.json'), 'utf8'));
const journals = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length))
  .sort();

describe('every kept journal, after each of its events', () => {
  it.each(journals)('%s shows and decides what it did when it was written', async (name) => {
    const [version = '', run = ''] = name.split('/');
    const events = await createJsonlJournal(join(FOLDER, version)).read(run);
    // A list of digests: the first one that differs is the event to look at with `goldenOf`.
    expect(digestsOf(events)).toEqual(GOLDEN[name]);
  });

  it('is in the golden file', () => {
    expect(Object.keys(GOLDEN).sort()).toEqual(journals);
  });
});
