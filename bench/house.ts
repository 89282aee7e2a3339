import { systemClock } from '../packages/dandori/src/driver/clock.ts';
import type { Parts } from '../packages/dandori/src/driver/parts.ts';
import type { Event } from '../packages/dandori/src/model/event.ts';
import type { Settings } from '../packages/dandori/src/model/settings.ts';
import type { Journal } from '../packages/dandori/src/store/journal.ts';
import {
  createFunctionToolbox,
  type FunctionTool,
} from '../packages/dandori/src/testing/function-toolbox.ts';
import { createScriptedMind } from '../packages/dandori/src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../packages/dandori/src/testing/temporary-journal.ts';

export const SETTINGS: Settings = {
  mode: 'planned',
  approval: 'never',
  concurrency: 1000,
  limits: { steps: 10, calls: 10, tasks: 1_000_000, time: 3_600_000 },
  task: { timeoutMs: 60_000, attempts: 1, backoff: 100 },
  repairs: 0,
  order: [],
};

export interface BenchHouse extends AsyncDisposable {
  readonly parts: Parts;
  readonly directory: string;
  /** What was written at once, in order: the same can be written by a bare loop. */
  readonly batches: readonly (readonly Event[])[];
}

/** The real engine on the real journal and the real clock; only the tools and the mind are made up. */
export async function openBenchHouse(tools: Record<string, FunctionTool>): Promise<BenchHouse> {
  const temporary = await createTemporaryJournal();
  const batches: (readonly Event[])[] = [];
  const journal: Journal = {
    ...temporary.journal,
    append(run, after, events) {
      batches.push(events);
      return temporary.journal.append(run, after, events);
    },
  };
  const parts: Parts = {
    journal,
    blobs: temporary.blobs,
    clock: systemClock,
    toolbox: createFunctionToolbox(systemClock, tools),
    mind: createScriptedMind([[{ operation: 'answer', args: { text: 'done' } }]]),
    check: () => [],
    secrets: [],
    driver: 'bench',
  };
  return {
    parts,
    directory: temporary.directory,
    batches,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}
