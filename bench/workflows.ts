import { startRun } from '../packages/dandori/src/commands/start.ts';
import { drive } from '../packages/dandori/src/driver/drive.ts';
import type { Task } from '../packages/dandori/src/model/task.ts';
import { type Instance, readInstances, SIMULATED, simulatedHouse } from './instances.ts';
import type { Row } from './row.ts';

/** Real scientific workflows on the step clock, a family each: makespan against the longest path. */
export async function workflows(): Promise<Row[]> {
  const instances = readInstances('wfinstances_small.jsonl');
  if (instances === undefined)
    return [{ what: 'workflows of others', figure: '–', note: 'the fixtures are not here' }];
  const families = Map.groupBy(instances, ({ id }) => id.split('-')[1] ?? id);
  const rows: Row[] = [];
  for (const [family, members] of families) {
    let worst = 0;
    for (const instance of members)
      worst = Math.max(worst, (await makespan(instance)) / instance.meta.criticalPathMs);
    rows.push({
      what: `makespan ÷ critical path, ${family}`,
      figure: `${worst.toFixed(3)}×`,
      aim: 'aim ≤ 1.01×',
      note: `${members.length} workflows, simulated time`,
    });
  }
  return rows;
}

async function makespan({ plan }: Instance): Promise<number> {
  const tools = Object.fromEntries(
    plan.map(({ id, durationMs }) => [`work.${id}`, { effect: 'read' as const, takes: durationMs }]),
  );
  const tasks: Task[] = plan.map(({ id, dependsOn }) => ({
    id,
    operation: `work.${id}`,
    args: {},
    after: [...dependsOn],
  }));
  const { clock, parts } = simulatedHouse(tools);
  const settings = { ...SIMULATED, concurrency: 1_000_000 };
  const { run } = await startRun({ goal: 'bench', settings, tasks }, parts);
  const start = clock.now();
  await clock.runUntil(drive(run, parts));
  return clock.now() - start;
}
