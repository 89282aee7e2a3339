import { describe, expect, it } from 'vitest';
import { firstEvent } from '../../src/store/conformance/cases.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { openTestStore } from './database.ts';

const idle = async () => ({ isOpen: true });

describe('several processes on one store', () => {
  it('see each other, their leases, the queue, and what differs between them', async () => {
    await using mine = await openTestStore();
    const other = await openPostgresStore(mine.options);
    const about = { version: '1', config: 'a' };
    mine.dispatcher.work(idle, { atOnce: 3, about: { role: 'serve', ...about } });
    other.dispatcher.work(idle, { atOnce: 5, about: { role: 'work', ...about, config: 'b' } });
    for (const run of ['r1', 'r2', 'r3']) await mine.journal.create(run, [firstEvent(run)]);
    await other.journal.claim('r1');
    await (await mine.journal.claim('r2')).release({ seen: 1, wakeAt: undefined });
    const { workers, queue, warnings } = (await mine.dispatcher.overview?.()) ?? {};
    expect(workers).toMatchObject([
      { role: 'work', atOnce: 5, driving: 1, runs: ['r1'], isThis: false, isAlive: true, config: 'b' },
      { role: 'serve', atOnce: 3, driving: 0, runs: [], isThis: true, isAlive: true, config: 'a' },
    ]);
    // The third run is due after the time that its creator has for it.
    expect(queue).toMatchObject({ stranded: 0, parked: 1 });
    expect((queue?.due ?? 0) + (queue?.later ?? 0)).toBe(1);
    expect(warnings?.map(({ kind }) => kind)).toEqual(['config']);
    expect(await mine.dispatcher.driven?.(['r1', 'r2', 'r3'])).toEqual(new Set(['r1']));
    await other.close();
  });

  it('hear the live messages of each other, but not their own and none that is too long', async () => {
    await using mine = await openTestStore();
    const other = await openPostgresStore(mine.options);
    const [here, there]: string[][] = [[], []];
    mine.bus.hear((message) => here?.push(message));
    other.bus.hear((message) => there?.push(message));
    const texts = [
      '始',
      '長'.repeat(5_000),
      ...Array.from({ length: 300 }, (_, index) => `${index} ${'文'.repeat(30)}`),
    ];
    // Listening begins in the background.
    const isHeard = async () => {
      mine.bus.tell('ready?');
      await new Promise((resolve) => setTimeout(resolve, 60));
      return there?.length;
    };
    await expect.poll(isHeard).toBeGreaterThan(0);
    for (const text of texts) mine.bus.tell(text);
    await expect.poll(() => there?.at(-1)).toBe(texts.at(-1));
    expect(there?.filter((text) => text !== 'ready?')).toEqual(texts.filter((text) => text.length < 5_000));
    expect(here).toEqual([]);
    await other.close();
  });
});
