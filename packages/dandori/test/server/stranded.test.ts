import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { createClient } from '../../src/client/client.ts';
import { type ServeOptions, serve } from '../../src/server/serve.ts';
import { createFileStore, type Store } from '../../src/store/store.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { openPlace, type Place } from '../cli/command.ts';
import { until } from './standing.ts';

const COUNTER = join(import.meta.dirname, '../cli/fixtures/counter-server.ts');
/** Milliseconds: only so that the test need not wait for a minute. */
const HASTY = { firstRetry: 20, longestRetry: 50, sweep: 50, stranded: 300 };

const store = (place: Place) => createFileStore(join(place.folder, '.dandori', 'runs'));

async function open(place: Place, options: ServeOptions = {}) {
  const effects = join(place.folder, 'effects.txt');
  const counter = { command: process.execPath, args: [COUNTER], env: { COUNTER_FILE: effects } };
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: { counter }, server: { port: 0 } }));
  const logged: string[] = [];
  const start = async () => {
    const serving = await serve({
      cwd: place.folder,
      driving: HASTY,
      log: (line) => logged.push(line),
      ...options,
    });
    return { serving, client: createClient({ url: serving.url }) };
  };
  return { start, logged, effects };
}

/** Makes so many calls of a part go wrong, as a disk does: some before anything is written, some after. */
function failing(part: Store['journal'], left: { append: number; read: number; list: number }) {
  const broken = () => Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  const fails = (name: keyof typeof left) => left[name] > 0 && left[name]-- > 0;
  const journal: Store['journal'] = {
    ...part,
    async append(run, after, events) {
      const isLost = fails('append');
      if (isLost && left.append % 2 === 0) throw broken();
      await part.append(run, after, events);
      if (isLost) throw broken();
    },
    async read(run, after) {
      if (fails('read')) throw broken();
      return part.read(run, after);
    },
    async list(page) {
      if (fails('list')) throw broken();
      return part.list(page);
    },
  };
  return journal;
}

const ended = (client: ReturnType<typeof createClient>, run: string) =>
  until(async () => {
    const report = await client.run(run).then(
      (it) => it.report,
      () => undefined,
    );
    return report === undefined || report.outcome === 'open' ? undefined : report;
  });

describe('a run whose driver was another process', () => {
  it('is resumed when that process is killed, whether the server knew of it or not', async () => {
    await using place = await openPlace();
    const { start, effects, logged } = await open(place);
    const plan = (name: string) =>
      place.write(
        `${name}.json`,
        JSON.stringify({
          goal: name,
          tasks: [
            { id: 's', operation: 'counter.send', args: { name: `sent ${name}` } },
            { id: 'l', operation: 'counter.look', args: { name, slow: true }, after: ['s'] },
          ],
        }),
      );
    const isCalled = (name: string) =>
      until(
        async () =>
          (await readFile(`${effects}.calls`, 'utf8').catch(() => '')).includes(`\n${name}\n`) || undefined,
      );
    const known = place.begin('run', '--plan', await plan('known'));
    await isCalled('known');
    const { serving, client } = await start();
    await using _serving = serving;
    const unknown = place.begin('run', '--plan', await plan('unknown'));
    await isCalled('unknown');
    const runs = (await client.runs()).runs.map(({ run }) => run);
    expect(runs).toHaveLength(2);
    for (const { child, finished } of [known, unknown]) {
      child.kill('SIGKILL');
      await finished;
    }
    await writeFile(`${effects}.go`, '');
    for (const run of runs) expect(await ended(client, run)).toMatchObject({ outcome: 'answered' });
    // The reads were made again, and no effect was.
    expect((await readFile(effects, 'utf8')).split('\n').filter(Boolean).sort()).toEqual([
      'sent known',
      'sent unknown',
    ]);
    expect(logged).toEqual([]);
  });
});

describe('a server whose disk fails for a while', () => {
  it('goes on with every run by itself, says so meanwhile, and repeats no effect', async () => {
    await using place = await openPlace();
    const left = { append: 0, read: 0, list: 2 };
    const files = store(place);
    const { start, logged, effects } = await open(place, {
      store: { ...files, journal: failing(files.journal, left) },
    });
    const { serving, client } = await start();
    await using _serving = serving;
    const ready = async () =>
      (await (await fetch(`${serving.url}/readyz`)).json()) as { status: string; retrying: number };
    const tasks = ['one', 'two'].map((id) => ({
      id,
      operation: 'counter.look',
      args: { name: id, slow: id === 'one' },
    }));
    await until(async () => (left.list === 0 && (await ready()).retrying === 0) || undefined);
    left.append = Number.POSITIVE_INFINITY;
    const first = await client.start('look twice', { tasks });
    const figures = async () => (await fetch(`${serving.url}/metrics`)).text();
    await until(async () => /^dandori_runs_retrying [1-9]/m.test(await figures()) || undefined);
    expect(await ready()).toEqual({ status: 'ready', retrying: 1 });
    const state = await until(async () => (await client.run(first)).driving === 'retrying' || undefined);
    expect(state).toBe(true);
    left.append = 5;
    await writeFile(`${effects}.go`, '');
    expect(await ended(client, first)).toMatchObject({ outcome: 'answered' });
    // And while it cannot be read.
    left.read = 6;
    const second = await client.start('look again', { tasks });
    expect(await ended(client, second)).toMatchObject({ outcome: 'answered' });
    expect(logged.join('\n')).toMatch(/The runs cannot be listed; retrying in 1 s: .*EIO/);
    expect(logged.join('\n')).toMatch(new RegExp(`The run ${first} cannot be driven; retrying in`));
    await until(async () => /^dandori_runs_retrying 0$/m.test(await figures()) || undefined);
    expect(await figures()).toMatch(/^dandori_driving_failures_total\{what="list"\} 2$/m);
  });

  it('takes a run up again whose file was away, with its question', async () => {
    await using place = await openPlace();
    const { start } = await open(place, {
      mind: createScriptedMind([
        [{ operation: 'ask', args: { question: 'Which?' } }],
        [{ operation: 'answer', args: { text: 'That one.' } }],
      ]),
    });
    const { serving, client } = await start();
    await using _serving = serving;
    const run = await client.start('choose');
    expect(await ended(client, run)).toMatchObject({ outcome: 'waiting' });
    const file = join(place.folder, '.dandori', 'runs', `${run}.jsonl`);
    await rename(file, `${file}.away`);
    // A look that was under way has the file open still.
    await until(() =>
      client.run(run).then(
        () => undefined,
        () => true,
      ),
    );
    await rename(`${file}.away`, file);
    // By another process, so that nothing but the file itself tells the server.
    await using other = await openRuntime({ cwd: place.folder, tools: false });
    await other.answer(run, 'q1', 'this');
    const done = await until(async () => {
      const { report } = await client.run(run);
      return report.outcome === 'answered' ? report : undefined;
    });
    expect(done.answer).toBe('That one.');
  });

  it('goes on with a conversation whose run could not be begun', async () => {
    await using place = await openPlace();
    const files = store(place);
    let left = 0;
    const journal: Store['journal'] = {
      ...files.journal,
      async create(run, events) {
        if (left-- > 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
        return files.journal.create(run, events);
      },
    };
    const { start } = await open(place, {
      store: { ...files, journal },
      mind: createScriptedMind([[{ operation: 'answer', args: { text: 'Hello.' } }]]),
    });
    const { serving } = await start();
    await using _serving = serving;
    left = 3;
    const post = (path: string, body: object) =>
      fetch(`${serving.url}/api${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await post('/conversations', { text: 'hi' })).status).toBe(500);
    const talks = await until(async () => {
      const [talk] = await serving.dandori.conversations();
      const events = talk === undefined ? [] : await serving.dandori.conversationEvents(talk.conversation);
      return events.some((event) => event.type === 'message_written' && event.data.message.kind === 'reply')
        ? events
        : undefined;
    });
    expect(talks.length).toBeGreaterThan(2);
  });
});
