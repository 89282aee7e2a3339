import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parts } from '../packages/dandori/src/driver/parts.ts';
import { createMemoryBlobs, createMemoryJournal } from '../packages/dandori/src/store/in-memory.ts';
import {
  createFunctionToolbox,
  type FunctionTool,
} from '../packages/dandori/src/testing/function-toolbox.ts';
import { createScriptedMind } from '../packages/dandori/src/testing/scripted-mind.ts';
import { createStepClock, type StepClock } from '../packages/dandori/src/testing/step-clock.ts';
import { SETTINGS } from './house.ts';

const FIXTURES = join(import.meta.dirname, '../../shared/fixtures');

/** A real scientific workflow that others have recorded. */
export interface Instance {
  readonly id: string;
  readonly plan: readonly { id: string; dependsOn: readonly string[]; durationMs: number }[];
  readonly meta: { readonly criticalPathMs: number };
}

/** Undefined where the fixtures are not here. */
export function readInstances(file: string): Instance[] | undefined {
  const path = join(FIXTURES, file);
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Instance);
}

/** For simulated time, which has no limits. */
export const SIMULATED = {
  ...SETTINGS,
  limits: { ...SETTINGS.limits, time: 1e12 },
  task: { ...SETTINGS.task, timeoutMs: 1e12 },
};

/** The real engine in simulated time, with nothing on disk. */
export function simulatedHouse(tools: Record<string, FunctionTool>): { clock: StepClock; parts: Parts } {
  const clock = createStepClock();
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, tools),
    mind: createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]),
    check: () => [],
    secrets: [],
    driver: 'bench',
  };
  return { clock, parts };
}
