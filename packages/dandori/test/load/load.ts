import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '../../src/client/client.ts';
import type { Event } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import { until } from '../server/standing.ts';
import { type Child, startChild, type Used } from './child.ts';
import { type Follower, follow } from './follower.ts';

export interface Figures {
  readonly clients: number;
  readonly events: number;
  readonly ms: number;
  readonly server: Used;
  readonly plain: Used;
  /** What the server used for the same work without clients. */
  readonly unwatched?: Used;
  /** Clients that missed an event or got one twice. */
  readonly wrong: number;
}

interface Place extends AsyncDisposable {
  readonly child: Child;
  readonly client: Client;
  open(): Promise<void>;
}

/** Milliseconds for which a client may read nothing. */
const PATIENCE = 30_000;

async function openPlace(maxRuns: number, patience = PATIENCE): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-load-'));
  const config = {
    mcpServers: {},
    planning: { max_subtasks: 10_000 },
    server: { rate_limit: 1_000_000, max_streams: 1_000_000, max_runs: maxRuns },
  };
  await writeFile(join(folder, 'dandori.yaml'), JSON.stringify(config));
  const child = await startChild('dandori-server.ts', folder, String(patience));
  return {
    child,
    client: createClient({ url: child.url }),
    open: () => writeFile(join(folder, 'open'), ''),
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** All of them wait for the gate, so that everybody is there when it opens. */
function tasksOf(count: number, operation = 'load.step'): Task[] {
  const gate = { id: 'gate', operation: 'load.gate', args: { number: 0 } };
  const rest = Array.from({ length: count }, (_, number) => ({
    id: `t${number}`,
    operation,
    args: { number },
    after: ['gate'],
  }));
  return [gate, ...rest];
}

/** Many clients on one run. */
export async function manyClients(count: number, tasks: number): Promise<Figures> {
  const unwatched = await watched(0, tasks);
  const { portions, server, ms, wrong, events } = await watched(count, tasks);
  const plain = await plainly(
    Array.from({ length: count }, () => '/stream'),
    portions,
  );
  return { clients: count, events, ms, server, plain, unwatched: unwatched.server, wrong };
}

async function watched(count: number, tasks: number) {
  await using place = await openPlace(1);
  const { child, client } = place;
  const run = await client.start('many', { tasks: tasksOf(tasks) });
  await until(async () => (await client.events(run)).find(({ type }) => type === 'task_started'));
  const paths = Array.from({ length: count }, () => `/api/runs/${run}/stream?until=end`);
  const before = await child.used();
  const followers = await joinAll(child.url, paths);
  const began = performance.now();
  await place.open();
  await Promise.all(followers.map(({ ended }) => ended));
  if (count === 0) await client.settled(run);
  const ms = performance.now() - began;
  const server = difference(await child.used(), before);
  const all = await client.events(run);
  const wrong = followers.filter(({ ids }) => !isWhole(ids, all.length)).length;
  return { portions: portionsOf(all), server, ms, wrong, events: all.length };
}

/** Many runs at the same time, each with a client that watches it. */
export async function manyRuns(count: number, tasks: number): Promise<Figures> {
  await using place = await openPlace(count);
  const { child, client } = place;
  const before = await child.used();
  const began = performance.now();
  const runs = await Promise.all(
    Array.from({ length: count }, (_, number) => client.start(`run ${number}`, { tasks: tasksOf(tasks) })),
  );
  const followers = await joinAll(
    child.url,
    runs.map((run) => `/api/runs/${run}/stream?until=end`),
  );
  await place.open();
  await Promise.all(followers.map(({ ended }) => ended));
  const ms = performance.now() - began;
  const server = difference(await child.used(), before);
  const journals = await Promise.all(runs.map((run) => client.events(run)));
  const wrong = followers.filter(({ ids }, index) => !isWhole(ids, journals[index]?.length ?? 0)).length;
  const notAnswered = journals.filter((events) => events.at(-1)?.type !== 'run_finished').length;
  const plain = await plainly(
    runs.map((run) => `/${run}`),
    portionsOf(journals[0] ?? []),
  );
  const events = journals.reduce((sum, { length }) => sum + length, 0);
  return { clients: count, events, ms, server, plain, wrong: wrong + notAnswered };
}

export interface Returning {
  readonly connections: number;
  readonly events: number;
  readonly isWhole: boolean;
}

/** One client that leaves and comes back again and again while others follow and the run goes on. */
export async function returning(times: number, others: number, tasks: number): Promise<Returning> {
  await using place = await openPlace(1);
  const { child, client } = place;
  const run = await client.start('return', { tasks: tasksOf(tasks) });
  const path = `/api/runs/${run}/stream?until=end`;
  const followers = await joinAll(
    child.url,
    Array.from({ length: others }, () => path),
  );
  await place.open();
  const got: number[] = [];
  let connections = 0;
  for (; connections < times; connections++) {
    const { ids, ended } = follow(child.url, path, { after: got.length, count: 1 + (connections % 3) });
    await ended;
    got.push(...ids);
  }
  await Promise.all(followers.map(({ ended }) => ended));
  const rest = follow(child.url, path, { after: got.length });
  await rest.ended;
  got.push(...rest.ids);
  const events = (await client.events(run)).length;
  return { connections, events, isWhole: isWhole(got, events) };
}

export interface Slow {
  readonly deaf: number;
  readonly dropped: number;
  readonly megabytes: number;
  /** Of those that read. */
  readonly wrong: number;
  /** Of those that were dropped, after they came back. */
  readonly wrongAfterReturn: number;
}

/** The server drops clients that do not read. The others notice nothing, and the dropped ones reconnect for the rest. */
export async function slowClients(deaf: number, reading: number, tasks: number): Promise<Slow> {
  await using place = await openPlace(1, 5_000);
  const { child, client } = place;
  const run = await client.start('slow', { tasks: tasksOf(tasks, 'load.page') });
  await until(async () => (await client.events(run)).find(({ type }) => type === 'task_started'));
  const path = `/api/runs/${run}/stream?until=end`;
  const followers = await joinAll(
    child.url,
    Array.from({ length: reading }, () => path),
  );
  const silent = Array.from({ length: deaf }, () => follow(child.url, path, { isDeaf: true }));
  const figure = async (name: string) =>
    Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await (await fetch(`${child.url}/metrics`)).text())?.[1]);
  await until(async () => ((await figure('dandori_stream_clients')) === deaf + reading ? true : undefined));
  await place.open();
  await Promise.all(followers.map(({ ended }) => ended));
  const dropped = await until(async () => {
    const count = await figure('dandori_stream_clients_dropped');
    return count >= deaf ? count : undefined;
  });
  const all = await client.events(run);
  /** On a busy machine one that reads may be let go too. Like a browser, it comes back where it was. */
  const wholly = async ({ socket, ids, ended }: Follower) => {
    socket.resume();
    await ended;
    const got = [...ids];
    while (got.length < all.length) {
      const again = follow(child.url, path, { after: got.length });
      await again.ended;
      got.push(...again.ids);
    }
    return got;
  };
  const wrongOf = async (some: readonly Follower[]) =>
    (await Promise.all(some.map(wholly))).filter((ids) => !isWhole(ids, all.length)).length;
  return {
    deaf,
    dropped,
    megabytes: JSON.stringify(all).length / 1e6,
    wrong: await wrongOf(followers),
    wrongAfterReturn: await wrongOf(silent),
  };
}

async function joinAll(url: string, paths: readonly string[]): Promise<Follower[]> {
  const followers: Follower[] = [];
  for (let from = 0; from < paths.length; from += 100) {
    const some = paths.slice(from, from + 100).map((path) => follow(url, path));
    await Promise.all(some.map(({ joined }) => joined));
    followers.push(...some);
  }
  return followers;
}

async function plainly(paths: readonly string[], portions: string[][]): Promise<Used> {
  await using child = await startChild('plain-server.ts');
  const before = await child.used();
  const followers = await joinAll(child.url, paths);
  child.tell({ what: 'send', portions });
  await Promise.all(followers.map(({ ended }) => ended));
  return difference(await child.used(), before);
}

/** Events that were written at the same instant are sent together. */
function portionsOf(events: readonly Event[]): string[][] {
  return [...Map.groupBy(events, ({ at }) => at).values()].map((portion) =>
    portion.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`),
  );
}

function isWhole(ids: readonly number[], length: number): boolean {
  return ids.length === length && ids.every((id, index) => id === index + 1);
}

function difference(after: Used, before: Used): Used {
  return { cpu: after.cpu - before.cpu, memory: after.memory - before.memory };
}
