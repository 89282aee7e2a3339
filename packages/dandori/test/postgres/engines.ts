import { appendFileSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import { systemClock } from '../../src/driver/index.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { dispatcherCases } from '../../src/store/conformance/dispatcher.ts';
import { createChanges } from '../../src/store/postgres/changes.ts';
import { createPostgresDispatcher } from '../../src/store/postgres/dispatcher.ts';
import { createWrite, type Deliver, type Engine } from '../../src/store/postgres/engine.ts';
import { createLeases } from '../../src/store/postgres/leases.ts';
import {
  openPool,
  openPostgresStore,
  type PostgresOptions,
  type PostgresStore,
} from '../../src/store/postgres/store.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { type Restate, startRestate } from '../cluster/restate.ts';
import { IS_LONG } from '../long.ts';
import { settingsWith } from '../settings.ts';
import { openTestStore, type TestStore } from './database.ts';
import { partsOf } from './worker.ts';

/** `reopen`: another process, as far as the database can tell. */
async function openDispatching(given: Partial<PostgresOptions>) {
  // Short, so that what a killed process took is found soon.
  const store = await openTestStore({ lease: 1_500, ...given });
  const more: PostgresStore[] = [];
  return {
    ...store,
    async reopen() {
      const another = await openPostgresStore(store.options);
      more.push(another);
      return another;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(more.map((another) => another.close()));
      await store[Symbol.asyncDispose]();
    },
  };
}

/** Each of these is known only to the engine, or written together with it. */
const FEW = /wake for later|has not seen/;

function cases(given: () => Partial<PostgresOptions>, names: RegExp): void {
  for (const { name, run } of dispatcherCases(() => openDispatching(given())))
    if (names.test(name)) it(name, run);
}

/** Runs with an effect each, and two workers that drive them as the server does. */
async function workTwice(store: TestStore, double: (runs: readonly string[]) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-engines-'));
  const effects = join(folder, 'effects');
  const other = await openPostgresStore(store.options);
  const working = [store, other].map((one, index) => {
    const parts = {
      ...partsOf(one, { effects, name: String(index), takes: 0 }),
      toolbox: createFunctionToolbox(systemClock, {
        'b.put': { effect: 'write', run: ({ name }) => appendFileSync(effects, `${name}\n`) ?? 'done' },
      }),
    };
    const driveOne = async (run: string) => {
      const mind = createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]);
      return { isOpen: (await drive(run, { ...parts, mind })).end === undefined };
    };
    return one.dispatcher.work(driveOne, { atOnce: 4 });
  });
  const names = Array.from({ length: 6 }, (_, index) => `effect-${index}`);
  const runs: string[] = [];
  for (const name of names) {
    const tasks = [{ id: 'p', operation: 'b.put', args: { name } }];
    const goal = { goal: 'go', tasks, settings: settingsWith({ approval: 'never' }) };
    runs.push((await startRun(goal, partsOf(store, { effects, name, takes: 0 }))).run);
  }
  await double(runs);
  await Promise.all(working.map((one) => one.begin()));
  await expect
    .poll(async () => (await store.journal.list()).filter(({ status }) => status === 'answered').length)
    .toBe(names.length);
  await Promise.all(working.map((one) => one.stop(1_000)));
  await other.close();
  const done = readFileSync(effects, 'utf8').trim().split('\n').sort();
  await rm(folder, { recursive: true });
  return { done, names };
}

describe('the dispatcher built-in', () => {
  cases(() => ({ dispatcher: 'built-in' }), /./);
});

describe('the dispatcher pg-boss', () => {
  const dispatcher = 'pg-boss';
  cases(() => ({ dispatcher }), IS_LONG ? /./ : FEW);

  it('has the job of a command in the transaction of its append, and none of a command that was refused', async () => {
    await using store = await openTestStore({ dispatcher });
    const { schema } = store.options;
    await store.journal.create('r1', [firstEvent('r1')]);
    await store.journal.append('r1', 1, [eventAt('r1', 2)]);
    await expect(store.journal.append('r1', 1, [eventAt('r1', 2)])).rejects.toThrow();
    const jobs = await store.sql.unsafe(
      `select j.data->>'run' as run, e.seq from ${schema}_jobs.job j
       join ${schema}.run_events e on e.xmin = j.xmin order by e.seq`,
    );
    expect(jobs).toEqual([
      { run: 'r1', seq: 1 },
      { run: 'r1', seq: 2 },
    ]);
    const all = await store.sql.unsafe(`select count(*)::integer as count from ${schema}_jobs.job`);
    expect(all).toMatchObject([{ count: 2 }]);
  });

  it('does no effect twice if each of its jobs is delivered three times', async () => {
    await using store = await openTestStore({ dispatcher });
    const jobs = `${store.options.schema}_jobs.job`;
    const { done, names } = await workTwice(store, async () => {
      await store.sql.unsafe(`update ${jobs} set start_after = now()`);
      const twice = 'generate_series(1, 2)';
      await store.sql.unsafe(`insert into ${jobs} (name, data) select name, data from ${jobs}, ${twice}`);
      const { schema } = store.options;
      await store.sql.unsafe(`update ${schema}.runs set wake_at = now() where wake_at is not null`);
    });
    expect(done).toEqual(names);
  });

  it('drives a run whose job was lost', async () => {
    await using store = await openTestStore({ dispatcher, lease: 1_500 });
    const { done, names } = await workTwice(store, async () => {
      await store.sql.unsafe(`delete from ${store.options.schema}_jobs.job`);
    });
    expect(done).toEqual(names);
  });
});

// The program has 216 MB, so it is not installed for the quick tests.
describe.runIf(IS_LONG)('the dispatcher restate', () => {
  let restate: Restate;
  beforeAll(async () => {
    restate = await startRestate();
  }, 300_000);
  afterAll(() => restate[Symbol.asyncDispose]());
  const given = () => ({ dispatcher: 'restate', restate: restate.options }) as const;
  cases(given, /./);

  it('does no effect twice if each of its wakes is delivered three times', async () => {
    await using store = await openTestStore(given());
    const { done, names } = await workTwice(store, async (runs) => {
      // The workers register when they begin, so these come a little later.
      setTimeout(async () => {
        for (const run of [...runs, ...runs, ...runs])
          await fetch(`${restate.options.ingress}/${store.options.schema}.run/${run}/wake/send`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ isAsked: true }),
          });
      }, 300);
    });
    expect(done).toEqual(names);
  });
});

describe('a worker with one place that is brought two runs at once', () => {
  it('drives one, and leaves the other one due for other workers', async () => {
    await using store = await openTestStore();
    const { schema = '', url } = store.options;
    const sql = openPool(url, 3);
    let deliver: Deliver = async () => {};
    const engine: Engine = {
      isTransactional: false,
      patience: 0,
      send: async () => {},
      work(bring) {
        deliver = bring;
        return {};
      },
      close: async () => {},
    };
    const dispatcher = createPostgresDispatcher({
      sql,
      schema,
      write: createWrite(sql, engine),
      leases: createLeases({ sql, schema, ttl: 600_000 }),
      changes: createChanges({ sql, schema, kind: 'run', self: 'test' }),
      engine,
      grace: 600_000,
    });
    for (const run of ['r1', 'r2']) await store.journal.create(run, [firstEvent(run)]);
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const working = dispatcher.work(
      async () => {
        await isOver;
        return { isOpen: false };
      },
      { atOnce: 1 },
    );
    await sql.unsafe(`update ${schema}.runs set wake_at = clock_timestamp()`);
    await Promise.all(['r1', 'r2'].map((run) => deliver([{ run }])));
    expect(working.count).toEqual({ driving: 1, queued: 0, retrying: 0 });
    const due = await sql.unsafe(`select id from ${schema}.runs where wake_at <= clock_timestamp()`);
    expect(due).toHaveLength(1);
    end();
    await working.stop(0);
    await sql.end();
  });
});

describe.each(['built-in', 'pg-boss'] as const)('with the dispatcher %s', (dispatcher) => {
  it('a run whose lease has ended is driven by another process', async () => {
    await using store = await openTestStore({ dispatcher });
    await store.journal.create('r1', [firstEvent('r1')]);
    await store.journal.claim('r1');
    const other = await openPostgresStore(store.options);
    const driven: string[] = [];
    const working = other.dispatcher.work(
      async (run) => {
        await (await other.journal.claim(run)).release({ seen: 1, wakeAt: undefined });
        driven.push(run);
        return { isOpen: true };
      },
      { atOnce: 2 },
    );
    await working.begin();
    expect(driven).toEqual([]);
    await store.forgetTerms();
    await expect.poll(() => driven).toEqual(['r1']);
    await working.stop(0);
    await other.close();
  });
});
