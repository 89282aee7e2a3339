import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import { serve } from '../../src/server/serve.ts';
import { openPostgresStore } from '../../src/store/postgres/store.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { openPlace } from '../cli/command.ts';
import { IS_LONG } from '../long.ts';
import { settingsWith } from '../settings.ts';
import { openTestStore, type TestStore } from './database.ts';
import { partsOf } from './worker.ts';

const COUNT = IS_LONG ? 100_000 : 2_000;

/** One run that asks its user, and copies of its rows under other ids. */
async function parkedRuns(store: TestStore, count: number): Promise<string> {
  const mind = createScriptedMind([[{ operation: 'ask', args: { question: 'Which?' } }]]);
  const parts = { ...partsOf(store, { effects: '', name: 'test', takes: 0 }), mind };
  const { run } = await startRun({ goal: 'choose', settings: settingsWith() }, parts);
  await drive(run, parts);
  const { schema = '' } = store.options;
  const { sql } = store;
  await sql.unsafe(
    `insert into ${schema}.runs (id, last_seq, last_at, status, owner, wake_at)
     select 'p' || n, last_seq, last_at, status, owner, wake_at from ${schema}.runs, generate_series(1, ${count}) n
     where id = $1`,
    [run],
  );
  await sql.unsafe(
    `insert into ${schema}.run_events (id, seq, body)
     select 'p' || n, seq, body from ${schema}.run_events, generate_series(1, ${count}) n where id = $1`,
    [run],
  );
  await sql.unsafe(`analyze ${schema}.runs`);
  return run;
}

describe('parked runs', () => {
  it('are not looked at by a worker that starts, and an answer still reaches a worker', async () => {
    await using place = await openPlace();
    await using mine = await openTestStore();
    const run = await parkedRuns(mine, COUNT);
    const { schema = '' } = mine.options;
    const store = await openPostgresStore(mine.options);
    const read: string[] = [];
    const journal = {
      ...store.journal,
      read: (id: string, after?: number) => {
        read.push(id);
        return store.journal.read(id, after);
      },
      list: () => Promise.reject(new Error('A worker that starts lists no runs.')),
    };
    const mind = createScriptedMind([[{ operation: 'answer', args: { text: 'That one.' } }]]);
    const { toolbox } = partsOf(store, { effects: '', name: 'test', takes: 0 });
    const logged: string[] = [];
    await using _working = await serve({
      cwd: place.folder,
      listens: false,
      store: { ...store, journal },
      toolbox,
      mind,
      log: (line) => logged.push(line),
    });
    expect(read).toEqual([]);
    const due = await mine.sql.unsafe<{ count: number }[]>(
      `select count(*)::integer as count from ${schema}.runs where wake_at is not null or worker is not null`,
    );
    expect(due).toMatchObject([{ count: 0 }]);
    // As another process would: nothing but the journal tells the worker.
    await mine.journal.append(run, (await mine.journal.read(run)).length, [
      {
        ...((await mine.journal.first(run)) as object),
        type: 'question_answered',
        seq: (await mine.journal.read(run)).length + 1,
        data: { question: 'q1', answer: 'this' },
      } as never,
    ]);
    await expect.poll(async () => (await mine.journal.read(run)).at(-1)?.type).toBe('run_finished');
    expect(new Set(read)).toEqual(new Set([run]));
    expect(logged).toEqual([]);
  });
});
