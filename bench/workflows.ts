import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryBlobs } from '../packages/dandori/src/adapters/blobs/memory.ts';
import { createMemoryJournal } from '../packages/dandori/src/adapters/journal/memory.ts';
import type { Task } from '../packages/dandori/src/domain/task.ts';
import { drive } from '../packages/dandori/src/engine/drive.ts';
import { startRun } from '../packages/dandori/src/engine/inbox.ts';
import type { Parts } from '../packages/dandori/src/engine/parts.ts';
import { createFunctionToolbox } from '../packages/dandori/src/testing/function-toolbox.ts';
import { createScriptedMind } from '../packages/dandori/src/testing/scripted-mind.ts';
import { createStepClock } from '../packages/dandori/src/testing/step-clock.ts';
import { SETTINGS } from './house.ts';
import type { Row } from './row.ts';

const FILE = join(import.meta.dirname, '../../shared/fixtures/wfinstances_small.jsonl');

interface Instance {
  readonly id: string;
  readonly plan: readonly { id: string; dependsOn: readonly string[]; durationMs: number }[];
  readonly meta: { readonly criticalPathMs: number };
}

/** Real scientific workflows on the step clock, a family each: makespan against the longest path. */
export async function workflows(): Promise<Row[]> {
  if (!existsSync(FILE))
    return [{ what: 'workflows of others', figure: '–', note: 'the fixtures are not here' }];
  const instances = readFileSync(FILE, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Instance);
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
  const clock = createStepClock();
  const takes = new Map(plan.map(({ id, durationMs }) => [id, durationMs]));
  const definitions = Object.fromEntries(
    plan.map(({ id }) => [`work.${id}`, { effect: 'read' as const, takes: takes.get(id) ?? 0 }]),
  );
  const tasks: Task[] = plan.map(({ id, dependsOn }) => ({
    id,
    operation: `work.${id}`,
    args: {},
    after: [...dependsOn],
  }));
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, definitions),
    mind: createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]),
    check: () => [],
    secrets: [],
    driver: 'bench',
  };
  const settings = {
    ...SETTINGS,
    concurrency: 1_000_000,
    limits: { ...SETTINGS.limits, time: 1e12 },
    task: { ...SETTINGS.task, timeout: 1e12 },
  };
  const run = await startRun({ goal: 'bench', settings, tasks }, parts);
  const start = clock.now();
  await clock.runUntil(drive(run, parts));
  return clock.now() - start;
}
