import { describe, expect, it } from 'vitest';
import { createQuestionList, MOST_OPEN } from '../../src/history/all-runs.ts';
import { firstEvent } from '../../src/store/conformance/cases.ts';
import { createMemoryJournal } from '../../src/store/in-memory.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, DONE, task } from '../driver/house.ts';

describe('the list of open questions', () => {
  it('reads no run again that has not changed, and misses nothing of those that have', async () => {
    const which = {
      kind: 'ambiguous' as const,
      question: 'Which milk?',
      options: [{ label: 'whole', value: 1, args: { item: 'm1' } }],
    };
    const house = createHouse(
      { 'shop.take': { run: ({ item }) => (item === 'milk' ? which : 'taken') } },
      [...DONE, ...DONE],
      { check: createSchemaCheck() },
    );
    const { journal } = house.parts;
    const read: string[] = [];
    const list = createQuestionList({
      list: (options) => journal.list(options),
      read: (run, after = 0) => {
        read.push(`${run} ${after}`);
        return journal.read(run, after);
      },
    });
    const milk = [task('m', 'shop.take', { args: { item: 'milk' } })];
    const [first, second] = [await house.start('one', milk), await house.start('two', milk)];
    expect(await list()).toEqual([]);
    const begun = (await house.events(first)).length;
    await house.drive(first);
    read.length = 0;
    expect((await list()).map(({ run, goal, text }) => [run, goal, text])).toEqual([
      [first, 'one', 'Which milk?'],
    ]);
    expect(read).toEqual([`${first} ${begun}`, `${first} 0`]);
    read.length = 0;
    expect(await list()).toHaveLength(1);
    expect(read).toEqual([]);
    await house.answer(first, 'q1', 1);
    expect(await list()).toEqual([]);
    await house.drive(second);
    expect((await list()).map(({ run }) => run)).toEqual([second]);
  });

  it('looks at the newest open runs only, so that 100,000 that wait neither take minutes nor stay in memory', async () => {
    const journal = createMemoryJournal();
    const count = MOST_OPEN + 5;
    for (let index = 0; index < count; index++) {
      const run = `r${String(index).padStart(6, '0')}`;
      const first = firstEvent(run);
      const userId = index < 3 ? 'ann' : 'ben';
      await journal.create(run, [{ ...first, data: { ...first.data, userId } } as typeof first]);
    }
    const read: string[] = [];
    const list = createQuestionList({
      list: (options) => journal.list(options),
      read: (run, after = 0) => {
        read.push(run);
        return journal.read(run, after);
      },
    });
    await list();
    expect(new Set(read).size).toBe(MOST_OPEN);
    expect(read).not.toContain('r000000');
    read.length = 0;
    await list(undefined, 'ann');
    expect(read).toEqual(['r000002', 'r000001', 'r000000']);
  });
});
