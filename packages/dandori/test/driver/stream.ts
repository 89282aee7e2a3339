import { startRun } from '../../src/commands/start.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { createLanguageMind } from '../../src/mind/language/mind.ts';
import type { Event, Live } from '../../src/model/event.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { type ModelReply, type ModelServer, startModelServer } from '../../src/testing/model-server/index.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import type { Call, Toolbox } from '../../src/tools/toolbox.ts';
import { SETTINGS } from './house.ts';

/** Something to wait for that a test lets happen by hand. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** The model stops when it has written this and goes on when the gate is open. */
export function holdAt(text: string, gate: Gate): (written: string) => unknown {
  return (written) => (written.includes(text) ? gate.opened : undefined);
}

export interface Stream extends AsyncDisposable {
  readonly parts: Parts;
  readonly server: ModelServer;
  readonly live: readonly Live[];
  /** Every call so far, in order. */
  readonly calls: readonly Call[];
  /** Resolves when a call for this task is made, or has been. */
  called(task: string): Promise<Call>;
  /** The same for its end. */
  ended(task: string): Promise<Call>;
  /** Calls for this task do not end before the gate is open, unless they are told to stop. */
  hold(task: string): Gate;
  start(settings?: Partial<Settings>): Promise<string>;
  drive(run: string): Promise<RunState>;
  events(run: string): Promise<Event[]>;
}

/** The engine with a language mind behind real HTTP, and tools that begin and end when a test says so. */
export async function openStream(
  tools: Record<string, FunctionTool>,
  replies: readonly ModelReply[],
  parts: Partial<Parts> = {},
): Promise<Stream> {
  const server = await startModelServer(replies, { chunkSize: 4 });
  const live: Live[] = [];
  const made: Call[] = [];
  const marks = new Map<string, PromiseWithResolvers<Call>>();
  const mark = (name: string) => {
    const known = marks.get(name) ?? Promise.withResolvers<Call>();
    marks.set(name, known);
    return known;
  };
  const holds = new Map<string, Gate>();
  const functions = createFunctionToolbox(systemClock, tools);
  const toolbox: Toolbox = {
    ...functions,
    async call(call) {
      made.push(call);
      mark(`called ${call.task}`).resolve(call);
      const stopped = new Promise<void>((resolve) =>
        call.signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      const hold = holds.get(call.task);
      if (hold !== undefined) await Promise.race([hold.opened, stopped]);
      const outcome = await functions.call(call);
      mark(`ended ${call.task}`).resolve(call);
      return outcome;
    },
  };
  const mind = createLanguageMind({ provider: 'openai-compatible', name: 'test', baseUrl: server.url });
  const whole: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock: systemClock,
    toolbox,
    mind,
    check: createSchemaCheck(),
    secrets: [],
    driver: 'test',
    onLive: (one) => live.push(one),
    ...parts,
  };
  return {
    parts: whole,
    server,
    live,
    calls: made,
    called: (task) => mark(`called ${task}`).promise,
    ended: (task) => mark(`ended ${task}`).promise,
    hold(task) {
      const gate = createGate();
      holds.set(task, gate);
      return gate;
    },
    start: async (settings) => {
      const given = { ...SETTINGS, streamDispatch: true, ...settings };
      return (await startRun({ goal: 'go', settings: given }, whole)).run;
    },
    drive: (run) => drive(run, whole),
    events: (run) => whole.journal.read(run),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
