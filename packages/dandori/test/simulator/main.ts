import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { numbersAsked } from '../numbers-asked.ts';
import type { Simulated } from './simulation.ts';
import type { Tally } from './tally.ts';

const USAGE = `npm run simulate -- --seeds 1000 [--from 1] [--workers N] [--json]
npm run simulate -- --seed N [--json]     one of them: its faults and its last events`;

/** Seeds that a worker takes at a time. */
const PORTION = 100;
const MOST_ACCOUNTS = 5;

interface Portion {
  readonly from: number;
  readonly count: number;
}

interface Done {
  readonly tally: Tally;
  readonly failed: readonly Simulated[];
}

const asked = isMainThread ? numbersAsked(USAGE, ['seeds', 'from', 'seed', 'workers']) : undefined;
// Loaded after the arguments were read, so that a wrong one is refused at once.
const { simulate } = await import('./simulation.ts');
const { accountOf, addTallies, tallyOf } = await import('./tally.ts');
const { compare, simulateAll } = await import('./seeds.ts');
if (asked !== undefined) await main(asked);
else serve();

async function main(numbers: Exclude<typeof asked, undefined>): Promise<void> {
  const { seeds = 1000, from = 1, seed, workers: most = availableParallelism(), json } = numbers;
  if (seed !== undefined) return one(seed, json);
  const portions = portionsOf(from, seeds);
  const began = performance.now();
  const workers = Math.min(most, portions.length);
  const { tally, failed } = await all(portions, workers);
  const seconds = (performance.now() - began) / 1000;
  if (json) console.log(JSON.stringify({ ...tally, seconds, failedSeeds: failed.map(({ seed }) => seed) }));
  else {
    for (const simulated of failed.slice(0, MOST_ACCOUNTS)) console.log(`${accountOf(simulated)}\n`);
    console.log(summaryOf(tally, seconds));
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
}

async function one(seed: number, isJson: boolean): Promise<void> {
  const simulated = await compare(await simulate(seed));
  console.log(isJson ? JSON.stringify(simulated) : accountOf(simulated));
  process.exitCode = simulated.violations.length > 0 ? 1 : 0;
}

function portionsOf(from: number, count: number): Portion[] {
  return Array.from({ length: Math.ceil(count / PORTION) }, (_, index) => ({
    from: from + index * PORTION,
    count: Math.min(PORTION, count - index * PORTION),
  }));
}

/** Each worker takes the next portion when it is done with one. */
async function all(portions: readonly Portion[], workers: number): Promise<Done> {
  const waiting = [...portions];
  const done: Done[] = [];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      const worker = new Worker(new URL(import.meta.url));
      for (let portion = waiting.shift(); portion !== undefined; portion = waiting.shift()) {
        done.push(await ask(worker, portion));
        const isTenth =
          Math.floor((done.length * 10) / portions.length) >
          Math.floor(((done.length - 1) * 10) / portions.length);
        if (process.stderr.isTTY) process.stderr.write(`\r${done.length} of ${portions.length} portions`);
        else if (isTenth) process.stderr.write(`${done.length} of ${portions.length} portions\n`);
      }
      await worker.terminate();
    }),
  );
  if (process.stderr.isTTY) process.stderr.write('\n');
  return {
    tally: done.map(({ tally }) => tally).reduce(addTallies),
    failed: done.flatMap(({ failed }) => failed),
  };
}

async function ask(worker: Worker, portion: Portion): Promise<Done> {
  const answer = once(worker, 'message');
  worker.postMessage(portion);
  const [done] = await answer;
  return done;
}

function serve(): void {
  parentPort?.on('message', async ({ from, count }: Portion) => {
    const tallies: Tally[] = [];
    const failed: Simulated[] = [];
    for await (const simulated of simulateAll(from, count)) {
      tallies.push(tallyOf(simulated));
      if (simulated.violations.length > 0) failed.push(simulated);
    }
    parentPort?.postMessage({ tally: tallies.reduce(addTallies), failed } satisfies Done);
  });
}

function summaryOf({ faults, outcomes, ...tally }: Tally, seconds: number): string {
  const rows = Object.entries(tally).map(([name, count]) => `${name.padEnd(12)}${count}`);
  const list = (counts: object) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  return [
    ...rows,
    `outcomes    ${list(outcomes)}`,
    `faults      ${list(faults)}`,
    `${Math.round(tally.seeds / seconds)} seeds/s`,
  ].join('\n');
}
