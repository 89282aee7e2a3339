import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDandori } from '../../src/app/library.ts';
import { startRun } from '../../src/commands/start.ts';
import { serve } from '../../src/server/serve.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { migratePostgres, openPostgresStore } from '../../src/store/postgres/store.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { openPlace } from '../cli/command.ts';
import { settingsWith } from '../settings.ts';
import { openTestStore, postgresUrl } from './database.ts';
import { partsOf } from './worker.ts';

describe('several processes on one database', () => {
  it('a watcher is told of what another process appends, and finds what it was not told of', async () => {
    await using mine = await openTestStore();
    const other = await openPostgresStore(mine.options);
    try {
      await other.journal.create('r1', [firstEvent('r1')]);
      const seen: (number | undefined)[] = [];
      const unwatch = mine.journal.watch('r1', (last) => seen.push(last));
      await other.journal.append('r1', 1, [eventAt('r1', 2)]);
      await expect.poll(() => seen).toContain(2);
      // A process that dies after its append sends no notification.
      await mine.sql.unsafe(`update ${mine.options.schema}.runs set last_seq = 3 where id = 'r1'`);
      await expect.poll(() => seen).toContain(3);
      unwatch();
    } finally {
      await other.close();
    }
  });

  it('every append is written once, also while connections are cut', async () => {
    await using mine = await openTestStore();
    const { journal } = mine;
    const runs = Array.from({ length: 10 }, (_, index) => `r${index}`);
    for (const run of runs) await journal.create(run, [firstEvent(run)]);
    let written = 0;
    const cut = () =>
      mine.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and application_name = 'dandori' and query like ${`%${mine.options.schema}%`}`;
    await Promise.all(
      runs.map(async (run) => {
        for (let seq = 2; seq <= 30; seq++) {
          await journal.append(run, seq - 1, [eventAt(run, seq)]);
          if (++written % 50 === 0) await cut();
        }
      }),
    );
    for (const run of runs) expect(await journal.read(run)).toHaveLength(30);
  });

  it('all see the same key for secrets and the same standing approvals', async () => {
    await using mine = await openTestStore();
    const other = await openPostgresStore(mine.options);
    try {
      expect(other.storeKey()).toBe(mine.storeKey());
      const approval = { operation: 'a.put', effect: 'write', run: 'r1', user: 'ann' } as const;
      const id = await mine.approvals.add({ ...approval, at: 1 });
      expect(await mine.approvals.add({ ...approval, at: 2 })).toBe(id);
      expect(await other.approvals.list('ann')).toEqual([{ id, ...approval, at: 1 }]);
      expect(await other.approvals.list(undefined)).toEqual([]);
      expect(await other.approvals.remove('ben', id)).toBe(false);
      expect(await other.approvals.remove('ann', id)).toBe(true);
    } finally {
      await other.close();
    }
  });
});

describe('the tables', () => {
  it('are created once, however many processes begin at once, and other versions are refused', async () => {
    await using mine = await openTestStore();
    const { options, sql } = mine;
    const more = await Promise.all(Array.from({ length: 4 }, () => openPostgresStore(options)));
    await Promise.all(more.map((store) => store.close()));
    expect(await migratePostgres(options)).toEqual({ from: 4, to: 4 });
    await sql.unsafe(`insert into ${options.schema}.migrations (version) values (99)`);
    await expect(openPostgresStore(options)).rejects.toMatchObject({ code: 'store-outdated' });
  });

  it('a database that does not answer and a bad schema are named', async () => {
    await expect(openPostgresStore({ url: 'postgres://127.0.0.1:1/none' })).rejects.toMatchObject({
      code: 'store-unreachable',
    });
    await expect(openPostgresStore({ url: await postgresUrl(), schema: 'a; drop' })).rejects.toMatchObject({
      code: 'config-invalid',
    });
  });
});

describe('the library', () => {
  it('takes the section of the file as its store, and closes it', async () => {
    await using mine = await openTestStore();
    const { url, schema } = mine.options;
    const tools = { add: ({ a }: { a: number }) => a + 1 };
    const model = createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]);
    const store = { type: 'postgres', url, schema } as const;
    await using first = await openDandori({ model, tools, store });
    expect(await first.run('go').report()).toMatchObject({ outcome: 'answered' });
    expect(await mine.journal.list()).toMatchObject([{ goal: 'go', status: 'answered' }]);
  });
});

describe('a worker', () => {
  it('continues what another process has begun, without an address', async () => {
    await using place = await openPlace();
    await using mine = await openTestStore();
    const effects = join(place.folder, 'effects');
    const parts = partsOf(mine, { effects, name: 'test', takes: 0 });
    const tasks = [{ id: 's', operation: 'a.slow', args: {} }];
    const { run } = await startRun({ goal: 'go', tasks, settings: settingsWith() }, parts);
    const store = await openPostgresStore(mine.options);
    const { toolbox, mind } = parts;
    await using working = await serve({ cwd: place.folder, listens: false, store, toolbox, mind });
    expect(working.url).toBe('');
    await expect.poll(() => mine.journal.list()).toMatchObject([{ run, status: 'answered' }]);
    expect(readFileSync(effects, 'utf8')).toBe('slow by test\n');
  });
});
