import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import { DandoriError } from '../../src/model/error.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { createLeases } from '../../src/store/postgres/leases.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { settingsWith } from '../settings.ts';
import { openTestStore } from './database.ts';
import { LEASE, partsOf } from './worker.ts';

const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) {
    const exit = once(child, 'exit');
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exit;
  }
  children.clear();
});

/** A run with one call that can be stopped and one that cannot, driven by another process until both are made. */
async function begunElsewhere() {
  const store = await openTestStore({ lease: LEASE });
  const folder = await mkdtemp(join(tmpdir(), 'dandori-leases-'));
  const effects = join(folder, 'effects');
  const { run } = await startRun(
    {
      goal: 'go',
      tasks: [
        { id: 's', operation: 'a.slow', args: {} },
        { id: 'p', operation: 'b.put', args: {} },
      ],
      settings: settingsWith({ concurrency: 2 }),
    },
    partsOf(store, { effects, name: 'starter', takes: 0 }),
  );
  const { url, schema = '' } = store.options;
  const worker = join(import.meta.dirname, 'worker.ts');
  // The call that can be stopped would take effect just after the lease has ended.
  const args = [worker, url, schema, run, effects, 'first', String(LEASE * 1.5)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.add(child);
  // Read from the start: on a busy machine the process may lose its lease before it is stopped.
  let said = '';
  child.stdout.on('data', (text: Buffer) => {
    said += text;
  });
  await expect.poll(() => existsSync(effects) && readFileSync(effects, 'utf8')).toContain('put by first');
  return {
    store,
    run,
    child,
    said: () => said.trim(),
    /** Runs whose driver has lost its lease. */
    async stranded() {
      const rows = await store.sql.unsafe<{ id: string }[]>(
        `select r.id from ${schema}.runs r left join ${schema}.workers w on w.id = r.worker
         where r.worker is not null and (w.id is null or w.until <= clock_timestamp())`,
      );
      return rows.map(({ id }) => id);
    },
    effects: () => readFileSync(effects, 'utf8').trim().split('\n').sort(),
    /** Drives the run here, as soon as the lease of the other process has ended. */
    async takeOver(): Promise<RunState> {
      for (;;) {
        try {
          return await drive(run, partsOf(store, { effects, name: 'second', takes: 0 }));
        } catch (error) {
          if (!(error instanceof DandoriError && error.code === 'run-driven-elsewhere')) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

describe('leases', () => {
  it('a driver that was stopped longer than its lease makes no effect and writes nothing when it goes on', async () => {
    await using begun = await begunElsewhere();
    const { child, run, store } = begun;
    child.kill('SIGSTOP');
    expect(await begun.stranded()).toEqual([]);
    const state = await begun.takeOver();
    // The call that could be stopped is made again under its key. The other one is asked about.
    expect(begun.effects()).toEqual(['put by first', 'slow by second']);
    expect([...state.questions.values()].map(({ question }) => question)).toMatchObject([
      { kind: 'in_doubt', task: 'p' },
    ]);
    const written = await store.journal.read(run);
    child.kill('SIGCONT');
    await expect.poll(begun.said).toBe('run-driven-elsewhere');
    expect(begun.effects()).toEqual(['put by first', 'slow by second']);
    expect(await store.journal.read(run)).toEqual(written);
  });

  it('the run of a killed driver is found by its lease and taken over', async () => {
    await using begun = await begunElsewhere();
    begun.child.kill('SIGKILL');
    await expect.poll(() => begun.stranded(), { interval: 20 }).toEqual([begun.run]);
    const state = await begun.takeOver();
    expect(state.indexes.openQuestions).toBe(1);
    expect(begun.effects()).toEqual(['put by first', 'slow by second']);
    expect(await begun.stranded()).toEqual([]);
  });

  it('a driver that cannot renew its lease stops before another may begin, and its late append is refused', async () => {
    await using mine = await openTestStore({ lease: LEASE });
    const { journal } = mine;
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    const other = await openPostgresStore(mine.options);
    try {
      await expect(other.journal.claim('r1')).rejects.toMatchObject({
        code: 'run-driven-elsewhere',
        message: expect.stringContaining(`process ${process.pid} on `),
      });
      // As if the renewals did not arrive: the row of the term is gone.
      await mine.forgetTerms();
      const taken = await other.journal.claim('r1');
      await expect(journal.append('r1', 1, [eventAt('r1', 2)], claim)).rejects.toMatchObject({
        code: 'run-driven-elsewhere',
      });
      await expect.poll(() => claim.lost.aborted).toBe(true);
      await claim.release();
      // The late release took nothing from the next driver, and a new term begins for other runs.
      await other.journal.append('r1', 1, [eventAt('r1', 2)], taken);
      await expect(journal.claim('r1')).rejects.toMatchObject({ code: 'run-driven-elsewhere' });
      await taken.release();
      await (await journal.claim('r1')).release();
    } finally {
      await other.close();
    }
  });

  it('a lease whose release got lost with its connection is given back, so that the run is not stuck', async () => {
    await using mine = await openTestStore({ lease: 60_000 });
    const { url, schema } = mine.options;
    await mine.journal.create('r1', [firstEvent('r1')]);
    const claim = await mine.journal.claim('r1');
    const locking = postgres(url, { max: 1 });
    await locking.begin(async (transaction) => {
      // The release waits for this lock, and its connection is terminated in the meantime.
      await transaction.unsafe(`select 1 from ${schema}.runs where id = 'r1' for update`);
      const released = claim.release({ seen: 1, wakeAt: undefined });
      const terminate = () =>
        mine.sql.unsafe(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where wait_event_type = 'Lock' and query like 'update ${schema}.runs set worker = null%'`,
        );
      await expect.poll(async () => (await terminate()).length, { interval: 20 }).toBe(1);
      await released;
    });
    await locking.end();
    const other = await openPostgresStore(mine.options);
    const claimed = () =>
      other.journal.claim('r1').then(
        () => 'claimed',
        (error: DandoriError) => error.code,
      );
    await expect.poll(claimed).toBe('claimed');
    await other.close();
  });

  it('a term that was lost is followed by one new term, however many runs are claimed at the same moment', async () => {
    await using store = await openTestStore();
    const { schema = '' } = store.options;
    const leases = createLeases({ sql: store.sql, schema, ttl: 60_000 });
    await leases.term();
    await store.forgetTerms();
    await leases.confirm();
    const terms = await Promise.all(Array.from({ length: 20 }, () => leases.term()));
    expect(new Set(terms.map(({ id }) => id)).size).toBe(1);
    await leases.close();
  });
});
