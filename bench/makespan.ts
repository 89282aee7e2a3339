import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Task } from '../packages/dandori/src/model/task.ts';
import { openBenchHouse, SETTINGS } from './house.ts';
import { median, type Row } from './row.ts';

const LAYERS = 5;
const WIDTH = 20;
/** Long enough for a timer's own millisecond not to count. */
const TAKES = 100;

/** 100 tasks in five layers of twenty, each waiting for three of the layer before: how near to the longest path? */
export async function makespan(): Promise<Row[]> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round++) ratios.push((await oneRound()) / (LAYERS * TAKES));
  return [
    {
      what: 'makespan ÷ critical path, 100 tasks',
      figure: `${median(ratios).toFixed(3)}×`,
      aim: 'aim ≤ 1.05×',
    },
  ];
}

async function oneRound(): Promise<number> {
  await using house = await openBenchHouse({
    'bench.read': { effect: 'read', takes: TAKES, run: () => ({ text: 'x' }) },
  });
  const tasks: Task[] = [];
  for (let layer = 0; layer < LAYERS; layer++) {
    for (let index = 0; index < WIDTH; index++) {
      const from = (offset: number) => `\${l${layer - 1}_${(index + offset) % WIDTH}.text}`;
      tasks.push({
        id: `l${layer}_${index}`,
        operation: 'bench.read',
        args: layer === 0 ? {} : { a: from(0), b: from(1), c: from(7) },
      });
    }
  }
  const { run } = await startRun({ goal: 'bench', settings: SETTINGS, tasks }, house.parts);
  const start = performance.now();
  await drive(run, house.parts);
  return performance.now() - start;
}
