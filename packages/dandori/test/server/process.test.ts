import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Event } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import { type Finished, openPlace, type Place } from '../cli/command.ts';
import { started } from '../program.ts';
import { until } from './standing.ts';

const COUNTER = started('cli/fixtures/counter-server.ts');

interface Started {
  readonly client: Client;
  readonly url: string;
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
}

/** The real `dandori serve`, as a user starts it. */
async function start(place: Place, ...more: string[]): Promise<Started> {
  const { child, finished } = place.begin('serve', '--port', '0', ...more);
  let said = '';
  child.stderr?.on('data', (text: string) => {
    said += text;
  });
  const url = await until(() => /running at (http:\S+)/.exec(said)?.[1]);
  return { client: createClient({ url }), url, child, finished };
}

async function prepare(server: object = {}): Promise<Place> {
  const place = await openPlace();
  const counter = {
    command: process.execPath,
    args: [COUNTER],
    env: { COUNTER_FILE: join(place.folder, 'effects.txt') },
  };
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: { counter }, server }));
  return place;
}

const letGo = (place: Place) => writeFile(join(place.folder, 'effects.txt.go'), '');
const effects = async (place: Place) =>
  (await readFile(join(place.folder, 'effects.txt'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const calls = async (place: Place) =>
  (await readFile(join(place.folder, 'effects.txt.calls'), 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean);
const call = (id: string, tool: 'look' | 'send', more: object = {}): Task => ({
  id,
  operation: `counter.${tool}`,
  args: { name: id, ...more },
});
const types = (events: readonly Event[]) => events.map(({ type }) => type);
const isCalled = (place: Place, name: string) =>
  until(async () => ((await calls(place)).includes(name) ? true : undefined));
const hasEnded = (client: Client, run: string) =>
  until(async () => {
    const { report } = await client.run(run);
    return report.outcome === 'open' ? undefined : report;
  });

describe('a server that is told to stop in the middle of a run', () => {
  it('lets the running call end, begins nothing more, and goes on by itself when it is started again', async () => {
    await using place = await prepare();
    const first = await start(place);
    const run = await first.client.start('send, then look', {
      tasks: [call('s', 'send', { slow: true }), { ...call('l', 'look'), after: ['s'] }],
    });
    await isCalled(place, 's');
    first.child.kill('SIGTERM');
    await until(async () => ((await fetch(`${first.url}/readyz`)).status === 503 ? true : undefined));
    await expect(first.client.start('one more')).rejects.toMatchObject({ code: 'server-stopping' });
    await letGo(place);
    expect(await first.finished).toMatchObject({ code: 0, signal: null });
    const events = await place.events(run);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'task_succeeded', data: expect.objectContaining({ task: 's' }) }),
    );
    expect(events.filter(({ type }) => type === 'task_started')).toHaveLength(1);
    const second = await start(place);
    expect(await hasEnded(second.client, run)).toMatchObject({ outcome: 'answered' });
    expect(await effects(place)).toEqual(['s']);
    expect(types(await second.client.events(run))).toContain('run_resumed');
    second.child.kill('SIGTERM');
    expect((await second.finished).code).toBe(0);
  });

  it('stops all the same when the grace period is over, and then asks whether the call took effect', async () => {
    await using place = await prepare({ grace: '200ms' });
    const first = await start(place);
    const run = await first.client.start('send', { tasks: [call('s', 'send', { slow: true })] });
    await isCalled(place, 's');
    first.child.kill('SIGTERM');
    expect((await first.finished).code).toBe(0);
    const second = await start(place);
    const waiting = await hasEnded(second.client, run);
    expect(waiting).toMatchObject({ outcome: 'waiting', questions: [{ kind: 'in_doubt', task: 's' }] });
    expect(await calls(place)).toEqual(['s']);
    second.child.kill('SIGKILL');
    await second.finished;
  });
});

describe('a server that is killed', () => {
  it('makes a read again and repeats no effect, and a key still means the same run', async () => {
    await using place = await prepare();
    const first = await start(place);
    const tasks = [call('s', 'send'), { ...call('l', 'look', { slow: true }), after: ['s'] }];
    const run = await first.client.start('send, then look', { tasks, key: 'order-1' });
    await isCalled(place, 'l');
    const following = first.client.follow(run);
    const seen: number[] = [];
    for await (const news of following) {
      if (news.kind === 'event') seen.push(news.event.seq);
      if (news.kind === 'event' && news.event.type === 'task_started' && news.event.data.task === 'l') break;
    }
    first.child.kill('SIGKILL');
    await first.finished;
    await letGo(place);
    const second = await start(place);
    expect(await second.client.start('send, then look', { tasks, key: 'order-1' })).toBe(run);
    expect(await hasEnded(second.client, run)).toMatchObject({ outcome: 'answered' });
    expect(await effects(place)).toEqual(['s']);
    expect((await second.client.runs()).runs).toHaveLength(1);
    const rest = (await second.client.events(run, seen.at(-1))).map(({ seq }) => seq);
    expect([...seen, ...rest]).toEqual((await second.client.events(run)).map(({ seq }) => seq));
    second.child.kill('SIGTERM');
    expect((await second.finished).code).toBe(0);
  });
});

describe('the command line on a server', () => {
  it('does with --server what it does here, as the user of the token', async () => {
    await using place = await openPlace();
    const made = JSON.parse(
      (await place.dandori('token', '--user', 'hana', '--role', 'operator', '--json')).stdout,
    );
    const { token, sha256, user, role } = made;
    expect(token).toMatch(/^dandori_[\w-]{43}$/);
    const services = [join(import.meta.dirname, '../../../../examples/services/letters.ts')];
    const config = { mcpServers: {}, services, server: { tokens: [{ sha256, user, role }] } };
    await place.write('server.yaml', JSON.stringify(config));
    const { url, child, finished } = await start(place, '--config', 'server.yaml');
    await using other = await openPlace({ DANDORI_TOKEN: token });
    await other.write(
      'plan.json',
      JSON.stringify({
        goal: 'find',
        tasks: [{ id: 't1', operation: 'letters.find_person', args: { name: 'Hanako' } }],
      }),
    );
    const at = ['--server', url];
    const asked = await other.dandori('run', '--plan', 'plan.json', ...at);
    expect(asked).toMatchObject({ code: 3 });
    expect(asked.stderr).toContain('2 people are called "Hanako". Which one?');
    expect(asked.stderr).toContain(`dandori answer --server ${url} `);
    expect((await other.dandori('runs', ...at, '--json')).stdout).toContain('"userId":"hana"');
    expect((await other.dandori('answer', 'last', 'q1', '2', ...at)).code).toBe(0);
    expect((await other.dandori('resume', 'last', ...at)).code).toBe(0);
    const shown = JSON.parse((await other.dandori('show', 'last', '--json', ...at)).stdout);
    expect(shown).toMatchObject({ outcome: 'answered', tasks: { t1: { result: { id: 'p2' } } } });
    const log = (await other.dandori('log', 'last', '--follow', '--json', ...at)).stdout.trim().split('\n');
    expect(log.map((line) => JSON.parse(line).seq)).toEqual(log.map((_, index) => index + 1));
    expect((await other.dandori('rate', 'last', '5', ...at)).code).toBe(0);
    expect((await other.dandori('cancel', 'last', ...at)).stderr).toContain('error[run-ended]');
    expect(await other.runs()).toEqual([]);
    await using stranger = await openPlace();
    const refused = await stranger.dandori('runs', ...at);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('error[unauthorized]');
    const lost = await stranger.dandori('runs', '--server', 'http://127.0.0.1:1');
    expect(lost.stderr).toContain('error[server-unreachable]');
    child.kill('SIGINT');
    expect((await finished).code).toBe(0);
  });

  it('is not taken for another program that listens there', async () => {
    await using place = await openPlace();
    await using stranger = createServer((_, response) => void response.end('<p>Please log in.</p>'));
    stranger.listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { port } = stranger.address() as AddressInfo;
    const refused = await place.dandori('runs', '--server', `http://127.0.0.1:${port}`);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('error[server-failed]');
    expect(refused.stderr).toContain('the address of a Dandori server');
  });

  it('refuses to serve the world without tokens, in words that help', async () => {
    await using place = await openPlace();
    const refused = await place.dandori('serve', '--host', '0.0.0.0', '--port', '0');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('dandori token');
  });
});

/** What others can send: results, and schemas that the results are held against. */
const HOSTILE = `
const doubled = Object.fromEntries(Array.from({ length: 33 }, (_, n) => ['d' + n, n < 32 ? { allOf: [{ $ref: '#/$defs/d' + (n + 1) }, { $ref: '#/$defs/d' + (n + 1) }] } : {}]));
const node = { properties: { a: { $ref: '#/$defs/node' } } };
const nested = (n) => (n === 0 ? 1 : { a: nested(n - 1) });
const outputs = {
  rows: [{ type: 'object', required: ['rows'], properties: { rows: { type: 'array', uniqueItems: true } } }, { rows: Array.from({ length: 100_000 }, (_, id) => ({ id, t: ['x'] })) }],
  text: [{ type: 'object', required: ['text'], properties: { text: { type: 'string', pattern: '^(a|a)*$' } } }, { text: 'a'.repeat(50_000) + '!' }],
  words: [{ type: 'object', required: ['text'], properties: { text: { type: 'string', pattern: '\\\\\\\\w*\\\\\\\\w*\\\\\\\\w*\\\\\\\\w*\\\\\\\\w*\\\\\\\\w*!' } } }, { text: 'a'.repeat(50_000) }],
  doubled: [{ type: 'object', $ref: '#/$defs/d0', $defs: doubled }, { ok: true }],
  deep: [{ type: 'object', $ref: '#/$defs/node', $defs: { node: { allOf: [node, node] } } }, nested(200)],
};
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } }),
  'tools/list': () => ({ tools: [...Object.entries(outputs).map(([name, [outputSchema]]) => ({ name, inputSchema: { type: 'object' }, outputSchema, annotations: { readOnlyHint: true } })), { name: 'take', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] }),
  'tools/call': ({ name }) => ({ content: [], structuredContent: outputs[name]?.[1] ?? {} }),
  ping: () => ({}),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) }));
});`.replaceAll('\\\\\\\\', '\\\\');

describe('what others wrote cannot stop the server', () => {
  it('answers before, during and after, and the run has failed with a reason, also after a restart', async () => {
    await using place = await openPlace();
    const hostile = { command: process.execPath, args: ['-e', HOSTILE] };
    await place.write('dandori.yaml', JSON.stringify({ mcpServers: { hostile } }));
    const first = await start(place);
    const isWell = async (url: string) => expect((await fetch(`${url}/healthz`)).status).toBe(200);

    const doubling = Array.from({ length: 34 }, () => '[@,@]').join(' | ');
    const plan = JSON.stringify({
      tasks: [
        { id: 'a', operation: 'hostile.doubled' },
        { id: 'b', operation: 'hostile.take', args: { x: `\${a | ${doubling}}` } },
      ],
    });
    expect(await first.client.check(plan)).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'invalid-ref' }],
    });
    await isWell(first.url);

    const task = (id: string, operation: string, more: object = {}) => ({ id, operation, args: {}, ...more });
    const run = await first.client.start('try everything', {
      tasks: [
        task('rows', 'hostile.rows'),
        task('text', 'hostile.text'),
        task('words', 'hostile.words'),
        task('doubled', 'hostile.doubled'),
        task('deep', 'hostile.deep'),
        // It grows with the result only, so that no compiler can know.
        task('square', 'hostile.take', { args: { x: '${rows | map(&$.rows, rows)[].id}' } }),
      ],
    });
    await isWell(first.url);
    const report = await hasEnded(first.client, run);
    await isWell(first.url);
    expect(report.outcome).toBe('failed');
    const ends = await first.client.events(run);
    const failures = Object.fromEntries(
      ends.flatMap((event) => (event.type === 'task_failed' ? [[event.data.task, event.data.failure]] : [])),
    );
    expect(failures).toMatchObject({
      text: { kind: 'invalid_result', message: expect.stringContaining('does not match the pattern') },
      words: { kind: 'invalid_result', message: expect.stringContaining('does not match the pattern') },
      deep: { kind: 'invalid_result', message: expect.stringContaining('could not be checked') },
      square: { kind: 'invalid_args', message: expect.stringContaining('too many steps') },
    });
    expect(Object.keys(failures).sort()).toEqual(['deep', 'square', 'text', 'words']);
    first.child.kill('SIGTERM');
    await first.finished;

    const second = await start(place);
    await isWell(second.url);
    expect((await second.client.run(run)).report.outcome).toBe('failed');
    second.child.kill('SIGTERM');
    await second.finished;
  });
});

describe('a server whose runs are driven by processes of their own', () => {
  const workersOf = async ({ url, child }: Started) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const pids = [...text.matchAll(/worker="[^"]*:(\d+)"/g)].map(([, pid]) => Number(pid));
    return [...new Set(pids)].filter((pid) => pid !== child.pid);
  };
  const bothOf = (server: Started) =>
    until(async () => {
      const found = await workersOf(server);
      return found.length === 2 ? found : undefined;
    });
  const isAlive = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('goes on when one of them is killed, does nothing twice, and takes them along when it stops', async () => {
    await using place = await prepare();
    const server = await start(place, '--workers', '2');
    const { client } = server;
    const workers = await bothOf(server);
    const runs = await Promise.all(
      ['a', 'b'].map((name) => client.start(`send ${name}`, { tasks: [call(name, 'send', { slow: true })] })),
    );
    await until(async () => ((await effects(place)).length === 2 ? true : undefined));
    const named = (pid = 0) => expect.stringContaining(`process ${pid} `);
    expect((await client.workers()).workers).toMatchObject([
      { name: named(server.child.pid), role: 'serve', isThis: true, driving: 0 },
      ...workers.map((pid) => ({
        name: named(pid),
        role: 'work',
        isThis: false,
        driving: 1,
        runs: [expect.any(String)],
      })),
    ]);
    process.kill(workers[0] ?? 0, 'SIGKILL');
    // Each process drove one of the runs: only one call is in doubt.
    const [question] = await until(async () => {
      const reports = await Promise.all(runs.map(async (run) => (await client.run(run)).report));
      const open = reports.flatMap(({ run, questions }) => questions.map((one) => ({ run, ...one })));
      return open.length > 0 ? open : undefined;
    });
    expect(question).toMatchObject({ kind: 'in_doubt' });
    await letGo(place);
    const lost = question?.run ?? '';
    const kept = runs.find((run) => run !== lost) ?? '';
    expect(await hasEnded(client, kept)).toMatchObject({ outcome: 'answered' });
    await client.answer(lost, question?.id ?? '', 'happened');
    expect(await hasEnded(client, lost)).toMatchObject({ outcome: 'answered' });
    expect((await effects(place)).sort()).toEqual(['a', 'b']);
    const now = await bothOf(server);
    expect(now).not.toContain(workers[0]);
    server.child.kill('SIGTERM');
    expect(await server.finished).toMatchObject({ code: 0 });
    expect(now.filter(isAlive)).toEqual([]);
  });

  it('leaves no process behind when the server itself is killed, and the next server continues', async () => {
    await using place = await prepare();
    const first = await start(place, '--workers', '1');
    const run = await first.client.start('send, then look', {
      tasks: [call('s', 'look', { slow: true }), { ...call('l', 'look'), after: ['s'] }],
    });
    await isCalled(place, 's');
    const [worker = 0] = await workersOf(first);
    first.child.kill('SIGKILL');
    await letGo(place);
    await until(() => (isAlive(worker) ? undefined : true));
    const second = await start(place);
    expect(await hasEnded(second.client, run)).toMatchObject({ outcome: 'answered' });
    second.child.kill('SIGTERM');
    await second.finished;
  });
});
