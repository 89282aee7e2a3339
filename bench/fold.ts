import type { Event } from '../packages/dandori/src/model/event.ts';
import { fold } from '../packages/dandori/src/run/state/apply.ts';
import { createTemporaryJournal } from '../packages/dandori/src/testing/temporary-journal.ts';
import { SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const LARGEST = 100_000;
const SIZES = [10, 1_000, LARGEST];
const ROUNDS = 5;
/** Events before the first that count. */
const WARM = 200_000;
const RESULT = { text: 'x'.repeat(1_000) };
const FEW = 100;
const MANY = 5_000;

/** How fast a run is made again from its events, and what a task takes on the disk as a run grows. */
export async function foldSpeed(): Promise<Row[]> {
  const rows = SIZES.map((size): Row => {
    const events = eventsOf(size);
    const repeats = Math.ceil(LARGEST / events.length);
    const once = () => {
      if (fold(events)?.seq !== events.length) throw new Error('The fold has lost an event.');
    };
    for (let warm = 0; warm < WARM; warm += events.length) once();
    const times = Array.from({ length: ROUNDS }, () => {
      const start = process.cpuUsage();
      for (let repeat = 0; repeat < repeats; repeat++) once();
      return cpuMs(start);
    });
    const rate = Math.round((events.length * repeats * 1000) / median(times));
    return {
      what: `fold, ${size.toLocaleString('en')} events`,
      figure: `${rate.toLocaleString('en')}/s`,
      aim: 'aim ≥ 200,000/s',
      note: 'by CPU time',
    };
  });
  const [resumed, few, many] = [await resumeTime(), await bytesPerTask(FEW), await bytesPerTask(MANY)];
  const result = Buffer.byteLength(JSON.stringify(RESULT));
  return [
    ...rows,
    ...resumed,
    {
      what: `journal bytes a task beside its result of ${result.toLocaleString('en')}, of ${FEW} tasks`,
      figure: (few - result).toFixed(0),
    },
    {
      what: `the same, of ${MANY.toLocaleString('en')} tasks`,
      figure: (many - result).toFixed(0),
      note: `${((many - result) / (few - result)).toFixed(2)} times as many`,
    },
  ];
}

/** Of all threads of this process, the collector's too; what else the machine does counts for little. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

/** From the file to the state: read, check every line, fold. */
async function resumeTime(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) {
    await using temporary = await createTemporaryJournal();
    await temporary.journal.create('bench', eventsOf(size));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const start = process.cpuUsage();
      fold(await temporary.journal.read('bench'));
      times.push(cpuMs(start));
    }
    rows.push({
      what: `resume: read, checked and folded, ${size.toLocaleString('en')} events`,
      figure: `${median(times).toFixed(1)} ms`,
      note: 'CPU time',
    });
  }
  return rows;
}

async function bytesPerTask(tasks: number): Promise<number> {
  await using temporary = await createTemporaryJournal();
  await temporary.journal.create('bench', eventsOf(3 + 2 * tasks));
  return (await temporary.journal.size('bench')) / tasks;
}

/** A plan of the user's, and of each task a start and an end. */
function eventsOf(size: number): Event[] {
  const count = Math.floor((size - 3) / 2);
  const ids = Array.from({ length: count }, (_, index) => `t${index}`);
  const tasks = ids.map((id) => ({ id, operation: 'bench.read', args: { path: id } }));
  const facts = [
    { type: 'run_started', data: { goal: 'bench', settings: SETTINGS, mind: 'built-in', planGiven: true } },
    { type: 'plan_proposed', data: { version: 1, by: 'user', tasks } },
    { type: 'plan_approved', data: { version: 1, tasks: ids.map((id) => ({ id, effect: 'read' })) } },
    ...ids.flatMap((id) => [
      { type: 'task_started', data: { task: id, attempt: 1, key: `bench/${id}` } },
      { type: 'task_succeeded', data: { task: id, attempt: 1, result: RESULT, ms: 1 } },
    ]),
  ];
  return facts.map((fact, index) => ({ v: 2, run: 'bench', seq: index + 1, at: index, ...fact }) as Event);
}
