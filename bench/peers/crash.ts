/**
 * The same crash for each: ten calls with an effect, one after another; the process is killed (SIGKILL) a moment after
 * each effect, and started again until all is done. How many effects were repeated, and how many are missing?
 *
 * `npm ci && npm run crash [-- --rounds 5]` in this folder.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { effectsIn, TASKS } from './effect.js';

const at = process.argv.indexOf('--rounds');
const rounds = at === -1 ? 5 : Number(process.argv[at + 1]);
/** The one that npm runs on, for which the SQLite of LangGraph was built. */
const PEER_NODE = process.env.npm_node_execpath ?? process.execPath;
/** A moment after an effect: within the call, between two, or in the next one. */
const LONGEST_MOMENT = 40;

interface Count {
  kills: number;
  repeated: number;
  missing: number;
  asked: number;
}

async function crashEverywhere(worker: readonly string[]): Promise<Count> {
  const count: Count = { kills: 0, repeated: 0, missing: 0, asked: 0 };
  for (let round = 0; round < rounds; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'dandori-peers-'));
    // Each at the same moments, so that none is luckier.
    const random = randomFrom(round + 1);
    for (let effects = 1; ; effects++) {
      const { isDone, asked } = await start(worker, folder, { effects, moment: random() * LONGEST_MOMENT });
      count.asked += asked;
      if (isDone) break;
      count.kills++;
    }
    const done = effectsIn(folder);
    count.repeated += done.length - new Set(done).size;
    count.missing += TASKS - new Set(done).size;
    await rm(folder, { recursive: true });
  }
  return count;
}

/** Kills it a moment after so many effects were done in all; an effect that is done twice counts once here. */
async function start(
  [worker = '', ...options]: readonly string[],
  folder: string,
  { effects, moment }: { effects: number; moment: number },
): Promise<{ isDone: boolean; asked: number }> {
  const child = spawn(
    worker === 'langgraph.js' ? PEER_NODE : process.execPath,
    [join(import.meta.dirname, worker), folder, ...options],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let asked = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    asked += text.split('asked').length - 1;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const stop = new AbortController();
  void ended.then(() => stop.abort());
  const kill = async () => {
    for await (const _ of watch(folder, { signal: stop.signal })) {
      if (new Set(effectsIn(folder)).size < effects) continue;
      await sleep(moment);
      child.kill('SIGKILL');
      return;
    }
  };
  await Promise.all([ended, kill().catch(() => {})]);
  return { isDone: child.exitCode === 0, asked };
}

/** mulberry32 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const PEERS = {
  'LangGraph.js 1.4.18, SQLite saver, durability sync': ['langgraph.js'],
  'Mastra 1.71.0, LibSQL store, restart': ['mastra.js'],
  'Dandori, a person looks': ['dandori.ts'],
  'Dandori, a probe looks': ['dandori.ts', 'probe'],
};
console.log(`${rounds} rounds of ${TASKS} calls, killed after each effect`);
for (const [name, worker] of Object.entries(PEERS)) {
  const { kills, repeated, missing, asked } = await crashEverywhere(worker);
  console.log(
    `${name}: ${kills} kills, ${repeated} effects repeated, ${missing} missing, ${asked} questions`,
  );
}
