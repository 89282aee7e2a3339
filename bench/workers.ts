/**
 * `npm run throughput`: runs per second with several processes that drive, on PostgreSQL (`dandori work`) and on files
 * (`dandori serve --workers`), and the CPU time of each kind of process. Only ratios of one run mean something.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../packages/dandori/src/client/client.ts';
import {
  type Member,
  startDatabase,
  startMember,
  writeConfig,
} from '../packages/dandori/test/cluster/cluster.ts';
import { numbersAsked } from '../packages/dandori/test/numbers-asked.ts';

const {
  runs: RUNS = 200,
  steps: STEPS = 10,
  most = 4,
} = numbersAsked('npm run throughput -- [--runs 200] [--steps 10] [--most 4]', ['runs', 'steps', 'most']);
/** Runs that are started at the same time. */
const AT_ONCE = 20;
const COUNTS = [1, 2, 4].filter((count) => count <= most);

interface Measured {
  readonly perSecond: number;
  /** Milliseconds of CPU for each run. */
  readonly cpu: Readonly<Record<string, number>>;
}

console.log(`${RUNS} runs of ${STEPS} calls, ${AT_ONCE} started at a time\n`);
for (const count of COUNTS) print(`PostgreSQL, server and ${count} × work`, await onDatabase(count));
print('files, serve', await onFiles(0));
for (const count of COUNTS) print(`files, serve --workers ${count}`, await onFiles(count));
process.exit();

function print(what: string, { perSecond, cpu }: Measured): void {
  const parts = Object.entries(cpu).map(([kind, ms]) => `${kind} ${ms.toFixed(1)}`);
  console.log(
    `${what.padEnd(32)} ${perSecond.toFixed(1).padStart(6)} runs/s   CPU ms a run: ${parts.join(', ')}`,
  );
}

async function onDatabase(count: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-throughput-'));
  const database = await startDatabase();
  const store = { type: 'postgres', url: database.url };
  // The server only answers: a run that it starts is driven by a worker.
  const [serve, work] = [
    await writeConfig(folder, configWith({ store }, 1), 'serve'),
    await writeConfig(folder, configWith({ store }, RUNS), 'work'),
  ];
  const server = await startMember('serve', { folder, config: serve });
  const workers = await Promise.all(
    Array.from({ length: count }, () => startMember('work', { folder, config: work })),
  );
  try {
    return await measure(server, { server: [server], workers });
  } finally {
    await Promise.all([server, ...workers].map((member) => member.end('SIGTERM')));
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function onFiles(count: number): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-throughput-'));
  const config = await writeConfig(folder, configWith({}, RUNS, count));
  const server = await startMember('serve', { folder, config });
  try {
    return await measure(server, { 'server and its processes': [server] });
  } finally {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

function configWith(more: object, maxRuns: number, workers?: number): object {
  const limits = { rate_limit: 1_000_000, max_runs: maxRuns, ...(workers !== undefined && { workers }) };
  return {
    ...more,
    execution: { approval: 'never' },
    server: limits,
    mcpServers: { calc: { shipped: 'calc' } },
  };
}

/** A few runs first, so that every process has its tools and its code. */
async function measure(
  server: Member,
  kinds: Readonly<Record<string, readonly Member[]>>,
): Promise<Measured> {
  const { url = '' } = server;
  await drive(url, AT_ONCE * 2);
  const before = cpuOf(kinds);
  const began = performance.now();
  await drive(url, RUNS);
  const seconds = (performance.now() - began) / 1000;
  const after = cpuOf(kinds);
  const used = Object.entries(after).map(([kind, ms]) => [kind, (ms - (before[kind] ?? 0)) / RUNS]);
  return { perSecond: RUNS / seconds, cpu: Object.fromEntries(used) };
}

async function drive(url: string, count: number): Promise<void> {
  const client = createClient({ url });
  const tasks = Array.from({ length: STEPS }, (_, index) => ({
    id: `t${index}`,
    operation: 'calc.evaluate',
    args: { expression: `${index} + 1` },
    ...(index > 0 && { after: [`t${index - 1}`] }),
  }));
  let left = count;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await client.start('count', { tasks });
    }),
  );
  const open = async () => {
    const response = await fetch(`${url}/api/runs?status=open&limit=1`);
    return ((await response.json()) as { readonly runs: readonly unknown[] }).runs.length > 0;
  };
  while (await open()) await sleep(100);
}

/** Milliseconds of CPU of each kind of process with its children. What belongs to none of them is PostgreSQL. */
function cpuOf(kinds: Readonly<Record<string, readonly Member[]>>): Record<string, number> {
  const all = processes();
  const kindOf = (pid: number): string | undefined => {
    for (let at: number | undefined = pid; at !== undefined && at !== process.pid; at = all.get(at)?.parent) {
      const found = Object.keys(kinds).find((kind) => kinds[kind]?.some(({ child }) => child.pid === at));
      if (found !== undefined) return found;
      if (all.get(at)?.parent === process.pid) return 'PostgreSQL';
    }
    return undefined;
  };
  const sums: Record<string, number> = {};
  for (const [pid, { ms }] of all) {
    const kind = kindOf(pid);
    if (kind !== undefined) sums[kind] = (sums[kind] ?? 0) + ms;
  }
  return sums;
}

/** From `/proc`: Linux only. A tick has 10 ms. Ended children are counted with their parents. */
function processes(): Map<number, { readonly parent: number; readonly ms: number }> {
  const found = new Map<number, { parent: number; ms: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      const [, parent = 0] = fields;
      found.set(Number(name), {
        parent,
        ms: fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) * 10,
      });
    } catch {
      // The process has ended.
    }
  return found;
}
