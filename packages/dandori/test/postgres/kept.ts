import { describe, expect, it } from 'vitest';
import { copyBetween } from '../../src/app/copy.ts';
import { openRuntime } from '../../src/app/dandori.ts';
import { countKeptRuns, countRuns } from '../../src/history/index.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { openPlace } from '../cli/command.ts';
import { addressOf, openFolders } from './copy.ts';
import { openTestStore, type TestStore } from './database.ts';

/** The oldest by its time, and by its name. */
const OWN = '00000101-own';

/** A store with every journal of every version that was kept. */
async function openFilled(): Promise<TestStore> {
  const store = await openTestStore();
  await using folders = await openFolders();
  await copyBetween(folders.from, addressOf(store));
  return store;
}

/** A database adds up in any order, which changes the last digits of a sum. */
function withRoundCosts(statistics: object): unknown {
  return JSON.parse(
    JSON.stringify(statistics, (key, value) => (key === 'cost' ? Math.round(value * 1e9) : value)),
  );
}

describe('statistics of a database', () => {
  it('are those of its journals, by user and by day, and only changed journals are read', async () => {
    await using store = await openFilled();
    const { journal, counts } = store;
    const own = { ...firstEvent(OWN), at: 90_000_000 };
    await journal.create(OWN, [{ ...own, data: { ...own.data, userId: 'ann' } } as typeof own]);
    const read: number[] = [];
    const onRead = (count: number) => read.push(count);
    for (const options of [
      {},
      { every: 'day' as const },
      { userId: 'ann' },
      { since: 1e12, every: 'hour' as const },
    ]) {
      const kept = await countKeptRuns(counts, { ...options, onRead });
      const scanned = await countRuns(journal, options);
      expect(withRoundCosts(kept)).toEqual(withRoundCosts(scanned));
    }
    const all = (await journal.list()).length;
    expect(read).toEqual([all, 0, 0, 0]);
    await journal.append(OWN, 1, [eventAt(OWN, 2)]);
    await countKeptRuns(counts, { onRead });
    expect(read.at(-1)).toBe(1);
  });

  it('leave out a run that was removed, and name a damaged one each time', async () => {
    await using store = await openTestStore();
    const { journal, counts, sql, options } = store;
    for (const run of ['r1', 'r2']) await journal.create(run, [firstEvent(run)]);
    expect(await countKeptRuns(counts)).toMatchObject({ runs: 2 });
    await journal.remove('r1', 1);
    await journal.append('r2', 1, [eventAt('r2', 2)]);
    await sql.unsafe(`update ${options.schema}.run_events set body = replace(body, '"seq"', '"sex"')`);
    for (const _ of [1, 2]) expect(await countKeptRuns(counts)).toMatchObject({ damaged: [{ run: 'r2' }] });
  });
});

describe('the doctor of a database', () => {
  const none = { mind: createScriptedMind([]), tools: false } as const;

  it('looks at every row, and says where', async () => {
    await using place = await openPlace();
    await using mine = await openFilled();
    await using dandori = await openRuntime({
      ...none,
      cwd: place.folder,
      store: await openPostgresStore(mine.options),
    });
    const examined = await dandori.doctor();
    const { length } = await mine.journal.list();
    expect(examined).toMatchObject({ runs: length, findings: [] });
    expect(examined.store).toContain(mine.options.schema);
    expect(examined.store).not.toContain('password');
    expect(examined.unseen).toBeUndefined();
    expect(examined.events).toBeGreaterThan(length);
    expect(examined.blobs).toBeGreaterThan(0);
  });

  it('finds what was changed by hand, and gives back a lease that no worker takes', async () => {
    await using place = await openPlace();
    await using mine = await openFilled();
    const { sql, options, journal } = mine;
    const { schema = '' } = options;
    const [changed = '', cut = '', head = '', held = ''] = (await journal.list()).map(({ run }) => run);
    await sql.unsafe(
      `update ${schema}.run_events set body = overlay(body placing 'X' from 20) where id = $1 and seq = 2`,
      [changed],
    );
    await sql.unsafe(
      `delete from ${schema}.run_events e using ${schema}.runs h where h.id = e.id and e.id = $1 and e.seq = h.last_seq`,
      [cut],
    );
    await sql.unsafe(`update ${schema}.runs set status = 'paused' where id = $1`, [head]);
    await sql.unsafe(`update ${schema}.runs set worker = 'gone' where id = $1`, [held]);
    const blobs = await sql.unsafe<{ sha256: string; upload: string }[]>(
      `select sha256, upload from ${schema}.blobs order by sha256`,
    );
    await sql.unsafe(`update ${schema}.blob_chunks set data = data || 'x' where upload = $1`, [
      blobs[0]?.upload ?? '',
    ]);
    await using dandori = await openRuntime({
      ...none,
      cwd: place.folder,
      store: await openPostgresStore(options),
    });
    const { findings } = await dandori.doctor();
    const kinds = findings.map(({ kind, run }) => `${kind} ${kind === 'damaged-blob' ? '' : run}`).sort();
    expect(kinds).toEqual(
      [
        `damaged-line ${changed}`,
        `missing-line ${cut}`,
        `wrong-head ${head}`,
        `stale-lock ${held}`,
        'damaged-blob ',
      ].sort(),
    );
    const one = await dandori.doctor({ run: cut });
    expect(one).toMatchObject({ runs: 1, findings: [{ kind: 'missing-line' }] });
    await expect(dandori.doctor({ run: 'none' })).rejects.toMatchObject({ code: 'run-not-found' });
    const repaired = await dandori.doctor({ run: held, repair: true });
    expect(repaired.findings).toMatchObject([{ kind: 'stale-lock', isRepaired: true }]);
    expect((await dandori.doctor({ run: held })).findings).toEqual([]);
  });
});

describe('the owner of a run in a database', () => {
  it('is known from its row, also if its first event is damaged', async () => {
    await using mine = await openTestStore();
    const first = firstEvent('r1');
    await mine.journal.create('r1', [{ ...first, data: { ...first.data, userId: 'ann' } } as typeof first]);
    await mine.journal.create('r2', [firstEvent('r2')]);
    await mine.sql.unsafe(`update ${mine.options.schema}.run_events set body = ''`);
    expect(await mine.journal.owner?.('r1')).toBe('ann');
    expect(await mine.journal.owner?.('r2')).toBeUndefined();
    await expect(mine.journal.owner?.('r3')).rejects.toMatchObject({ code: 'run-not-found' });
  });
});
