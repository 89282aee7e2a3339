import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startRun } from '../../dandori/src/commands/start.ts';
import { drive } from '../../dandori/src/driver/drive.ts';
import type { Event } from '../../dandori/src/model/event.ts';
import type { Settings } from '../../dandori/src/model/settings.ts';
import type { Task } from '../../dandori/src/model/task.ts';
import { fold } from '../../dandori/src/run/state/apply.ts';
import type { RunState } from '../../dandori/src/run/state/state.ts';
import { createJsonlJournal } from '../../dandori/src/store/files/journal.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../dandori/src/store/in-memory.ts';
import {
  createFunctionToolbox,
  createScriptedMind,
  createStepClock,
  type FunctionTool,
  type Reply,
} from '../../dandori/src/testing/index.ts';
import { createSchemaCheck } from '../../dandori/src/tools/schema/check.ts';
import { settingsWith } from '../../dandori/test/settings.ts';

export interface Lived {
  readonly events: readonly Event[];
  readonly state: RunState;
}

const SETTINGS = settingsWith({
  mode: 'planned',
  concurrency: 4,
  limits: { tasks: 5_000, time: 6_000_000 },
  planning: {
    strategy: 'plan_and_solve',
    decomposition: 'moderate',
    reflection: { onError: true, interval: 100 },
    revisions: 3,
  },
});

const TOOLS: Readonly<Record<string, FunctionTool>> = {
  'books.find': { takes: 20, run: () => ({ title: 'tea' }) },
  'shelf.read': { takes: 10, run: () => ({ title: 'tea' }) },
  'shelf.put': { effect: 'write', takes: 30, run: () => ({ title: 'tea' }) },
};

export interface Living {
  readonly tasks?: readonly Task[];
  readonly replies?: readonly Reply[];
  readonly tools?: Readonly<Record<string, FunctionTool>>;
  readonly settings?: Partial<Settings>;
}

/** Runs the real engine with a simulated clock. */
export async function live({ tasks, replies = [], tools = {}, settings = {} }: Living): Promise<Lived> {
  const clock = createStepClock(1_800_000_000_000);
  const parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, { ...TOOLS, ...tools }),
    mind: createScriptedMind(replies, 'scripted/model'),
    check: createSchemaCheck(),
    secrets: [],
    driver: 'test',
  };
  const started = { goal: 'read', settings: { ...SETTINGS, ...settings }, ...(tasks && { tasks }) };
  const { run } = await startRun(started, parts);
  await clock.runUntil(drive(run, parts));
  return livedFrom(await parts.journal.read(run));
}

function livedFrom(events: readonly Event[]): Lived {
  const state = fold(events);
  if (state === undefined) throw new Error('A run has events.');
  return { events, state };
}

export const ANSWER: Reply = [{ operation: 'answer', args: { text: 'done', achieved: true } }];

const KEPT = new URL('../../dandori/test/journals/', import.meta.url);

/** The kept journals of a version. */
export async function keptRuns(version = '0.1.0'): Promise<Map<string, Lived>> {
  const folder = fileURLToPath(new URL(version, KEPT));
  const journal = createJsonlJournal(folder);
  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.jsonl') ? [file.slice(0, -6)] : []));
  const runs = await Promise.all(
    names.map(async (name) => [name, livedFrom(await journal.read(name))] as const),
  );
  return new Map(runs);
}
