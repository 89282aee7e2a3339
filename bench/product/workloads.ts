import { collectGarbage } from '../garbage.ts';
import { median } from '../row.ts';
import type { Contender } from './contenders.ts';
import { bytesIn, type Cost, costOf, peakMemory } from './cost.ts';
import { countWrites } from './count-writes.ts';
import { expectCalls } from './work.ts';

/** What a process measures of one contender. The keys are chosen by the workload. */
export type Figures = Readonly<Record<string, number>>;

interface Given {
  open(): Promise<Contender>;
  /** How long or how much. */
  readonly size: number;
  /** Port of the language model. */
  readonly model: number;
}

/** Each runs in a fresh process. */
export const WORKLOADS = { steps, callsAtOnce, runsAtOnce, plan, written, waiting, parked } satisfies Record<
  string,
  (given: Given) => Promise<Figures>
>;

export const STEP_COUNTS = [10, 50, 200, 500];

/** Steps one after another, in runs of up to `longest` steps. */
async function steps({ open, size: longest }: Given): Promise<Figures> {
  const one = await open();
  const run = (count: number) => expectCalls(count, () => one.run(`@@turns=${count};@@`));
  for (let time = 0; time < 40; time++) await run(10);
  const figures: Record<string, number> = {};
  for (const count of STEP_COUNTS.filter((length) => length <= (one.longest ?? longest))) {
    const costs = await repeat(Math.ceil(250 / count), () => run(count));
    figures[`ms${count}`] = costs.ms / count;
    figures[`cpu${count}`] = costs.cpu / count;
  }
  return figures;
}

/** A turn with many calls of 50 ms. */
async function callsAtOnce({ open, size: calls }: Given): Promise<Figures> {
  const one = await open();
  const run = (ms: number) => expectCalls(calls, () => one.run(`@@calls=${calls};ms=${ms};@@`));
  for (let time = 0; time < 5; time++) await run(5);
  return { ...(await repeat(7, () => run(50))) };
}

/** Runs of five steps, with a model that takes 20 ms for each answer. */
async function runsAtOnce({ open, size: runs }: Given): Promise<Figures> {
  const one = await open();
  const run = (count: number) =>
    expectCalls(5 * count, () =>
      Promise.all(Array.from({ length: count }, () => one.run('@@turns=5;latency=20;@@'))),
    );
  for (let time = 0; time < 3; time++) await run(20);
  const { ms, cpu } = await costOf(() => run(runs));
  return { perSecond: (runs / ms) * 1000, cpu: cpu / runs, peak: peakMemory() };
}

/** A given plan without work: layers of ten reads, each after two of the layer before. */
async function plan({ open, size }: Given): Promise<Figures> {
  const one = await open();
  const tasks = Array.from({ length: size }, (_, index) => {
    const above = Math.floor(index / 10) * 10 - 10;
    const after = [above + (index % 10), above + ((index + 1) % 10)].map((task) => `t${task}`);
    return { id: `t${index}`, operation: 'work', args: { ms: 0, size: 2 }, ...(above >= 0 && { after }) };
  });
  const run = () => expectCalls(size, async () => one.runPlan?.(tasks));
  await run();
  const { ms, cpu } = await repeat(5, run);
  return { us: (ms / size) * 1000, cpu: (cpu / size) * 1000 };
}

/** Bytes written and syncs a step, with results of 1 kB. */
async function written({ open, size: count }: Given): Promise<Figures> {
  const counted = await countWrites();
  const one = await open();
  const { folder } = one;
  if (folder === undefined) throw new Error('It writes no files.');
  const run = (steps: number) => expectCalls(steps, () => one.run(`@@turns=${steps};size=1024;@@`));
  await run(10);
  const before = { ...counted, stored: bytesIn(folder) };
  await run(count);
  const bytes = counted.bytes - before.bytes;
  const stored = bytesIn(folder) - before.stored;
  if (bytes < stored) throw new Error(`${stored} bytes are stored, and only ${bytes} were counted.`);
  return { bytes: bytes / count, syncs: (counted.syncs - before.syncs) / count };
}

/** The heap that a run takes while it waits for the first word of the model, in kB. */
async function waiting({ open, size: runs, model }: Given): Promise<Figures> {
  const one = await open();
  let started = 0;
  const start = (count: number) =>
    new Promise((resolve, reject) => {
      for (let index = 0; index < count; index++) one.run(`@@hold=${process.pid};@@`).catch(reject);
      started += count;
      fetch(`http://127.0.0.1:${model}/held/${process.pid}/${started}`).then(resolve, reject);
    });
  return { heap: await heapOf(start, { before: 50, runs }) };
}

/** The heap that a run takes while it waits for a person and the program has let go of it, in kB. */
async function parked({ open, size: runs }: Given): Promise<Figures> {
  const { park } = await open();
  if (park === undefined) throw new Error('It cannot wait for a person.');
  const start = (count: number) => Promise.all(Array.from({ length: count }, () => park('@@turns=1;@@')));
  return { heap: await heapOf(start, { before: runs, runs }) };
}

async function repeat(times: number, run: () => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let time = 0; time < times; time++) costs.push(await costOf(run));
  return { ms: median(costs.map(({ ms }) => ms)), cpu: median(costs.map(({ cpu }) => cpu)) };
}

/** What `start` leaves on the heap for each run. The runs before have made what is made once. */
async function heapOf(
  start: (runs: number) => Promise<unknown>,
  { before, runs }: { before: number; runs: number },
): Promise<number> {
  await start(before);
  const empty = await heap();
  await start(runs);
  return ((await heap()) - empty) / runs / 1024;
}

/** In bytes. Some callbacks run only in the turn after a collection, and free more. */
async function heap(): Promise<number> {
  for (let turn = 0; turn < 5; turn++) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
