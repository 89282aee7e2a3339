import { hostname } from 'node:os';
import { join } from 'node:path';
import { createFileBlobs } from './adapters/blobs/files.ts';
import { createMemoryBlobs } from './adapters/blobs/memory.ts';
import { systemClock } from './adapters/clock/system.ts';
import { createJsonlJournal } from './adapters/journal/jsonl.ts';
import { createMemoryJournal } from './adapters/journal/memory.ts';
import { createSchemaCheck } from './adapters/schema/ajv.ts';
import type { Service } from './adapters/tools/service.ts';
import { loadServices } from './adapters/tools/service-module.ts';
import { createToolbox } from './adapters/tools/toolbox.ts';
import type { Config } from './config/config.ts';
import { loadConfig } from './config/load.ts';
import { fold } from './core/apply.ts';
import { type Compiled, compile } from './core/compile.ts';
import { worstCase } from './core/estimate.ts';
import { withOwnTools } from './core/own-tools.ts';
import { type Report, report } from './core/report.ts';
import { DandoriError } from './domain/error.ts';
import type { Event } from './domain/event.ts';
import type { Json } from './domain/json.ts';
import type { Mode } from './domain/mode.ts';
import type { Task } from './domain/task.ts';
import type { Tool } from './domain/tool.ts';
import { drive } from './engine/drive.ts';
import { createDurations } from './engine/durations.ts';
import { answerQuestion, cancelRun, startRun } from './engine/inbox.ts';
import type { Live } from './engine/live.ts';
import type { Parts } from './engine/parts.ts';
import { createBuiltInMind } from './mind/built-in/planner.ts';
import { createLanguageMind } from './mind/language/mind.ts';
import type { Clock } from './ports/clock.ts';
import type { Journal, RunSummary } from './ports/journal.ts';
import type { Mind } from './ports/mind.ts';
import type { MissingServer, Toolbox } from './ports/toolbox.ts';

export interface OpenOptions {
  /** A `dandori.yaml`; without it the one in `cwd`, and without that the defaults. */
  readonly configFile?: string;
  readonly cwd?: string;
  /** A configuration that is already loaded. */
  readonly config?: Config;
  readonly services?: readonly Service[];
  /** In place of the configured model. */
  readonly mind?: Mind;
  readonly journal?: Journal;
  /** In place of all servers and services. It is closed with this. */
  readonly toolbox?: Toolbox;
  /** In place of the system's. */
  readonly clock?: Clock;
  /** False leaves the servers alone, for who only reads or cancels. */
  readonly tools?: boolean;
  readonly onEvent?: (event: Event) => void;
  readonly onLive?: (live: Live) => void;
}

export interface RunOptions {
  readonly mode?: Mode;
  readonly userId?: string;
  /** A plan of your own: the mind is asked for no other. */
  readonly tasks?: readonly Task[];
}

/** The whole of Dandori in one process. Close it, or its servers keep the process alive. */
export interface Dandori extends AsyncDisposable {
  readonly config: Config;
  readonly mindName: string;
  /** Starts a run and drives it until it has ended or a person is needed. */
  run(goal: string, options?: RunOptions): Promise<Report>;
  /** Writes the run down without driving it. */
  start(goal: string, options?: RunOptions): Promise<string>;
  drive(run: string): Promise<Report>;
  answer(run: string, question: string, answer: Json): Promise<void>;
  cancel(run: string, reason: string): Promise<void>;
  report(run: string): Promise<Report>;
  events(run: string, after?: number): Promise<Event[]>;
  /** Calls back when somebody has written to the run. */
  watch(run: string, changed: () => void): () => void;
  runs(options?: { limit?: number; before?: string }): Promise<RunSummary[]>;
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  /** Compiles a plan without running it. */
  check(tasks: readonly Task[]): Promise<Compiled>;
  close(): Promise<void>;
}

export async function openDandori(options: OpenOptions = {}): Promise<Dandori> {
  const config = options.config ?? (await configFor(options));
  const check = createSchemaCheck();
  const toolbox = await openToolbox(config, options, check);
  const store = openStore(config, options);
  const parts: Parts = {
    ...store,
    durations: createDurations(store.journal),
    clock: options.clock ?? systemClock,
    toolbox,
    mind: options.mind ?? createMind(config),
    check,
    secrets: config.secrets,
    driver: `process ${process.pid} on ${hostname()}`,
    onEvent: options.onEvent,
    onLive: options.onLive,
  };
  return assemble(config, parts);
}

function configFor({ configFile, cwd = process.cwd(), tools }: OpenOptions): Promise<Config> {
  // Who only reads runs needs no key and no server.
  return loadConfig({ file: configFile, cwd, env: process.env, use: tools === false ? 'read' : 'run' });
}

function assemble(config: Config, parts: Parts): Dandori {
  const { journal, toolbox } = parts;
  const reportOf = async (run: string) => {
    const state = fold(await journal.read(run));
    if (state === undefined) throw new DandoriError('journal-damaged', `The run ${run} has no events.`);
    return report(state);
  };
  const start = (goal: string, { mode, userId, tasks }: RunOptions = {}) =>
    startRun(
      {
        goal,
        tasks,
        userId: userId ?? config.userId,
        settings: { ...config.settings, ...(mode && { mode }) },
      },
      parts,
    );
  const dandori: Dandori = {
    config,
    mindName: parts.mind.name,
    start,
    drive: async (run) => report(await drive(run, parts)),
    run: async (goal, runOptions) => dandori.drive(await start(goal, runOptions)),
    answer: (run, question, answer) => answerQuestion({ run, question, answer }, parts),
    cancel: (run, reason) => cancelRun({ run, reason }, parts),
    report: reportOf,
    events: (run, after) => journal.read(run, after),
    watch: (run, changed) => journal.watch(run, changed),
    runs: (listOptions) => journal.list(listOptions),
    tools: () => toolbox.tools(),
    missing: () => toolbox.missing(),
    check: (tasks) => compileWith(tasks, config, parts),
    close: () => toolbox.close(),
    [Symbol.asyncDispose]: () => toolbox.close(),
  };
  return dandori;
}

async function compileWith(tasks: readonly Task[], { settings }: Config, parts: Parts): Promise<Compiled> {
  const { toolbox, check, durations } = parts;
  await durations?.load();
  const { limits, task, order } = settings;
  const budget = { ms: limits.time, cost: limits.cost, timeout: task.timeout, attempts: task.attempts };
  const compiled = compile(tasks, {
    tools: withOwnTools(toolbox.tools()),
    missing: new Map(toolbox.missing().map(({ server, reason }) => [server, reason])),
    check,
    mode: 'planned',
    order,
    maxTasks: Number.POSITIVE_INFINITY,
    done: new Map(),
    budget,
    expectedMs: durations?.expected,
  });
  if (!compiled.ok) return compiled;
  return { ...compiled, warnings: [...compiled.warnings, ...worstCase(compiled.estimate(), budget)] };
}

/** No model configured is no error: the built-in planner does what it can and says what it cannot. */
function createMind({ model, instructions }: Config): Mind {
  return model === undefined ? createBuiltInMind() : createLanguageMind({ ...model, instructions });
}

function openStore(config: Config, { journal }: OpenOptions): Pick<Parts, 'journal' | 'blobs'> {
  if (journal !== undefined) return { journal, blobs: createMemoryBlobs() };
  if (config.planning.history.storageType === 'memory')
    return { journal: createMemoryJournal(), blobs: createMemoryBlobs() };
  return {
    journal: createJsonlJournal(config.directory),
    blobs: createFileBlobs(join(config.directory, 'blobs')),
  };
}

async function openToolbox(
  config: Config,
  options: OpenOptions,
  schemaCheck: Parts['check'],
): Promise<Toolbox> {
  if (options.tools === false) return EMPTY_TOOLBOX;
  if (options.toolbox !== undefined) return options.toolbox;
  const { mcpServers, effects, secrets } = config;
  const services = [...(await loadServices(config.services)), ...(options.services ?? [])];
  return createToolbox({ mcpServers, services, effects, schemaCheck, secrets });
}

const EMPTY_TOOLBOX: Toolbox = {
  tools: () => new Map(),
  missing: () => [],
  call: async ({ operation }) => ({
    kind: 'failed',
    failure: { kind: 'unavailable', message: `${operation} is not connected.` },
  }),
  close: async () => {},
};
