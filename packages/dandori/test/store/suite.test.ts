import { describe, expect, it } from 'vitest';
import { eventOf, firstEvent, journalCases } from '../../src/store/conformance.ts';
import { createMemoryJournal } from '../../src/store/memory.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const memory = async () => ({ journal: createMemoryJournal(), [Symbol.asyncDispose]: async () => {} });

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
