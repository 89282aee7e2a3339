import { expect } from 'vitest';
import { startRun } from '../../../src/commands/start.ts';
import { systemClock } from '../../../src/driver/clock.ts';
import { drive } from '../../../src/driver/drive.ts';
import type { Parts } from '../../../src/driver/parts.ts';
import type { Settings } from '../../../src/model/settings.ts';
import type { Action } from '../../../src/model/task.ts';
import { brokenLaws } from '../../../src/run/laws.ts';
import type { RunState } from '../../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../../src/store/in-memory.ts';
import { createFunctionToolbox, type FunctionTool } from '../../../src/testing/function-toolbox.ts';
import {
  type ModelReply,
  type ModelServer,
  type RecordedRequest,
  startModelServer,
} from '../../../src/testing/model-server/index.ts';
import type { Toolbox } from '../../../src/tools/toolbox.ts';
import { mind } from './asking.ts';
import { settings } from './thought.ts';

const servers: ModelServer[] = [];

/** To be called after each test. */
export async function closeRuns(): Promise<void> {
  for (const server of servers.splice(0)) await server.close();
}

/** The test's own record of requests would grow with the run. */
export function forgetRequests(): void {
  for (const { requests } of servers) (requests as RecordedRequest[]).length = 0;
}

/** All that a provider's cache looks at. */
export function promptOf({ body }: RecordedRequest): string {
  return JSON.stringify([body.response_format, body.tools, body.messages]).slice(0, -2);
}

export interface WholeRun {
  readonly turns: number;
  readonly goal?: string;
  readonly tools: Record<string, FunctionTool>;
  /** What to do at a turn; from `turns` on the answer is given. */
  readonly act: (
    turn: number,
    request: RecordedRequest,
  ) => Pick<Action, 'id' | 'operation' | 'args' | 'step'>[];
  readonly dialect?: 'json' | 'tools';
  readonly mode?: Settings['mode'];
  readonly context?: Settings['context'];
  /** Puts something between the engine and the tools. */
  readonly wrap?: (toolbox: Toolbox) => Toolbox;
  readonly seen?: (request: RecordedRequest, turn: number) => void;
}

/** A whole run through the engine, the language mind and real HTTP. */
export async function run({
  turns,
  tools,
  act,
  context,
  seen,
  wrap = (toolbox) => toolbox,
  dialect = 'json',
  mode = 'adaptive',
  goal = 'Find all the places, one after the other.',
}: WholeRun): Promise<{ state: RunState; parts: Parts }> {
  const server = await startModelServer((request, index): ModelReply => {
    seen?.(request, index);
    const answer = { id: 'done', operation: 'answer', args: { text: 'done', achieved: true } };
    const actions: ReturnType<WholeRun['act']> = index < turns ? act(index, request) : [answer];
    if (dialect === 'json')
      return { content: { reasoning: `This is step ${index}.`, actions }, chunkSize: 4_096 };
    const toolCalls = actions.map(({ operation, args, step }) => ({
      name: operation.replaceAll('.', '_'),
      arguments: { ...args, ...(step !== undefined && { _task: { step } }) },
    }));
    return { toolCalls };
  });
  servers.push(server);
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock: systemClock,
    toolbox: wrap(createFunctionToolbox(systemClock, tools)),
    mind: mind(server, { dialect }),
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  const limits = { steps: 1_000, calls: 1_000, tasks: 10_000, time: 600_000 };
  const own: Settings = { ...settings, mode, limits, ...(context && { context }) };
  const { run: id } = await startRun({ goal, settings: own }, parts);
  const state = await drive(id, parts);
  expect(brokenLaws(await parts.journal.read(id))).toEqual([]);
  expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
  return { state, parts };
}
