import { availableParallelism } from 'node:os';
import { newId, readAttachments } from '../commands/index.ts';
import { type Config, type ConfigInput, isConfigKey, type Layer, loadConfig } from '../config/index.ts';
import type { Conversation } from '../conversation/index.ts';
import type { Counted, CountOptions, RunQuestion } from '../history/index.ts';
import type { AiModel, Mind } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import { DandoriError, messageOf } from '../model/error.ts';
import type { Event, Live } from '../model/event.ts';
import type { Examined } from '../model/finding.ts';
import { isObject, type Json } from '../model/json.ts';
import type { StandingApproval } from '../model/question.ts';
import type { Task } from '../model/task.ts';
import { nearest } from '../model/text.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import type { ConversationSummary, RunSummary, Store } from '../store/index.ts';
import type { GivenTools, Toolbox } from '../tools/index.ts';
import type { Report } from '../views/report.ts';
import {
  type ConversationOptions,
  type OpenOptions,
  openRuntime,
  type Runtime,
  systemClock,
} from './dandori.ts';
import type { OnQuestion, Run } from './run.ts';
import type { Page } from './run-client.ts';
import { createRun, type Leave } from './run-handle.ts';
import { createRunListeners } from './run-listeners.ts';
import {
  checkRun,
  type OutputOf,
  outputSchema,
  type RunOptions,
  readOutput,
  type YieldedOf,
} from './run-options.ts';

/**
 * The keys of `dandori.yaml` by their names, and the values that only a program has. A `dandori.yaml` in the
 * folder is read too; what the program passes wins.
 */
export interface DandoriOptions extends Omit<ConfigInput, 'model' | 'store'>, Observers {
  /** A model of the AI SDK, `provider/name`, the section of the file, or a mind of your own. */
  readonly model?: AiModel | Mind | ConfigInput['model'];
  /** Functions, tools of the AI SDK, results of `tool`, and services, by name. A list, if each has a name of its own. */
  readonly tools?: GivenTools | undefined;
  /** Used instead of all tools, servers and services. `close` closes it too. */
  readonly toolbox?: Toolbox;
  /**
   * So many processes drive the runs, so that more than one core is used. Their tools are those of `servers` and of the
   * modules in `services`, because functions stay in this process.
   */
  readonly workers?: number;
  /** Where runs are stored: a store, or the section of the file. Default: files in `.dandori/runs`. */
  readonly store?: Store | ConfigInput['store'];
  /** A file, the contents of one, or what `loadConfig` returned. Default: `dandori.yaml` in `cwd`, if it exists. */
  readonly config?: string | ConfigInput | Config;
  readonly cwd?: string;
  readonly clock?: Clock;
}

interface Observers extends Pick<OpenOptions, 'onEvent' | 'onLive' | 'onWarning' | 'onUntraced' | 'onTorn'> {
  /** Answers the questions of runs in place. */
  readonly onQuestion?: OnQuestion;
}

/** All of Dandori in one process. Close it, or its servers keep the process alive. */
export interface Dandori extends AsyncDisposable {
  readonly config: Config;
  /** The name of the model: `provider/name`, or `built-in`. */
  readonly model: string;
  /** Starts a run and returns its handle at once. */
  run<const Options extends RunOptions = Record<never, never>>(
    goal: string,
    options?: Options,
  ): Run<OutputOf<Options>, YieldedOf<Options>>;
  /** The handle of an existing run, also of one that another process started. `by`: the user who acts. */
  open(run: string, options?: { readonly by?: string; readonly onQuestion?: OnQuestion }): Run<Json>;
  /** Newest first. */
  runs(page?: Page): Promise<RunSummary[]>;
  /** The open questions of the newest 1,000 open runs. */
  questions(): Promise<RunQuestion[]>;
  /** The approvals that the user gave for good. */
  approvals(options?: { readonly user?: string }): Promise<StandingApproval[]>;
  revokeApproval(id: string, options?: { readonly user?: string }): Promise<void>;
  /** Compiles a plan and runs nothing. */
  check(tasks: readonly Task[]): Promise<Compiled>;
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  /** Opens the conversation with this id, or a new one. */
  conversation(id?: string, options?: ConversationOptions): Promise<Conversation>;
  conversations(page?: Page): Promise<ConversationSummary[]>;
  statistics(options?: CountOptions): Promise<Counted>;
  doctor: (options?: Parameters<Runtime['doctor']>[0]) => Promise<Examined>;
  prune: Runtime['prune'];
  /** Lets the running calls finish, for at most `grace` milliseconds. Runs can be continued later. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

export async function openDandori(options: DandoriOptions = {}): Promise<Dandori> {
  if (typeof options !== 'object' || options === null)
    throw new DandoriError('usage', 'openDandori takes one object.', {
      fix: "Write openDandori({ model: 'openai/gpt-5-mini', tools: { … } }).",
    });
  const { onQuestion, onEvent, onLive, onWarning, onUntraced, onTorn, tools = {}, ...given } = options;
  const {
    model,
    toolbox,
    store: where,
    config: written,
    cwd,
    clock = systemClock,
    workers = 0,
    ...rest
  } = given;
  checkWorkers(options);
  refuseMisspelt(Object.keys(rest));
  const store = typeof where === 'object' && !('type' in where) ? where : undefined;
  const sections = { ...rest, ...(store === undefined && { store: where as ConfigInput['store'] }) };
  const config = await configOf({ written, cwd, model, sections, hasTools: options.tools !== undefined });
  const listeners = createRunListeners((run, isFollowed) => pool?.follow(run, isFollowed));
  const tellEvent = harmless('onEvent', onEvent);
  const tellLive = harmless('onLive', onLive);
  const mind = await mindOf(model, config);
  const heard = {
    onEvent(event: Event) {
      listeners.publish(event);
      tellEvent(event);
    },
    onLive(live: Live) {
      listeners.publish(live);
      tellLive(live);
    },
    ...(onUntraced !== undefined && { onUntraced }),
    ...(onTorn !== undefined && { onTorn }),
  };
  const services = await (await import('../tools/program-tools.ts')).servicesOf(tools);
  const tellsAll = onEvent !== undefined || onLive !== undefined;
  const isFollowed = (run: string) => tellsAll || listeners.isAny(run);
  const pool =
    workers === 0
      ? undefined
      : (await import('./worker-pool.ts')).createWorkerPool({
          count: workers,
          config,
          tellsAll,
          isFollowed,
          eventsOf: (run, after) => runtime.events(run, after),
          ...heard,
        });
  const opening = openRuntime({
    config,
    services,
    clock,
    ...(mind !== undefined && { mind }),
    ...(toolbox !== undefined && { toolbox }),
    ...(store !== undefined && { store }),
    ...(onWarning !== undefined && { onWarning }),
    ...heard,
    isFollowed: (run) => onEvent !== undefined || listeners.isAny(run),
    ...(pool !== undefined && { driveElsewhere: pool.drive }),
  });
  const runtime = await opening.catch(async (error: unknown) => {
    await pool?.close();
    throw error;
  });
  // Otherwise the first runs would all go to the process that is ready first.
  await pool?.ready().catch(async (error: unknown) => {
    await pool.close();
    await runtime.close();
    throw error;
  });
  // A driver tells only what comes after the start.
  const onStart = onEvent && ((first: readonly Event[]) => first.forEach(tellEvent));
  const driven = new Set<Leave>();
  const common = {
    runtime,
    listeners,
    onDriving: (leave: Leave, isDriving: boolean) =>
      void (isDriving ? driven.add(leave) : driven.delete(leave)),
  };
  let isClosed = false;
  const close: Dandori['close'] = async (leaving) => {
    isClosed = true;
    await Promise.all([...driven].map((leave) => leave(leaving?.grace)));
    await pool?.close();
    await runtime.close(leaving);
  };
  return {
    config,
    model: runtime.mindName,
    run<const Options extends RunOptions>(goal: string, runOptions?: Options) {
      checkRun(goal, runOptions);
      // Its servers are gone, so that every call would fail.
      if (isClosed)
        throw new DandoriError('usage', 'Dandori is closed, and starts no more runs.', {
          fix: 'Await the output of the runs before close().',
        });
      const {
        live = false,
        onQuestion: own,
        output,
        signal,
        attachments = [],
        ...starting
      }: RunOptions = runOptions ?? {};
      const id = newId(clock.now());
      return createRun<OutputOf<Options>, YieldedOf<Options>>({
        ...common,
        id,
        live,
        by: starting.userId,
        signal,
        onQuestion: own ?? onQuestion,
        start: async () =>
          runtime.start(goal, {
            ...starting,
            run: id,
            ...(onStart !== undefined && { onStart }),
            output: outputSchema(output),
            attachments: await readAttachments(attachments),
          }),
        toOutput: async (report) => (await readOutput(report, output)) as OutputOf<Options>,
      });
    },
    open(id, { by, onQuestion: own } = {}) {
      if (typeof id !== 'string')
        throw new DandoriError('usage', 'dandori.open takes the id of a run.', {
          fix: 'Pass run.id, or an id that dandori.runs() lists.',
        });
      return createRun<Json, Event>({
        ...common,
        id,
        live: false,
        by,
        onQuestion: own ?? onQuestion,
        toOutput: (report: Report) => (report.output ?? report.answer) as Json,
      });
    },
    runs: runtime.runs,
    questions: () => runtime.questions(),
    approvals: runtime.approvals,
    revokeApproval: runtime.revokeApproval,
    check: (tasks) => runtime.check(tasks),
    tools: runtime.tools,
    missing: runtime.missing,
    conversation: runtime.conversation,
    conversations: runtime.conversations,
    statistics: runtime.statistics,
    doctor: runtime.doctor,
    prune: runtime.prune,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/**
 * The same callback, which does not throw. A bug in it must not stop a run, whose calls would be in doubt, nor fail
 * the call or the decision that it is told about.
 */
function harmless<T>(name: string, callback: (one: T) => void = () => {}): (one: T) => void {
  let hasWarned = false;
  return (one) => {
    try {
      callback(one);
    } catch (error) {
      if (!hasWarned) process.emitWarning(`${name} threw: ${messageOf(error)}`, 'DandoriWarning');
      hasWarned = true;
    }
  };
}

const MOST_WORKERS = 64;

/** What a program passes by value exists in its own process only. */
function checkWorkers({ workers = 0, tools = {}, model, toolbox, store, clock }: DandoriOptions): void {
  if (!Number.isInteger(workers) || workers < 0 || workers > MOST_WORKERS)
    throw new DandoriError('usage', `openDandori: workers is a number from 0 to ${MOST_WORKERS}.`, {
      fix: `Write workers: ${availableParallelism()}, one for each core.`,
    });
  if (workers === 0) return;
  const own: Readonly<Record<string, boolean>> = {
    tools: Object.keys(tools).length > 0,
    model: isMind(model) || isAiModel(model),
    toolbox: toolbox !== undefined,
    store: isObject(store) && !('type' in store),
    clock: clock !== undefined,
  };
  const [name] = Object.entries(own).find(([, isGiven]) => isGiven) ?? [];
  if (name === undefined) return;
  throw new DandoriError(
    'usage',
    `openDandori: ${name} stays in this process, and workers are other processes.`,
    {
      fix: FOR_WORKERS[name] ?? 'Leave it out, or leave out workers.',
    },
  );
}

const FOR_WORKERS: Readonly<Record<string, string>> = {
  tools:
    "Put them into a module with `export default defineService({ … })`, and pass services: ['./tools.ts'].",
  model: "Name it: model: 'openai/gpt-5-mini', or pass the section of the file.",
  store: 'Name it as the file does: planning.history.directory, or store: { type: postgres, url }.',
};

/** The options that no file has. */
const ONLY_HERE: Readonly<Record<Exclude<keyof DandoriOptions, keyof ConfigInput>, true>> = {
  tools: true,
  toolbox: true,
  workers: true,
  config: true,
  cwd: true,
  clock: true,
  onEvent: true,
  onLive: true,
  onQuestion: true,
  onWarning: true,
  onUntraced: true,
  onTorn: true,
};

/** The keys of a file have hints of their own, which know nothing of these options. */
function refuseMisspelt(keys: readonly string[]): void {
  for (const key of keys.filter((one) => !isConfigKey(one))) {
    const near = nearest(key, Object.keys(ONLY_HERE));
    if (near !== undefined)
      throw new DandoriError('usage', `Unknown option "${key}" of openDandori.`, {
        fix: `Did you mean ${near}?`,
      });
  }
}

interface ConfigSources {
  readonly written: DandoriOptions['config'];
  readonly cwd: string | undefined;
  readonly model: DandoriOptions['model'];
  readonly sections: Omit<ConfigInput, 'model'>;
  readonly hasTools: boolean;
}

const ORIGIN = 'openDandori';

async function configOf({ written, cwd, model, sections, hasTools }: ConfigSources): Promise<Config> {
  const isInstance = isObject(model) && ![Object.prototype, null].includes(Object.getPrototypeOf(model));
  if (typeof model === 'function' || (isInstance && isSection(model)))
    throw new DandoriError('usage', 'openDandori: model is no model of the AI SDK.', {
      fix: "Pass openai('gpt-5-mini') of @ai-sdk/openai, 'openai/gpt-5-mini', or a Mind of your own.",
    });
  const named = typeof model === 'string' || isSection(model) ? { model } : {};
  const values = { ...sections, ...named };
  if (isLoaded(written)) {
    const [key] = Object.entries(values).find(([, value]) => value !== undefined) ?? [];
    if (key === undefined) return written;
    throw new DandoriError('usage', `openDandori: ${key} cannot be passed beside a loaded config.`, {
      fix: 'Pass it to loadConfig({ layers }), or pass what the file contains as `config`.',
    });
  }
  const layers: Layer[] = [
    ...(isObject(written) ? [{ origin: `${ORIGIN}: config`, values: { ...written } }] : []),
    { origin: ORIGIN, values },
  ];
  const isOwn = model !== undefined && !('model' in named);
  return loadConfig({
    cwd,
    layers,
    ...(typeof written === 'string' && { file: written }),
    ...(isObject(written) && { file: null }),
    // A model object needs no key of the file's model.
    without: isOwn ? ['model'] : [],
    demo: model === undefined && !hasTools,
  });
}

function isLoaded(config: DandoriOptions['config']): config is Config {
  return isObject(config) && 'settings' in config && 'secrets' in config;
}

function isMind(model: unknown): model is Mind {
  return isObject(model) && typeof model.think === 'function';
}

function isAiModel(model: unknown): model is AiModel {
  return isObject(model) && typeof model.doStream === 'function' && typeof model.modelId === 'string';
}

function isSection(model: DandoriOptions['model']): boolean {
  return model !== undefined && !isMind(model) && !isAiModel(model);
}

/** Undefined for the model of the configuration. */
async function mindOf(model: DandoriOptions['model'], { instructions }: Config): Promise<Mind | undefined> {
  if (isMind(model)) return model;
  if (!isAiModel(model)) return undefined;
  const { createLanguageMind } = await import('../mind/language/mind.ts');
  const { givenModel } = await import('../mind/language/options.ts');
  return createLanguageMind({ ...givenModel(model), instructions });
}
