import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Task } from '../packages/dandori/src/model/task.ts';
import type { FunctionTool } from '../packages/dandori/src/testing/function-toolbox.ts';
import { collectGarbage } from './garbage.ts';
import { type Instance, readInstances, SIMULATED, simulatedHouse } from './instances.ts';
import { median, type Row } from './row.ts';

const TASKS = 60_000;
const ROUNDS = 3;
const KILOBYTE = 1024;

/** The large workflows side by side, as often as makes 60,000 tasks of one plan: what does the engine itself cost? */
export async function engineOverhead(): Promise<Row[]> {
  const what = `engine, ${TASKS.toLocaleString('en')} tasks of real workflows`;
  const instances = readInstances('wfinstances_large_sel.jsonl');
  if (instances === undefined) return [{ what, figure: '–', note: 'the fixtures are not here' }];
  const plan = sideBySide(instances);
  const rounds: { ms: number; bytes: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(plan));
  const each = (median(rounds.map(({ ms }) => ms)) * 1000) / plan.tasks.length;
  const heap = median(rounds.map(({ bytes }) => bytes)) / plan.tasks.length / KILOBYTE;
  return [
    {
      what,
      figure: `${each.toFixed(1)} µs`,
      note: `a task, compiled and driven in simulated time; the heap grows by ${heap.toFixed(1)} kB a task`,
    },
  ];
}

interface Plan {
  readonly tasks: Task[];
  readonly tools: Record<string, FunctionTool>;
}

function sideBySide(instances: readonly Instance[]): Plan {
  const tools: Record<string, FunctionTool> = {};
  const tasks: Task[] = [];
  for (let copy = 0; tasks.length < TASKS; copy++) {
    for (const [number, { plan }] of instances.entries()) {
      const named = (id: string) => `c${copy}_${number}_${id}`;
      for (const { id, dependsOn, durationMs } of plan) {
        const operation = `work.${number}_${id}`;
        tools[operation] ??= { effect: 'read', takes: durationMs };
        tasks.push({ id: named(id), operation, args: {}, after: dependsOn.map(named) });
      }
    }
  }
  return { tasks: tasks.slice(0, TASKS), tools };
}

async function oneRound({ tasks, tools }: Plan): Promise<{ ms: number; bytes: number }> {
  const { clock, parts } = simulatedHouse(tools);
  collectGarbage();
  const { heapUsed } = process.memoryUsage();
  const start = performance.now();
  const { run } = await startRun({ goal: 'bench', settings: SIMULATED, tasks }, parts);
  const { end } = await clock.runUntil(drive(run, parts));
  const ms = performance.now() - start;
  if (end?.outcome !== 'answered') throw new Error(`The bench run ended ${end?.outcome}.`);
  collectGarbage();
  return { ms, bytes: process.memoryUsage().heapUsed - heapUsed };
}
