import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Event } from '../packages/dandori/src/model/event.ts';
import type { Task } from '../packages/dandori/src/model/task.ts';
import { openBenchHouse, SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const dataSync = promisify(fdatasync);
const STEPS = 300;
const ROUNDS = 11;
const RESULT = { text: 'x'.repeat(200) };

/**
 * A chain of tasks with every event on disk, against a loop that makes the same writes and nothing else. A disk has
 * moods, so each round measures the loop before and behind the engine, and the round in the middle counts.
 */
export async function durableStep(): Promise<Row[]> {
  await oneRound(); // Warms up the compiler and the disk.
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound());
  const ratios = rounds.map(({ engine, bare }) => engine / bare);
  const step = median(rounds.map(({ engine }) => engine / STEPS));
  return [
    {
      what: 'durable step ÷ bare loop with the same fdatasync’d writes',
      figure: `${median(ratios).toFixed(2)}×`,
      aim: 'aim ≤ 1.30×',
      note: `${(step * 1000).toFixed(0)} µs a step; ${least(ratios)} to ${most(ratios)}`,
    },
    {
      what: 'journal bytes a task (200-byte results)',
      figure: `${Math.round((rounds[0]?.bytes ?? 0) / STEPS)}`,
    },
  ];
}

const least = (ratios: readonly number[]) => `${Math.min(...ratios).toFixed(2)}×`;
const most = (ratios: readonly number[]) => `${Math.max(...ratios).toFixed(2)}×`;

interface Round {
  readonly engine: number;
  readonly bare: number;
  readonly bytes: number;
}

/** What the last round wrote; every round writes as much. */
let batches: readonly (readonly Event[])[] = [];

async function oneRound(): Promise<Round> {
  await using house = await openBenchHouse({ 'bench.step': { effect: 'write', run: () => RESULT } });
  const tasks: Task[] = Array.from({ length: STEPS }, (_, index) => ({
    id: `t${index}`,
    operation: 'bench.step',
    args: index === 0 ? { text: 'first' } : { text: `\${t${index - 1}.text}` },
  }));
  const { run } = await startRun({ goal: 'bench', settings: SETTINGS, tasks }, house.parts);
  const before = await timed(() => bareLoop(join(house.directory, 'before.jsonl')));
  const engine = await timed(async () => {
    const { end } = await drive(run, house.parts);
    if (end?.outcome !== 'answered') throw new Error(`The bench run ended ${end?.outcome}.`);
  });
  batches = house.batches;
  const behind = await timed(() => bareLoop(join(house.directory, 'behind.jsonl')));
  const { size } = await stat(join(house.directory, `${run}.jsonl`));
  return { engine, bare: (before + behind) / 2, bytes: size };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function bareLoop(path: string): Promise<void> {
  const file = openSync(path, 'w');
  for (const events of batches) {
    await Promise.resolve(RESULT);
    writeSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await dataSync(file);
  }
  closeSync(file);
}
