import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { deploymentWarnings, fingerprint } from '../../src/app/deployment.ts';
import { loadConfig } from '../../src/config/index.ts';
import { firstEvent } from '../../src/store/conformance/cases.ts';
import { createPostgresBus } from '../../src/store/postgres/bus.ts';
import { openPool, openPostgresStore } from '../../src/store/postgres/store.ts';
import { openPlace } from '../cli/command.ts';
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

  it('are warned of stdio servers with data of their own, and of processes that differ from each other', async () => {
    await using place = await openPlace();
    // Long, so that no renewal replaces the offset.
    await using mine = await openTestStore({ lease: 600_000 });
    const mcpServers = {
      calc: { shipped: 'calc' },
      kitchen: { shipped: 'kitchen' },
      mail: { command: 'mail', shared: true },
      far: { url: 'https://example.com/mcp' },
    };
    await place.write('dandori.yaml', JSON.stringify({ mcpServers }));
    const config = await loadConfig({ cwd: place.folder, env: {} });
    const tools = [
      { name: 'calc.evaluate', effect: 'read' },
      { name: 'kitchen.remove_item', effect: 'destructive' },
      { name: 'mail.send', effect: 'write' },
      { name: 'far.put', effect: 'write' },
    ] as const;
    const warned = () => deploymentWarnings({ config, tools, dispatcher: mine.dispatcher });
    expect(await warned()).toEqual([{ kind: 'local', names: ['kitchen'] }]);
    // Another folder and another language are no other configuration, but another limit is.
    await mkdir(join(place.folder, 'elsewhere'));
    await place.write('elsewhere/dandori.yaml', JSON.stringify({ mcpServers }));
    const there = join(place.folder, 'elsewhere');
    const same = await loadConfig({ cwd: there, env: { DANDORI_LANG: 'ja' } });
    expect(fingerprint(same)).toBe(fingerprint(config));
    const limits = { ...config.settings.limits, steps: 1 };
    expect(fingerprint({ ...same, settings: { ...same.settings, limits } })).not.toBe(fingerprint(config));
    const about = { role: 'work', version: '1', config: fingerprint(config) } as const;
    const other = await openPostgresStore(mine.options);
    await other.dispatcher.work(idle, { atOnce: 1, about: { ...about, config: 'other' } }).begin();
    await mine.sql.unsafe(
      `update ${mine.options.schema}.workers set clock_offset = 5000 where about like '%other%'`,
    );
    expect((await warned()).map(({ kind }) => kind)).toEqual(['local', 'unlike', 'clock']);
    await other.close();
    // Files belong to one machine.
    expect(await deploymentWarnings({ config, tools, dispatcher: {} })).toEqual([]);
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

  it('hear live messages in the order in which they were told, also if a statement is slow', async () => {
    await using mine = await openTestStore();
    const { schema = '' } = mine.options;
    const heard: string[] = [];
    mine.bus.hear((message) => heard.push(message));
    const sql = openPool(mine.options.url, 4);
    let isFirst = true;
    // The first statement waits on its way to the database.
    const slow = new Proxy(sql, {
      apply: async (target, self, args) => {
        const wait = isFirst ? 500 : 0;
        isFirst = false;
        await sleep(wait);
        return await Reflect.apply(target, self, args);
      },
    });
    const bus = createPostgresBus({ sql: slow, schema, self: 'other' });
    for (const message of ['one', 'two', 'three']) {
      bus.tell(message);
      await sleep(100);
    }
    await expect.poll(() => heard).toHaveLength(3);
    expect(heard).toEqual(['one', 'two', 'three']);
    bus.close();
    await sql.end();
  });

  it('open a broken connection again within a second, however often it was refused', async () => {
    await using mine = await openTestStore();
    const sql = openPool(mine.options.url, 1);
    const { backoff } = sql.options;
    expect(typeof backoff === 'function' && [1, 10, 1_000].every((refused) => backoff(refused) < 1)).toBe(
      true,
    );
    await sql.end();
  });
});
