import { expect } from 'vitest';
import type { Answering } from '../../src/commands/answer.ts';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { cancelRun } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { replayRun } from '../../src/history/replay.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import { normalise } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Task } from '../../src/model/task.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import {
  createFunctionToolbox,
  type FunctionTool,
  type FunctionToolbox,
} from '../../src/testing/function-toolbox.ts';
import { createScriptedMind, type Reply, type ScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createStepClock, type StepClock } from '../../src/testing/step-clock.ts';
import { report } from '../../src/views/report.ts';
import { settingsWith } from '../settings.ts';

export const SETTINGS = settingsWith();

export interface House {
  readonly clock: StepClock;
  readonly toolbox: FunctionToolbox;
  readonly mind: ScriptedMind;
  readonly parts: Parts;
  start(goal: string, tasks?: readonly Task[], settings?: Partial<Settings>): Promise<string>;
  /** Drives on the step clock, checks the laws of the journal that came out, and proves it by replaying it. */
  drive(run: string, parts?: Partial<Parts>): Promise<RunState>;
  events(run: string): Promise<Event[]>;
  answer(run: string, question: string, answer: Json, how?: Partial<Answering>): Promise<void>;
  cancel(run: string, reason: string): Promise<void>;
  run(goal: string, tasks?: readonly Task[], settings?: Partial<Settings>): Promise<RunState>;
}

/** A whole engine on a step clock, a scripted mind and function tools. They are trusted if they do not say otherwise. */
export function createHouse(
  tools: Record<string, FunctionTool>,
  script: readonly Reply[] = [],
  parts: Partial<Parts> = {},
): House {
  const clock = createStepClock();
  const toolbox = createFunctionToolbox(clock, trusting(tools));
  const mind = createScriptedMind(script);
  const whole: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock,
    toolbox,
    mind,
    check: () => [],
    secrets: [],
    driver: 'test',
    ...parts,
  };
  const house: House = {
    clock,
    toolbox,
    mind,
    parts: whole,
    start: async (goal, tasks, settings) =>
      (await startRun({ goal, tasks, settings: { ...SETTINGS, ...settings } }, whole)).run,
    events: (run) => whole.journal.read(run),
    answer: (run, question, answer, how) => answerQuestion({ run, question, answer, ...how }, whole),
    cancel: (run, reason) => cancelRun({ run, reason }, whole),
    async drive(run, other = {}) {
      const parts = { ...whole, ...other };
      const state = await clock.runUntil(drive(run, parts));
      expect(brokenLaws(await parts.journal.read(run))).toEqual([]);
      // What was written live is what the journal alone gives again, and each fact of it could not have been another.
      const replayed = await replayRun(run, {}, parts);
      expect(replayed.differences).toEqual([]);
      expect(replayed.report).toEqual(normalise(report(state)));
      return state;
    },
    async run(goal, tasks, settings) {
      return house.drive(await house.start(goal, tasks, settings));
    },
  };
  return house;
}

export function task(id: string, operation: string, more: Partial<Task> = {}): Task {
  return { id, operation, args: {}, ...more };
}

/** How often each kind of event happened. */
export function count(events: readonly Event[], type: Event['type']): number {
  return events.filter((event) => event.type === type).length;
}

export const DONE: readonly Reply[] = [[{ operation: 'answer', args: { text: 'done' } }]];

function trusting(tools: Record<string, FunctionTool>): Record<string, FunctionTool> {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, { trusted: true, ...tool }]));
}
