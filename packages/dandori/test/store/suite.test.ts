import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/index.ts';
import { blobCases, keyCases } from '../../src/store/conformance/blobs.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { type DispatchingStore, dispatcherCases } from '../../src/store/conformance/dispatcher.ts';
import { journalCases } from '../../src/store/conformance/journal.ts';
import { createLocalDispatcher } from '../../src/store/dispatcher/local.ts';
import { createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFileStore, createMemoryStore } from '../../src/store/store.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const memory = async () => ({ ...createMemoryStore(), directory: '', [Symbol.asyncDispose]: async () => {} });
const files = async () => {
  const temporary = await createTemporaryJournal();
  const dispose = () => temporary[Symbol.asyncDispose]();
  return {
    ...createFileStore(temporary.directory),
    directory: temporary.directory,
    [Symbol.asyncDispose]: dispose,
  };
};

describe.each([
  ['memory', memory],
  ['files', files],
])('the other parts of a store in %s', (_, open) => {
  for (const { name, run } of [...blobCases(open), ...keyCases(open)]) it(name, run);
});

describe('the local dispatcher', () => {
  const withDispatcher = ({ journal }: Pick<DispatchingStore, 'journal'>): DispatchingStore => ({
    journal,
    dispatcher: createLocalDispatcher({ journal, clock: systemClock }),
  });
  describe.each([
    ['memory', memory, false],
    ['files', files, true],
  ])('in %s', (_, open, isReopened) => {
    const opened = async () => {
      const store = await open();
      const another = () => (isReopened ? createFileStore(store.directory) : store);
      return {
        ...store,
        ...withDispatcher(store),
        reopen: async () => withDispatcher(another()),
      };
    };
    for (const { name, run } of dispatcherCases(opened)) it(name, run);
  });
});

describe('a journal in memory', () => {
  for (const { name, run } of journalCases(memory)) it(name, run);

  it('takes 300,000 events at once', async () => {
    const journal = createMemoryJournal();
    await journal.create('r1', [firstEvent('r1')]);
    await journal.append(
      'r1',
      1,
      Array.from({ length: 300_000 }, (_, index) => eventAt('r1', index + 2)),
    );
    expect(await journal.read('r1', 300_000)).toHaveLength(1);
  });
});

describe('a journal of JSON Lines', () => {
  for (const { name, run } of journalCases(createTemporaryJournal)) it(name, run);
});
