import { closeSync, fdatasync, openSync, writeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Event } from '../packages/dandori/src/domain/event.ts';
import type { Task } from '../packages/dandori/src/domain/task.ts';
import { drive } from '../packages/dandori/src/engine/drive.ts';
import { startRun } from '../packages/dandori/src/engine/inbox.ts';
import { openBenchHouse, SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const dataSync = promisify(fdatasync);
const STEPS = 300;
const ROUNDS = 7;
const RESULT = { text: 'x'.repeat(200) };

/** A chain of tasks with every event on disk, against a loop that makes the same writes and nothing else. */
export async function durableStep(): Promise<Row[]> {
  const ratios: number[] = [];
  const ours: number[] = [];
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = await oneRound();
    bytes = measured.bytes;
    // The first round warms up the compiler and the disk.
    if (round === 0) continue;
    ratios.push(measured.engine / measured.bare);
    ours.push(measured.engine / STEPS);
  }
  return [
    {
      what: 'durable step ÷ bare loop with the same fdatasync’d writes',
      figure: `${median(ratios).toFixed(2)}×`,
      aim: 'aim ≤ 1.30×',
      note: `${(median(ours) * 1000).toFixed(0)} µs a step`,
    },
    { what: 'journal bytes a task (200-byte results)', figure: `${Math.round(bytes / STEPS)}` },
  ];
}

async function oneRound(): Promise<{ engine: number; bare: number; bytes: number }> {
  await using house = await openBenchHouse({ 'bench.step': { effect: 'write', run: () => RESULT } });
  const tasks: Task[] = Array.from({ length: STEPS }, (_, index) => ({
    id: `t${index}`,
    operation: 'bench.step',
    args: index === 0 ? { text: 'first' } : { text: `\${t${index - 1}.text}` },
  }));
  const run = await startRun({ goal: 'bench', settings: SETTINGS, tasks }, house.parts);
  const engineStart = performance.now();
  const state = await drive(run, house.parts);
  const engine = performance.now() - engineStart;
  if (state.end?.outcome !== 'answered') throw new Error(`The bench run ended ${state.end?.outcome}.`);
  const { size } = await stat(join(house.directory, `${run}.jsonl`));
  const bareStart = performance.now();
  await bareLoop(join(house.directory, 'bare.jsonl'), house.batches);
  return { engine, bare: performance.now() - bareStart, bytes: size };
}

async function bareLoop(path: string, batches: readonly (readonly Event[])[]): Promise<void> {
  const file = openSync(path, 'w');
  for (const events of batches) {
    await Promise.resolve(RESULT);
    writeSync(file, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    await dataSync(file);
  }
  closeSync(file);
}
