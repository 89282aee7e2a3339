import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { median, type Row } from '../row.ts';
import { bareLoop, byFetch, byHttp, type Contender, dandori, installedPeer } from './contenders.ts';
import { bytesIn, type Cost, costOf } from './cost.ts';
import { plans } from './plans.ts';
import { waiting } from './waiting.ts';

const ROUNDS = 3;

/**
 * The library as a user calls it, against a model over HTTP, beside bare loops. Each round runs every contender, and a
 * figure is the median of the ratios within a round.
 */
export async function product(): Promise<Row[]> {
  const server = fork(join(import.meta.dirname, 'model-server.ts'), { stdio: 'inherit' });
  const [port] = (await once(server, 'message')) as [number];
  const memory = await dandori('Dandori, in memory', port);
  const durable = await dandori('Dandori, jsonl', port, { storage: 'jsonl' });
  const bare = bareLoop('bare fetch loop', byFetch(port));
  const http = bareLoop('bare node:http loop', byHttp(port));
  const synced = bareLoop('bare http loop, fdatasync per message', byHttp(port), true);
  const all = [bare, http, synced, memory, durable];
  const peers = [
    ...(await installedPeer('AI SDK', 'ai-sdk.js', port)),
    ...(await installedPeer('LangChain on LangGraph', 'langgraph.js', port)),
  ];
  try {
    for (const one of [...all, ...peers]) for (let time = 0; time < 10; time++) await one.run(steps(10));
    return [
      ...(await ratios('sequential step, 10 steps', [...all, ...peers], steps(10), 10)),
      ...(await ratios('sequential step, 50 steps', [...all, ...peers], steps(50), 50)),
      ...(await ratios('20 calls × 50 ms', [bare, http, memory, durable], '@@calls=20;ms=50;@@', 1)),
      ...(await growth(memory)),
      ...(await ratios('200 runs at once, 5 steps, 20 ms model', all, `@@turns=5;latency=20;@@`, 200, 200)),
      ...(await plans([memory, durable])),
      await written(durable),
      ...(await waiting()),
    ];
  } finally {
    for (const one of all) await one.close?.();
    server.disconnect();
  }
}

function steps(turns: number): string {
  return `@@turns=${turns};@@`;
}

/** `each`: by how much the time is divided. `atOnce`: how many runs there are. */
async function ratios(
  what: string,
  contenders: readonly Contender[],
  goal: string,
  each: number,
  atOnce = 1,
): Promise<Row[]> {
  const costs = contenders.map((): Cost[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [index, one] of contenders.entries())
      costs[index]?.push(
        await costOf(() => Promise.all(Array.from({ length: atOnce }, () => one.run(goal)))),
      );
  const ratio = (index: number, part: keyof Cost) =>
    median((costs[index] ?? []).map((cost, round) => cost[part] / (costs[0]?.[round]?.[part] ?? Number.NaN)));
  return contenders.map(({ name }, index) => {
    const ms = median((costs[index] ?? []).map((cost) => cost.ms)) / each;
    const cpu = median((costs[index] ?? []).map((cost) => cost.cpu)) / each;
    return {
      what: `${what}: ${name}`,
      figure: `${ratio(index, 'ms').toFixed(2)}×`,
      note: `CPU ${ratio(index, 'cpu').toFixed(2)}×; ${ms.toFixed(2)} ms, ${cpu.toFixed(2)} ms CPU each`,
    };
  });
}

/** Whether a step costs more the longer the run is. */
async function growth(one: Contender): Promise<Row[]> {
  const short = await costOf(() => one.run(steps(50)));
  const long = await costOf(() => one.run(steps(500)));
  return [
    {
      what: 'CPU a step, 500 steps ÷ 50 steps, in memory',
      figure: `${(long.cpu / 500 / (short.cpu / 50)).toFixed(2)}×`,
      note: `${((long.cpu * 1000) / 500).toFixed(0)} µs a step of 500`,
    },
  ];
}

async function written(one: Contender & { readonly folder: string }): Promise<Row> {
  const before = bytesIn(one.folder);
  await one.run('@@turns=50;size=1024;@@');
  return {
    what: 'bytes stored a step (1 kB results)',
    figure: ((bytesIn(one.folder) - before) / 50).toFixed(0),
    aim: '≤ 1,750',
  };
}
