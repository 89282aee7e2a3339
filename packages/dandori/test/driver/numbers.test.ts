import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openRuntime, type Runtime } from '../../src/app/dandori.ts';
import { createClient } from '../../src/client/client.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { stringifyJson } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import { parsePlan } from '../../src/plan/read.ts';
import { writePlan, writePlanAsJson } from '../../src/plan/write.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { serve } from '../../src/server/serve.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { defineService } from '../../src/tools/service.ts';
import { fixture, nodeServer } from '../tools/fixtures/calls.ts';

const folder = mkdtempSync(join(tmpdir(), 'dandori-numbers-'));
const record = join(folder, 'record');
const web = spawnIds('--http');
const stream = spawnIds('--sse');
const seen: unknown[] = [];
let config: string;
let dandori: Runtime;

function spawnIds(way: string) {
  return spawn(process.execPath, [fixture('ids.js'), way], {
    env: { IDS_RECORD: record },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function urlOf(child: typeof web): Promise<string> {
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return `http://127.0.0.1:${String(port).trim()}/mcp`;
}

const services = [
  defineService({
    name: 'own',
    methods: {
      odd: {
        description: 'gives what JSON cannot hold',
        input: z.object({}),
        effect: 'read',
        run: () => ({
          much: Number.POSITIVE_INFINITY,
          none: Number.NaN,
          zero: -0,
          big: 2n ** 64n - 1n,
          small: 5n,
          float: 1e20,
          at: new Date(0),
          gone: undefined,
          list: [undefined, ...new Array(1), Number.NEGATIVE_INFINITY],
          map: new Map([['a', 1]]),
          boxed: { toJSON: () => -0 },
        }),
      },
      number: {
        description: 'takes a number',
        input: z.object({ id: z.number() }),
        effect: 'write',
        run: ({ id }) => void seen.push(id),
      },
      integer: {
        description: 'takes any integer',
        input: z.object({ id: z.coerce.bigint() }),
        effect: 'write',
        run: ({ id }) => {
          seen.push(id);
          return { id };
        },
      },
      inner: {
        description: 'calls another tool',
        input: z.object({}),
        effect: 'write',
        calls: ['ids.get', 'ids.put'],
        async run(_, context) {
          const { id, much } = (await context.call('ids.get', {})) as { id: bigint; much: null };
          seen.push(much);
          return context.call('ids.put', { id: id + 2n });
        },
      },
    },
  }),
];

beforeAll(async () => {
  const mcpServers = {
    ids: nodeServer('ids.js', { IDS_RECORD: record }),
    web: { url: await urlOf(web) },
    stream: { url: await urlOf(stream) },
  };
  config = JSON.stringify({ mcpServers, execution: { approval: 'never' }, server: { port: 0 } });
  writeFileSync(join(folder, 'dandori.yaml'), config);
  dandori = await openRuntime({ cwd: folder, services });
});
afterAll(async () => {
  await dandori.close();
  for (const child of [web, stream]) child.stdin.end();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  writeFileSync(record, '');
  seen.length = 0;
});

/** What the servers were sent, as it was on the wire. */
const wire = () => readFileSync(record, 'utf8').split('\n').slice(0, -1);
const sentTo = (tool: string) => wire().filter((line) => line.includes(`"name":"${tool}"`));
const task = (id: string, operation: string, args: JsonObject = {}, more: Partial<Task> = {}): Task => ({
  id,
  operation,
  args,
  ...more,
});

/** Runs a plan; its journal is lawful, gives the same report, and is proved. */
async function run(
  tasks: readonly Task[],
  goal = 'carry identifiers',
): Promise<{ run: string; results: Json[] }> {
  const live = await dandori.run(goal, { tasks, mode: 'planned' });
  const { run } = live;
  expect(brokenLaws(await dandori.events(run))).toEqual([]);
  expect(await dandori.replay(run)).toMatchObject({ differences: [] });
  expect(stringifyJson(await dandori.report(run))).toBe(stringifyJson(live));
  const failures = Object.values(live.tasks).flatMap(({ failure }) => failure ?? []);
  expect(failures).toEqual([]);
  return { run, results: Object.values(live.tasks).map(({ result }) => result ?? null) };
}

const PUT = {
  id: '${t1.id}',
  low: '${t1.low}',
  high: '${t1.high}',
  much: '${t1.much}',
  zero: '${t1.zero}',
  list: '${t1.list}',
  all: '${t1}',
  row: '${t1.rows[?id == `9007199254740993`] | [0].id}',
  above: '${t1.rows[?id > `9007199254740992`].id}',
  text: 'id-${t1.id}, ${t1.list}',
};

describe.each(['ids', 'web', 'stream'])('integers beyond 2^53 stay what they are, by %s', (server) => {
  it.each(['get', 'text'])('from a result (%s) into a write, digit by digit', async (tool) => {
    const { results } = await run([task('t1', `${server}.${tool}`), task('t2', `${server}.put`, PUT)]);
    const [line = ''] = sentTo('put');
    for (const part of [
      '"id":9007199254740993,',
      '"low":-9223372036854775808,',
      '"high":18446744073709551615,',
      '"much":null,',
      '"zero":0,',
      '"list":[9007199254740993,[null,{"id":1234567890123456789012345678901234567890}]]',
      '"rows":[{"id":9007199254740992},{"id":9007199254740993}]',
      '"row":9007199254740993,',
      '"above":[9007199254740993],',
      '"text":"id-9007199254740993, [9007199254740993,[null,{\\"id\\":1234567890123456789012345678901234567890}]]"',
      '"__proto__":{"id":9007199254740995}',
    ])
      expect(line).toContain(part);
    expect(results[0]).toMatchObject({ id: 9007199254740993n, much: null, near: 9007199254740991, tiny: 0 });
    expect(Object.is((results[0] as JsonObject).zero, 0)).toBe(true);
    expect(results[1]).toEqual({ done: 9007199254740993n });
  });

  it('through a blob, and a part of one', async () => {
    const { run: id } = await run([
      task('t1', `${server}.large`),
      task('t2', `${server}.put`, { id: '${t1.id}' }),
    ]);
    expect(sentTo('put')[0]).toContain('"id":9007199254740993');
    expect(await dandori.result(id, 't1', { path: ['id'], offset: 0, limit: 10 })).toMatchObject({
      value: 9007199254740993n,
    });
  });
});

describe('the live run is what the journal holds', () => {
  it('for whatever a service gives', async () => {
    const { results } = await run([
      task('t1', 'own.odd'),
      task('t2', 'ids.put', { all: '${t1}' }, { expect: 'done == `9007199254740993`' }),
    ]);
    const exact = {
      much: null,
      none: null,
      zero: 0,
      big: 18446744073709551615n,
      small: 5,
      float: 100000000000000000000n,
      at: '1970-01-01T00:00:00.000Z',
      list: [null, null, null],
      map: {},
      boxed: 0,
    };
    expect(results[0]).toStrictEqual(exact);
    expect(sentTo('put')[0]).toContain(`"all":${stringifyJson(exact)}`);
  });

  it('for a plan that a program gives, and an answer', async () => {
    const args = { id: 2n ** 63n, odd: [Number.NaN, new Date(0), undefined], none: undefined, zero: -0 };
    await run([task('t1', 'ids.put', args as unknown as JsonObject)]);
    expect(sentTo('put')[0]).toContain(
      '"arguments":{"id":9223372036854775808,"odd":[null,"1970-01-01T00:00:00.000Z",null],"zero":0}',
    );
    const circle: JsonObject = {};
    circle.self = circle;
    await expect(dandori.run('circle', { tasks: [task('t1', 'ids.put', circle)] })).rejects.toThrow(
      'The plan cannot be written as JSON',
    );
  });

  it('in a service, which is given the integer itself, or a number that is exactly it, and never another', async () => {
    const { run: id } = await run([
      task('t1', 'ids.get'),
      task('t2', 'own.integer', { id: '${t1.id}' }),
      task('t3', 'own.integer', { id: 5 }),
      task('t4', 'own.number', { id: '${t1.rows[0].id}' }),
      task('t5', 'own.inner'),
    ]);
    expect(seen).toEqual([9007199254740993n, 5n, 9007199254740992, null]);
    expect(sentTo('put')[0]).toContain('"id":9007199254740995');
    const refused = await dandori.run('round it', {
      tasks: [task('t1', 'ids.get'), task('t2', 'own.number', { id: '${t1.id}' })],
    });
    expect(refused.outcome).toBe('failed');
    expect(refused.tasks.t2?.failure?.message).toContain(
      '9007199254740993 is too large for a JavaScript number',
    );
    expect(seen).toHaveLength(4);
    expect(await dandori.replay(id)).toMatchObject({ differences: [] });
  });

  it('of a calculation that would be rounded nothing is sent', async () => {
    const refused = await dandori.run('calculate', {
      tasks: [task('t1', 'ids.get'), task('t2', 'ids.put', { id: '${t1.sum([id, id])}' })],
    });
    expect(refused.tasks.t2?.failure?.message).toContain('cannot be done exactly');
    expect(sentTo('put')).toEqual([]);
  });
});

describe('integers beyond 2^53 come from', () => {
  const plan = { goal: 'put', tasks: [task('t1', 'ids.put', { id: 9007199254740993n, low: -(2n ** 63n) })] };

  it.each([
    [
      'YAML',
      'tasks:\n  - { id: t1, operation: ids.put, args: { id: 9007199254740993, low: -9223372036854775808, 9007199254740995: 0x20000000000001 } }',
    ],
    [
      'JSON',
      '{"tasks":[{"id":"t1","operation":"ids.put","args":{"id":9007199254740993,"low":-9223372036854775808,"9007199254740995":9007199254740993.0}}]}',
    ],
  ])('a plan in %s', async (_, text) => {
    const { tasks } = parsePlan(text, 'plan');
    await run(tasks as Task[]);
    expect(sentTo('put')[0]).toContain(
      '"arguments":{"id":9007199254740993,"low":-9223372036854775808,"9007199254740995":9007199254740993}',
    );
  });

  it.each([
    ['YAML', writePlan],
    ['JSON', writePlanAsJson],
  ])('a plan that we have written as %s, and one that was lifted from a run', async (_, write) => {
    expect(parsePlan(write(plan), 'plan').tasks).toEqual(plan.tasks);
    const { run: id } = await run(plan.tasks);
    const { tasks } = await dandori.lift(id);
    expect(parsePlan(write({ goal: 'again', tasks }), 'plan').tasks).toEqual(plan.tasks);
  });

  it.each(['json', 'tools'] as const)('a model, in the dialect %s', async (dialect) => {
    const args = '{"id":9007199254740993,"low":-9223372036854775808}';
    const first =
      dialect === 'tools'
        ? { toolCalls: [{ name: 'ids_put', arguments: args }] }
        : { content: `{"actions":[{"id":"t1","operation":"ids.put","args":${args}}]}` };
    await using model = await startModelServer([first, { content: 'The identifier is 9007199254740993.' }]);
    const file = join(folder, 'model.yaml');
    const { mcpServers } = JSON.parse(config) as { mcpServers: object };
    writeFileSync(
      file,
      JSON.stringify({
        model: { provider: 'openai-compatible', base_url: model.url, name: 'scripted', dialect },
        mcpServers,
        execution: { approval: 'never' },
      }),
    );
    await using other = await openRuntime({ cwd: folder, configFile: file });
    const done = await other.run('put it', { mode: 'adaptive' });
    expect(done).toMatchObject({ outcome: 'answered' });
    expect(sentTo('put')[0]).toContain(`"arguments":${args}`);
    expect(await other.replay(done.run)).toMatchObject({ differences: [] });
    // The model is shown the digits, and a number and no text.
    const shown = stringifyJson(model.requests.at(-1)).replaceAll('\\', '');
    expect(shown).toContain('"args":{"id":9007199254740993,'.slice(dialect === 'tools' ? 7 : 0));
    expect(shown).toContain('{"done":9007199254740993}');
  });

  it('a journal that another process goes on with, and a fork of it', async () => {
    const tasks = [task('t1', 'ids.get'), task('t2', 'ids.put', { id: '${t1.id}', list: '${t1.list}' })];
    const { run: id } = await run(tasks);
    const events = await dandori.events(id);
    const at = events.findIndex(({ type, data }) => type === 'task_started' && data.task === 't2');
    await using other = await openRuntime({ cwd: folder, services });
    const { run: fork } = await other.fork(id, { at });
    expect(await other.drive(fork)).toMatchObject({ outcome: 'answered' });
    expect(await other.replay(fork)).toMatchObject({ differences: [] });
    const [first, second] = sentTo('put').map((line) => /"arguments":(\{.*?\}\]\]\})/.exec(line)?.[1]);
    expect(first).toContain('"id":9007199254740993');
    expect(second).toBe(first);
    expect(await other.diff(id, fork)).toMatchObject({ isSame: true });
  });

  it('a person who answers what a server asks', async () => {
    const id = await dandori.start('ask', { tasks: [task('t1', 'ids.ask')] });
    const driven = dandori.drive(id);
    const [question] = await until(async () => {
      const { questions } = await dandori.report(id);
      return questions.length > 0 ? questions : undefined;
    });
    const answer = (value: Json) => dandori.answer(id, question?.id ?? '', value);
    await expect(answer({ id: 2n ** 63n })).rejects.toThrow(
      'must be <= 9223372036854775807, not 9223372036854775808',
    );
    await answer({ id: 2n ** 63n - 1n });
    expect(await driven).toMatchObject({ outcome: 'answered' });
    expect(wire()[0]).toContain('"content":{"id":9223372036854775807}');
    expect(await dandori.replay(id)).toMatchObject({ differences: [] });
  });

  it('the HTTP API, and go back to the page as they are', async () => {
    const serving = await serve({ cwd: folder, services, log: () => {} });
    try {
      const client = createClient({ url: serving.url });
      const tasks = [
        task('t1', 'ids.put', { id: 9007199254740993n }),
        task('t2', 'ids.ask', {}, { after: ['t1'] }),
        task('t3', 'ids.put', { id: '${t2.done}' }),
      ];
      const id = await client.start('over HTTP', { tasks });
      const shown: unknown[] = [];
      for await (const one of client.follow(id)) {
        if (one.kind !== 'event') continue;
        shown.push(one.event);
        if (one.event.type === 'question_asked')
          await client.answer(id, one.event.data.question.id, { id: 9007199254740997n });
        if (one.event.type === 'run_finished') break;
      }
      expect(sentTo('put')[0]).toContain('"id":9007199254740993');
      expect(wire()[1]).toContain('"content":{"id":9007199254740997}');
      expect(shown).toEqual(await dandori.events(id));
      expect(await client.events(id)).toEqual(shown);
      expect((await client.run(id)).report.tasks.t1).toMatchObject({ result: { done: 9007199254740993n } });
      expect(await client.result(id, 't1', { path: 'done' })).toMatchObject({ value: 9007199254740993n });
      const raw = await fetch(`${serving.url}/api/runs/${id}/events`);
      expect(await raw.text()).toContain('"id":9007199254740993');
      expect(await client.replay(id)).toMatchObject({ differences: [] });
      const sent = await fetch(`${serving.url}/api/runs`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: '{"goal":"raw","tasks":[{"id":"t1","operation":"ids.put","args":{"id":18446744073709551615}}]}',
      });
      expect(sent.status).toBe(201);
      await until(async () =>
        sentTo('put').some((line) => line.includes('"id":18446744073709551615')) ? true : undefined,
      );
    } finally {
      await serving.close();
    }
  });
});

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
