import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  addBudget,
  addNote,
  answerQuestion,
  approve,
  cancelRun,
  checkUser,
  continueRun,
  type Pruned,
  type PruneOptions,
  pauseRun,
  pruneRuns,
  rateRun,
  reject,
} from '../commands/index.ts';
import { type Config, loadConfig, type UserConfigWarning, type UserSettings } from '../config/index.ts';
import type { Conversation, ConversationParts } from '../conversation/index.ts';
import {
  createResults,
  drive,
  type Parts,
  readPart,
  type StopSignals,
  systemClock,
} from '../driver/index.ts';
import { countKeptRuns, countRuns, createDurations, createQuestionList } from '../history/all-runs.ts';
import type { HistoryFiles, Lifted, RunQuestion } from '../history/index.ts';
import type { Mind } from '../mind/index.ts';
import type { Clock } from '../model/clock.ts';
import type { ConversationEvent } from '../model/conversation.ts';
import { DandoriError, runNotFound } from '../model/error.ts';
import type { Event, Live } from '../model/event.ts';
import type { Examined, Finding } from '../model/finding.ts';
import { type Json, type JsonObject, normalise } from '../model/json.ts';
import { redact, shown } from '../model/redact.ts';
import type { Task } from '../model/task.ts';
import { issueText } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { compileEdit } from '../run/drafts/edit.ts';
import { breaches } from '../run/laws.ts';
import { foldRun, noEvents } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import { asShown, sealingOf, withOpenedCheck } from '../secrets/index.ts';
import { type DoctorOptions, foldersOf, type StoreFolders } from '../store/implementations.ts';
import {
  type Approvals,
  type Blobs,
  type Bus,
  type Dispatcher,
  type Journal,
  ownerOf,
  type RunSummary,
  type Store,
  type TornTail,
} from '../store/index.ts';
import type { Telemetry } from '../telemetry/index.ts';
import type { Service, Toolbox } from '../tools/index.ts';
import { createSchemaCheck } from '../tools/schema/check.ts';
import { type Report, report } from '../views/report.ts';
import type { ResultPart, ResultRange } from '../views/result-page.ts';
import {
  compileWith,
  createMind,
  createMinds,
  type OpenStore,
  openMemory,
  openStore,
  openTelemetry,
  openToolbox,
  openUserSettings,
} from './open.ts';
import type { RunClient } from './run-client.ts';
import { createStarter, type StartOptions } from './start-runs.ts';
import { createSubGoals } from './sub-goals.ts';

export type { Examined, Finding, RunSummary, StartOptions, StopSignals, TornTail };

export { systemClock };

/** Rooms that a run in the foreground does not enter. */
const history = () => import('../history/index.ts');
const conversing = () => import('../conversation/index.ts');

export interface OpenOptions {
  /** Path of a `dandori.yaml`. By default the one in `cwd`; if that is missing, the defaults apply. */
  readonly configFile?: string;
  readonly cwd?: string;
  /** `provider/name`, instead of the configured model. */
  readonly model?: string | undefined;
  /** A configuration that is already loaded. */
  readonly config?: Config;
  readonly services?: readonly Service[];
  /** Used instead of the configured model. */
  readonly mind?: Mind;
  /** Used instead of the configured store. The four parts that keep something are required. */
  readonly store?: Store;
  /** Used instead of all configured servers and services. `close` closes it too. */
  readonly toolbox?: Toolbox;
  /** Used instead of the system clock. */
  readonly clock?: Clock;
  /** If false, no tool servers are started. For a caller that only reads or cancels. */
  readonly tools?: boolean;
  /** Drives runs in another process instead of this one. */
  readonly driveElsewhere?: (run: string, leaving: StopSignals) => Promise<Report | undefined>;
  readonly onEvent?: (event: Event) => void;
  /** Whether `onEvent` is called with the events of this run. By default it is. */
  readonly isFollowed?: (run: string) => boolean;
  readonly onLive?: (live: Live) => void;
  /** Called if the configuration of a user is missing or invalid. The run starts anyway. */
  readonly onWarning?: (warning: UserConfigWarning) => void;
  /** Called if traces could not be sent. Runs continue anyway. */
  readonly onUntraced?: (detail: string) => void;
  /**
   * Called if a crash has left an incomplete line at the end of a journal. The complete lines before it are
   * used.
   */
  readonly onTorn?: (tail: TornTail) => void;
}

export interface ConversationOptions {
  /** The owner of a new conversation, instead of the configured user. */
  readonly userId?: string;
  /**
   * For a new conversation: a second call by the same user with the same key returns the same conversation.
   */
  readonly key?: string;
  /**
   * Called for each run that can continue, instead of driving it at once. The callee must call the
   * conversation's `drive`.
   */
  readonly wake?: (run: string, conversation: string) => void;
}

/** All of Dandori in one process. Close it, or its servers keep the process alive. */
export interface Runtime extends RunClient {
  readonly config: Config;
  readonly mindName: string;
  /** Starts a run and drives it until it has ended or a person is needed. */
  run(goal: string, options?: StartOptions): Promise<Report>;
  drive(run: string, leaving?: StopSignals): Promise<Report>;
  /** Looks for damage, and repairs what the options name. */
  doctor(options?: Omit<DoctorOptions, 'now'>): Promise<Examined>;
  /** Removes runs that ended long ago, and the large results that no other run uses. */
  prune(options: PruneOptions): Promise<Pruned>;
  conversation(id?: string, options?: ConversationOptions): Promise<Conversation>;
  conversationEvents(id: string, after?: number): Promise<ConversationEvent[]>;
  /** Calls back when something was written to the conversation. */
  watchConversation(id: string, changed: () => void): () => void;
  /** Compiles a plan: by itself, or as an edit of a run in its current or an earlier state. */
  check(tasks: readonly Task[], within?: { readonly run: string; readonly at?: number }): Promise<Compiled>;
  /** A part of a result, even if the result is stored in a blob. */
  result(run: string, task: string, wanted: ResultRange): Promise<ResultPart>;
  /** The first event, without reading the rest. */
  firstEvent(run: string): Promise<Event>;
  /** The open questions of one run, of the newest open runs, or of those of one user. */
  questions(run?: string, userId?: string): Promise<RunQuestion[]>;
  /** The user whose run or conversation it is. */
  ownerOf(kind: 'run' | 'conversation', id: string): Promise<string | undefined>;
  /** Says which process drives which run. */
  readonly dispatcher: Dispatcher;
  /** Passes live messages to other processes of the store. */
  readonly bus: Bus | undefined;
  /** Lets the running calls of conversations finish, for at most `grace` milliseconds. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

/** Why a value does not match a JSON Schema, such as that of a form field. Undefined if it matches. */
export function schemaProblem(schema: JsonObject, value: Json): string | undefined {
  const [issue] = createSchemaCheck()(schema, normalise(value));
  return issue && issueText(issue);
}

export async function openRuntime(options: OpenOptions = {}): Promise<Runtime> {
  const config = options.config ?? (await configFor(options));
  const check = createSchemaCheck();
  // Opened before the tool servers start, because an incomplete store is refused.
  const store = await openStore(config, options);
  const memory = await openMemory(config);
  const toolbox = await openToolbox(config, { ...options, memory }, check).catch(async (error: unknown) => {
    await store.close?.();
    throw error;
  });
  const telemetry = await openTelemetry(config, {
    journal: asShown(store.journal),
    onUntraced: options.onUntraced,
  });
  const folders = foldersOf(store);
  const historyFiles = await openHistoryFiles(config, { folders, journal: store.journal });
  const parts: Parts = {
    journal: store.journal,
    blobs: store.blobs,
    ...(store.storeKey && { storeKey: store.storeKey }),
    approvals: store.approvals,
    durations: createDurations(store.journal),
    clock: options.clock ?? systemClock,
    toolbox,
    ...(memory && { memory }),
    mind: options.mind ?? (await createMind(config)),
    check,
    secrets: config.secrets,
    driver: `process ${process.pid} on ${hostname()}`,
    // Otherwise the planning history would read the journal once more.
    ...(historyFiles && { onOpened: (events) => events.forEach(historyFiles.event) }),
    onEvent(written) {
      historyFiles?.event(written);
      if (telemetry === undefined && options.isFollowed?.(written.run) === false) return;
      const event = shown(written);
      telemetry?.event(event);
      options.onEvent?.(event);
    },
    onLive: (live) => options.onLive?.(redact(live, config.secrets)),
  };
  const userSettings = openUserSettings(config, { clock: parts.clock, onWarning: options.onWarning });
  const mindFor = createMinds(config, parts.mind);
  const goals = createSubGoals({ parts, mindFor });
  return assemble(
    config,
    { ...parts, ...store, goals },
    {
      userSettings,
      mindFor,
      folders,
      telemetry,
      historyFiles,
      store,
      driveElsewhere: options.driveElsewhere,
    },
  );
}

function configFor({ configFile, cwd = process.cwd(), tools, model }: OpenOptions): Promise<Config> {
  // Reading runs needs no API key and no tool server.
  const layers = model === undefined ? [] : [{ origin: '--model', values: { model } }];
  return loadConfig({
    file: configFile,
    cwd,
    env: process.env,
    layers,
    use: tools === false ? 'read' : 'run',
  });
}

interface Arranged {
  readonly userSettings: UserSettings;
  readonly mindFor: ConversationParts['mindFor'];
  readonly folders: StoreFolders;
  readonly telemetry: Pick<Telemetry, 'event' | 'close'> | undefined;
  readonly historyFiles: HistoryFiles | undefined;
  readonly store: Pick<OpenStore, 'close' | 'dispatcher' | 'bus' | 'counts' | 'examine'>;
  readonly driveElsewhere: OpenOptions['driveElsewhere'];
}

function assemble(
  config: Config,
  parts: Parts & Pick<ConversationParts, 'conversations' | 'keys'> & { readonly approvals: Approvals },
  { userSettings, mindFor, folders, telemetry, historyFiles, store, driveElsewhere }: Arranged,
): Runtime {
  const { toolbox, conversations } = parts;
  // Readers see `[secret]`. Only driving, forking and verifying work on the sealed journal.
  const journal = asShown(parts.journal);
  const opened = new Set<Conversation>();
  const eventsOf = async (run: string, after = 0) => {
    const events = await journal.read(run, after);
    if (after === 0 && events.length === 0) throw noEvents(run);
    return events;
  };
  const stateOf = async (run: string) => {
    const state = foldRun(run, await eventsOf(run));
    return state;
  };
  /** The state with secrets as marks, because a user's plan is compiled against it. */
  const sealedStateAt = async (run: string, at?: number) => {
    const events = await parts.journal.read(run);
    const end = at === undefined ? events.length : (await history()).wholeDecision(events, at);
    return foldRun(run, events.slice(0, end));
  };
  const comparedRun = async (run: string) => {
    const events = await eventsOf(run);
    return { events, state: foldRun(run, events) };
  };
  const settingsFor = async (userId: string | undefined) =>
    userId === undefined ? config.settings : userSettings(userId);
  const { language } = config;
  const talking: ConversationParts = {
    ...parts,
    ...(language !== undefined && { language }),
    settingsFor,
    mindFor,
  };
  const close: Runtime['close'] = async (leaving) => {
    await Promise.all([...opened].map((conversation) => conversation.close(leaving)));
    await toolbox.close();
    await historyFiles?.close();
    await telemetry?.close();
    await store.close?.();
  };
  const runs = createStarter(parts, { config, settingsFor, telemetry });
  const dandori: Runtime = {
    config,
    mindName: parts.mind.name,
    start: runs.start,
    async drive(run, leaving = {}) {
      const started = runs.take(run);
      if (driveElsewhere !== undefined)
        return (await driveElsewhere(run, leaving)) ?? report(await stateOf(run));
      const state = await drive(started, parts, leaving);
      await historyFiles?.update(run, state.seq);
      return shown(report(state));
    },
    run: async (goal, runOptions) => dandori.drive(await runs.start(goal, runOptions)),
    answer: (run, question, answer, { by = config.userId, ...how } = {}) =>
      answerQuestion({ run, question, answer, by, ...how }, parts),
    approve: (run, question, { by = config.userId, tasks } = {}) =>
      approve({ run, question, by, tasks }, parts),
    reject: (run, question, { by = config.userId, reason } = {}) =>
      reject({ run, question, by, reason }, parts),
    approvals: async ({ user = config.userId } = {}) => shown(await parts.approvals.list(user)),
    async revokeApproval(id, { user = config.userId } = {}) {
      if (await parts.approvals.remove(user, id)) return;
      throw new DandoriError('approval-not-found', `There is no standing approval "${id}".`, {
        fix: '`dandori approvals` lists them.',
      });
    },
    questions: createQuestionList(journal),
    tell: (run, text, { by = config.userId } = {}) => addNote({ run, text, by }, parts),
    pause: (run, { by = config.userId, reason } = {}) => pauseRun({ run, reason, by }, parts),
    continue: (run, { by = config.userId } = {}) => continueRun({ run, by }, parts),
    cancel: (run, reason, { by = config.userId } = {}) => cancelRun({ run, reason, by }, parts),
    addBudget: (run, amounts) => addBudget({ run, ...amounts }, parts),
    rate: (run, rating) => rateRun({ run, ...rating }, parts),
    report: async (run) => report(await stateOf(run)),
    replay: async (run, replayOptions = {}) =>
      shown(await (await history()).replayRun(run, replayOptions, parts)),
    fork: async (run, forkOptions) =>
      (await history()).forkRun(run, { by: config.userId, ...forkOptions }, parts),
    diff: async (left, right) =>
      (await history()).compareRuns(await comparedRun(left), await comparedRun(right)),
    history: async (run) => {
      const found = (await history()).planHistory(await eventsOf(run));
      if (found === undefined) throw noEvents(run);
      return found;
    },
    historyLines: async (run) => (await history()).historyLines(await eventsOf(run)),
    record: async (run) => (await history()).recordRun(run, parts),
    async doctor(doctorOptions) {
      const laws = { ofRun: breaches, ofConversation: (await conversing()).conversationBreaches };
      const options = { ...doctorOptions, laws, now: parts.clock.now() };
      return store.examine === undefined ? examine(folders, options) : store.examine(options);
    },
    lift: async (run) => liftRun(await stateOf(run), parts.blobs),
    events: eventsOf,
    watch: (run, changed) => journal.watch(run, changed),
    runs: (listOptions) => journal.list(listOptions),
    statistics: (countOptions) =>
      store.counts === undefined
        ? countRuns(journal, countOptions)
        : countKeptRuns(store.counts, countOptions),
    async prune(pruneOptions) {
      const { isAwaited } = await conversing();
      const isAwaitedThere = (run: string, id: string) => isAwaited(run, id, conversations);
      const pruned = await pruneRuns(pruneOptions, { ...parts, isAwaited: isAwaitedThere });
      if (!pruned.dryRun) await historyFiles?.prune();
      return pruned;
    },
    async conversation(id, { userId = config.userId, key, wake } = {}) {
      checkUser(userId);
      const { newConversation, openConversation } = await conversing();
      const named = id === undefined ? await newConversation({ userId, key }, parts) : { id };
      const onClose = () => opened.delete(conversation);
      const conversation = await openConversation(named, { ...talking, userId, wake, onClose });
      opened.add(conversation);
      return conversation;
    },
    conversationEvents: (id, after) => conversations.read(id, after),
    watchConversation: (id, changed) => conversations.watch(id, () => changed()),
    conversations: async (page) =>
      page === undefined
        ? (await conversations.list()).sort((one, other) => other.lastAt - one.lastAt)
        : conversations.list(page),
    tools: () => toolbox.tools(),
    missing: () => toolbox.missing(),
    check: async (tasks, within) => {
      if (within === undefined) return shown(await compileWith(tasks, config, parts));
      await parts.durations?.load();
      const state = await sealedStateAt(within.run, within.at);
      return shown(compileEdit(sealingOf(parts).seal(tasks), { state, parts: withOpenedCheck(parts) }));
    },
    result: async (run, task, wanted) => readPart(await stateOf(run), { task, ...wanted }, parts.blobs),
    firstEvent: (run) => journal.first(run),
    ownerOf: (kind, id) => (kind === 'run' ? ownerOf(parts.journal, id) : ownerOf(conversations, id)),
    dispatcher: store.dispatcher,
    bus: store.bus,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
  return dandori;
}

/** Only a folder that the configuration names gets the planning history, and only beside our own journals. */
async function openHistoryFiles(
  { planning, directory }: Config,
  { folders, journal }: { readonly folders: StoreFolders; readonly journal: Pick<Journal, 'read'> },
): Promise<HistoryFiles | undefined> {
  const isWanted = planning.history.isFolderNamed && folders.journal === directory;
  return isWanted ? (await history()).createHistoryFiles(directory, journal) : undefined;
}

async function examine(
  folders: StoreFolders,
  options: Parameters<NonNullable<Store['examine']>>[0],
): Promise<Examined> {
  const { journal: runs, conversations, blobs } = folders;
  const { run } = options;
  if (runs !== undefined && run !== undefined && !existsSync(join(runs, `${run}.jsonl`)))
    throw runNotFound(run);
  const { examineStore } = await import('../store/doctor/doctor.ts');
  return examineStore({ runs, conversations, blobs }, options);
}

/**
 * A plan that repeats what the run has done. If a large result is gone, only the Refs into it are unknown.
 */
async function liftRun(state: RunState, blobs: Blobs): Promise<Lifted> {
  const results = createResults(blobs);
  for (const task of state.tasks.keys()) {
    try {
      await results.load(state, [task]);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
    }
  }
  return (await history()).lift(state, (task) => shown(results.get(state, task)));
}
