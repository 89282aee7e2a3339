import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Approval, answerQuestion, approve, type Rejection, reject } from '../commands/answer.ts';
import { type Pruned, type PruneOptions, pruneRuns } from '../commands/prune.ts';
import {
  addBudget,
  addNote,
  cancelRun,
  continueRun,
  pauseRun,
  type Rating,
  rateRun,
} from '../commands/steer.ts';
import type { Config } from '../config/config.ts';
import { loadConfig } from '../config/load.ts';
import type { UserConfigWarning, UserSettings } from '../config/user-settings.ts';
import {
  type Conversation,
  type ConversationParts,
  newConversation,
  openConversation,
} from '../conversation/conversation.ts';
import { conversationBreaches } from '../conversation/laws.ts';
import { isAwaited } from '../conversation/ledger.ts';
import { systemClock } from '../driver/clock.ts';
import { drive, type Leaving } from '../driver/drive.ts';
import type { Parts } from '../driver/parts.ts';
import { createResults, readPart } from '../driver/results.ts';
import {
  type Counted,
  type CountOptions,
  countRuns,
  createDurations,
  createQuestionList,
  type RunQuestion,
} from '../history/all-runs.ts';
import { compareRuns, type RunDiff } from '../history/diff.ts';
import { type Forked, type ForkOptions, forkRun } from '../history/fork.ts';
import { wholeDecision } from '../history/fork-point.ts';
import { type Lifted, lift } from '../history/lift.ts';
import { type PlanHistory, planHistory } from '../history/plan-history.ts';
import { type Recorded, recordRun } from '../history/record.ts';
import { type Replayed, type ReplayOptions, replayRun } from '../history/replay.ts';
import type { Mind } from '../mind/mind.ts';
import type { Clock } from '../model/clock.ts';
import type { ConversationEvent } from '../model/conversation.ts';
import { DandoriError } from '../model/error.ts';
import type { Event, FactOf } from '../model/event.ts';
import type { Examined, Finding, FindingKind } from '../model/finding.ts';
import { type Json, type JsonObject, normalise } from '../model/json.ts';
import type { Live } from '../model/live.ts';
import { redact, shown } from '../model/redact.ts';
import type { Task } from '../model/task.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { Compiled } from '../plan/compile.ts';
import { compileEdit } from '../run/drafts/edit.ts';
import { breaches } from '../run/laws.ts';
import { fold } from '../run/state/apply.ts';
import type { RunState } from '../run/state/state.ts';
import type { Blobs } from '../store/blobs.ts';
import { type DoctorOptions, examineStore } from '../store/doctor/doctor.ts';
import type { ConversationSummary, RunSummary, TornTail } from '../store/journal.ts';
import { foldersOf, type Store, type StoreFolders } from '../store/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { createSchemaCheck } from '../tools/schema/check.ts';
import type { Service } from '../tools/service.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { asShown, sealingOf, withOpenedCheck } from '../trust/sealing.ts';
import { type Report, report } from '../views/report.ts';
import type { ResultPart, Wanted } from '../views/result-page.ts';
import {
  compileWith,
  createMind,
  createMinds,
  openStore,
  openTelemetry,
  openToolbox,
  openUserSettings,
} from './open.ts';
import { createStarter, type RunOptions } from './starting.ts';

export type { Examined, Finding, FindingKind, Leaving, RunOptions, RunSummary, TornTail };
export { systemClock };

export interface OpenOptions extends Partial<Store> {
  /** A `dandori.yaml`; without it the one in `cwd`, and without that the defaults. */
  readonly configFile?: string;
  readonly cwd?: string;
  /** A configuration that is already loaded. */
  readonly config?: Config;
  readonly services?: readonly Service[];
  /** In place of the configured model. */
  readonly mind?: Mind;
  /** In place of the configured one: all four parts. `journal`, `conversations`, `blobs` and `keys` together are the same. */
  readonly store?: Store;
  /** In place of all servers and services. It is closed with this. */
  readonly toolbox?: Toolbox;
  /** In place of the system's. */
  readonly clock?: Clock;
  /** False leaves the servers alone, for who only reads or cancels. */
  readonly tools?: boolean;
  readonly onEvent?: (event: Event) => void;
  readonly onLive?: (live: Live) => void;
  /** Told where the configuration of a user could not be had or used. The run starts all the same. */
  readonly onWarning?: (warning: UserConfigWarning) => void;
  /** Traces could not be sent, and why. Runs go on all the same. */
  readonly onUntraced?: (detail: string) => void;
  /** A crash has left half a line at the end of a run's file; what was whole before it counts. */
  readonly onTorn?: (tail: TornTail) => void;
}

export interface ConversationOptions {
  /** Whose a new one is, in place of the configured user. */
  readonly userId?: string;
  /** Of a new one: a second call of the same user under the same key gives the same conversation. */
  readonly key?: string;
  /** Told of each run that can go on, in place of driving it at once; who is told calls `drive` of the conversation. */
  readonly wake?: (run: string, conversation: string) => void;
}

export interface AnswerOptions {
  /** Who answers; where the settings name who may, it must be one of them. */
  readonly by?: string;
  readonly comment?: string;
  /** The person will not say, or says no. What was given as the answer counts for nothing then. */
  readonly declined?: boolean;
}
export type ApproveOptions = Pick<Approval, 'tasks' | 'by'>;
export type RejectOptions = Pick<Rejection, 'reason' | 'by'>;

/** The whole of Dandori in one process. Close it, or its servers keep the process alive. */
export interface Dandori extends AsyncDisposable {
  readonly config: Config;
  readonly mindName: string;
  /** Starts a run and drives it until it has ended or a person is needed. */
  run(goal: string, options?: RunOptions): Promise<Report>;
  /** Writes the run down without driving it. */
  start(goal: string, options?: RunOptions): Promise<string>;
  drive(run: string, leaving?: Leaving): Promise<Report>;
  /** Answers a question or declines to, from any process and whether or not somebody drives the run. */
  answer(run: string, question: string, answer: Json, options?: AnswerOptions): Promise<void>;
  /**
   * A yes to a call or a plan; without a question to the only one that waits. `tasks` is a plan in place of the one that
   * was asked about: where it does not compile, `plan-invalid` has the diagnostics and the question stays open.
   */
  approve(run: string, question?: string, options?: ApproveOptions): Promise<string>;
  /** A no, told to the mind with its reason. */
  reject(run: string, question?: string, options?: RejectOptions): Promise<string>;
  /** The open questions of one run, or of all. */
  questions(run?: string): Promise<RunQuestion[]>;
  /** A word to a run that is under way; its next decision is told. */
  tell(run: string, text: string, options?: { readonly by?: string }): Promise<void>;
  /** Nothing more is begun until it is continued; what runs comes to its end. */
  pause(run: string, options?: { readonly reason?: string; readonly by?: string }): Promise<void>;
  /** Lifts a pause; `drive` then goes on. A run that is not paused stays as it is. */
  continue(run: string, options?: { readonly by?: string }): Promise<void>;
  cancel(run: string, reason: string, options?: { readonly by?: string }): Promise<void>;
  /** Raises the limits of a run; one that was exhausted can then be driven on. */
  addBudget(run: string, amounts: FactOf<'budget_added'>['data']): Promise<void>;
  /** A plan that does again what the run has done so far. */
  lift(run: string): Promise<Lifted>;
  /** What a person thinks of a run that has ended. Rating again replaces. */
  rate(run: string, rating: Rating): Promise<void>;
  report(run: string): Promise<Report>;
  /** Makes the state again from the journal alone, and proves that each fact of it is the one that had to be written. */
  replay(run: string, options?: ReplayOptions): Promise<Replayed>;
  /** A new run with the same past; nothing of it is done again. It is not driven yet. */
  fork(run: string, options: ForkOptions): Promise<Forked>;
  /** What two runs have done differently. */
  diff(left: string, right: string): Promise<RunDiff>;
  /** The plan as it stands, and every proposal, revision and reflection that led there. */
  history(run: string): Promise<PlanHistory>;
  /** A test of the run, for `runCase` of `dandori/testing`. */
  record(run: string): Promise<Recorded>;
  /** Looks for damage in all that is stored, and mends only what it is told to. */
  doctor(options?: Omit<DoctorOptions, 'now'>): Promise<Examined>;
  events(run: string, after?: number): Promise<Event[]>;
  /** Calls back when somebody has written to the run. */
  watch(run: string, changed: () => void): () => void;
  runs(options?: { limit?: number; before?: string }): Promise<RunSummary[]>;
  /** Counts the runs: outcomes, model calls, cost, failures of tools, ratings. */
  statistics(options?: CountOptions): Promise<Counted>;
  /** Removes runs that ended long ago, and the large results that no other run uses. */
  prune(options: PruneOptions): Promise<Pruned>;
  /**
   * A chat that owns runs: the one with this id, or a new one. What it was doing goes on at once. Closing this closes it
   * too.
   */
  conversation(id?: string, options?: ConversationOptions): Promise<Conversation>;
  conversationEvents(id: string, after?: number): Promise<ConversationEvent[]>;
  /** Calls back when somebody has written to the conversation. */
  watchConversation(id: string, changed: () => void): () => void;
  /** Those that were written to last come first; page by page, those that began last. */
  conversations(page?: { limit?: number; before?: string }): Promise<ConversationSummary[]>;
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  /** Compiles a plan without running it: by itself, or as an edit of a run as it stands, or stood at an event. */
  check(tasks: readonly Task[], within?: { readonly run: string; readonly at?: number }): Promise<Compiled>;
  /** A part of a result, also where it is kept in a blob. */
  result(run: string, task: string, wanted: Wanted): Promise<ResultPart>;
  /** What is wrong with a value for a JSON Schema, such as a field of a question's form. */
  misfit(schema: JsonObject, value: Json): string | undefined;
  /** Conversations let the calls under way come to their end, for `grace` milliseconds at most. */
  close(options?: { readonly grace?: number }): Promise<void>;
}

export async function openDandori(options: OpenOptions = {}): Promise<Dandori> {
  const config = options.config ?? (await configFor(options));
  const check = createSchemaCheck();
  // Before the servers are started: half a store is refused.
  const store = openStore(config, options);
  const toolbox = await openToolbox(config, options, check);
  const telemetry = await openTelemetry(config, {
    journal: asShown(store.journal),
    onUntraced: options.onUntraced,
  });
  const parts: Parts = {
    journal: store.journal,
    blobs: store.blobs,
    ...(store.storeKey && { storeKey: store.storeKey }),
    durations: createDurations(store.journal),
    clock: options.clock ?? systemClock,
    toolbox,
    mind: options.mind ?? (await createMind(config)),
    check,
    secrets: config.secrets,
    driver: `process ${process.pid} on ${hostname()}`,
    onEvent(written) {
      const event = shown(written);
      telemetry?.event(event);
      options.onEvent?.(event);
    },
    onLive: (live) => options.onLive?.(redact(live, config.secrets)),
  };
  const userSettings = openUserSettings(config, { clock: parts.clock, onWarning: options.onWarning });
  return assemble(config, { ...parts, ...store }, { userSettings, folders: foldersOf(store), telemetry });
}

function configFor({ configFile, cwd = process.cwd(), tools }: OpenOptions): Promise<Config> {
  // Who only reads runs needs no key and no server.
  return loadConfig({ file: configFile, cwd, env: process.env, use: tools === false ? 'read' : 'run' });
}

interface Arranged {
  readonly userSettings: UserSettings;
  readonly folders: StoreFolders;
  readonly telemetry: Pick<Telemetry, 'event' | 'close'> | undefined;
}

function assemble(
  config: Config,
  parts: Parts & Pick<ConversationParts, 'conversations' | 'keys'>,
  { userSettings, folders, telemetry }: Arranged,
): Dandori {
  const { toolbox, conversations } = parts;
  // Who looks at runs sees `[secret]`; only who drives, forks and proves them works with what stands in the journal.
  const journal = asShown(parts.journal);
  const opened = new Set<Conversation>();
  const eventsOf = async (run: string, after = 0) => {
    const events = await journal.read(run, after);
    if (after === 0 && events.length === 0) throw emptyJournal(run);
    return events;
  };
  const stateOf = async (run: string) => {
    const state = fold(await eventsOf(run));
    if (state === undefined) throw emptyJournal(run);
    return state;
  };
  /** With its secrets as marks: a plan of a person's is held against it. */
  const sealedStateAt = async (run: string, at?: number) => {
    const events = await parts.journal.read(run);
    const end = at === undefined ? events.length : wholeDecision(events, at);
    return fold(events.slice(0, end)) ?? emptyHistory(run);
  };
  const comparedRun = async (run: string) => {
    const events = await eventsOf(run);
    return { events, state: fold(events) ?? emptyHistory(run) };
  };
  const settingsFor = async (userId: string | undefined) =>
    userId === undefined ? config.settings : userSettings(userId);
  const { language } = config;
  const talking: ConversationParts = {
    ...parts,
    ...(language !== undefined && { language }),
    settingsFor,
    mindFor: createMinds(config, parts.mind),
  };
  const close: Dandori['close'] = async (leaving) => {
    await Promise.all([...opened].map((conversation) => conversation.close(leaving)));
    await toolbox.close();
    await telemetry?.close();
  };
  const runs = createStarter(parts, { config, settingsFor, telemetry });
  const dandori: Dandori = {
    config,
    mindName: parts.mind.name,
    start: runs.start,
    drive: async (run, leaving) => shown(report(await drive(runs.take(run), parts, leaving))),
    run: async (goal, runOptions) => dandori.drive(await runs.start(goal, runOptions)),
    answer: (run, question, answer, { by = config.userId, ...how } = {}) =>
      answerQuestion({ run, question, answer, by, ...how }, parts),
    approve: (run, question, { by = config.userId, tasks } = {}) =>
      approve({ run, question, by, tasks }, parts),
    reject: (run, question, { by = config.userId, reason } = {}) =>
      reject({ run, question, by, reason }, parts),
    questions: createQuestionList(journal),
    tell: (run, text, { by = config.userId } = {}) => addNote({ run, text, by }, runs.steering(run)),
    pause: (run, { by = config.userId, reason } = {}) => pauseRun({ run, reason, by }, runs.steering(run)),
    continue: (run, { by = config.userId } = {}) => continueRun({ run, by }, parts),
    cancel: (run, reason, { by = config.userId } = {}) => cancelRun({ run, reason, by }, runs.steering(run)),
    addBudget: (run, amounts) => addBudget({ run, ...amounts }, runs.steering(run)),
    rate: (run, rating) => rateRun({ run, ...rating }, parts),
    report: async (run) => report(await stateOf(run)),
    replay: async (run, replayOptions = {}) => shown(await replayRun(run, replayOptions, parts)),
    fork: (run, forkOptions) => forkRun(run, { by: config.userId, ...forkOptions }, parts),
    diff: async (left, right) => compareRuns(await comparedRun(left), await comparedRun(right)),
    history: async (run) => planHistory(await eventsOf(run)) ?? emptyHistory(run),
    record: (run) => recordRun(run, parts),
    doctor: (doctorOptions) => examine(folders, { ...doctorOptions, now: parts.clock.now() }),
    lift: async (run) => liftRun(await stateOf(run), parts.blobs),
    events: eventsOf,
    watch: (run, changed) => journal.watch(run, () => changed()),
    runs: (listOptions) => journal.list(listOptions),
    statistics: (countOptions) => countRuns(journal, countOptions),
    prune: (pruneOptions) =>
      pruneRuns(pruneOptions, { ...parts, isAwaited: (run, id) => isAwaited(run, id, conversations) }),
    async conversation(id, { userId = config.userId, key, wake } = {}) {
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
    misfit: (schema, value) => {
      const [issue] = parts.check(schema, normalise(value));
      return issue && [issue.path.join('.'), issue.message].filter(Boolean).join(' ');
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
  return dandori;
}

function emptyHistory(run: string): never {
  throw emptyJournal(run);
}

async function examine(folders: StoreFolders, options: DoctorOptions): Promise<Examined> {
  const { journal: runs, conversations, blobs } = folders;
  const isThere =
    runs === undefined || options.run === undefined || existsSync(join(runs, `${options.run}.jsonl`));
  if (isThere) return examineStore({ runs, conversations, blobs }, { ...options, laws: LAWS });
  throw new DandoriError('run-not-found', `There is no run "${options.run}".`, {
    fix: '`dandori runs` lists the runs.',
  });
}

/** A plan that does again what the run has done. A large result that is gone leaves only its Refs unknown. */
async function liftRun(state: RunState, blobs: Blobs): Promise<Lifted> {
  const results = createResults(blobs);
  for (const task of state.tasks.keys()) {
    try {
      await results.load(state, [task]);
    } catch (error) {
      if (!(error instanceof DandoriError)) throw error;
    }
  }
  return lift(state, (task) => shown(results.get(state, task)));
}

const LAWS = { ofRun: breaches, ofConversation: conversationBreaches };

function emptyJournal(run: string): DandoriError {
  return new DandoriError('journal-damaged', `The run ${run} has no events.`, {
    fix: 'Bring its file back from a backup, or delete it and start a new run.',
  });
}
