import { describe, expect, it } from 'vitest';
import { blobCases, keyCases } from '../../src/store/conformance/blobs.ts';
import { eventOf, firstEvent } from '../../src/store/conformance/cases.ts';
import { journalCases } from '../../src/store/conformance/journal.ts';
import { createMemoryJournal } from '../../src/store/memory.ts';
import { createFileStore, createMemoryStore } from '../../src/store/store.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const memory = async () => ({ ...createMemoryStore(), [Symbol.asyncDispose]: async () => {} });
const files = async () => {
  const temporary = await createTemporaryJournal();
  const dispose = () => temporary[Symbol.asyncDispose]();
  return { ...createFileStore(temporary.directory), [Symbol.asyncDispose]: dispose };
};

describe.each([
  ['memory', memory],
  ['files', files],
])('the other parts of a store in %s', (_, open) => {
  for (const { name, run } of [...blobCases(open), ...keyCases(open)]) it(name, run);
});

describe('a journal in memory', () => {
  for (const { name, run } of journalCases(memory)) it(name, run);

  it('takes 300,000 events at once', async () => {
    const journal = createMemoryJournal();
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append(
      'r1',
      1,
      Array.from({ length: 300_000 }, (_, index) => eventOf('r1', index + 2)),
    );
    expect(await journal.read('r1', 300_000)).toHaveLength(1);
  });
});

describe('a journal of JSON Lines', () => {
  for (const { name, run } of journalCases(createTemporaryJournal)) it(name, run);
});
