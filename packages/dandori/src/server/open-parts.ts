import type { ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import { fingerprint, type OpenOptions, openRuntime } from '../app/index.ts';
import { type Config, version } from '../config/index.ts';
import { DandoriError } from '../model/error.ts';
import { isUnfinished } from '../model/event.ts';
import { isAtEnd } from '../model/event-kinds.ts';
import { redact } from '../model/redact.ts';
import type { Drive, Patience } from '../store/index.ts';
import { createWorkers, type ParentLine, type Workers, type WorkersOptions } from '../workers/index.ts';
import { createOwners, createUsers } from './access.ts';
import { createOpenConversations } from './conversations.ts';
import { createEventStreams } from './event-streams.ts';
import { createLiveUpdates, createRunStatusFeed } from './live-updates.ts';
import { createMetrics } from './metrics.ts';
import type { ServerParts } from './parts.ts';

export interface PartsOptions extends Omit<OpenOptions, 'onEvent' | 'onLive' | 'tools'> {
  /** Overrides `server.workers`. */
  readonly workers?: number;
  /** Overrides the delays for runs that cannot be driven. */
  readonly driving?: Partial<Patience>;
  /** Starts a process that drives runs for this server. Needed for `server.workers`. */
  readonly startWorker?: () => ChildProcess;
  /** The server that started this process and says which runs to drive. */
  readonly line?: ParentLine;
  /** Reports errors that happen outside a request, without secrets. */
  readonly log?: (line: string) => void;
}

export interface OpenParts extends ServerParts {
  /** Reports an error that happened outside a request. */
  readonly report: (what: string, error: unknown) => void;
}

interface OpenPartsOptions extends PartsOptions {
  readonly log: (line: string) => void;
  readonly isWorker: boolean;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly readTimeout: number;
}

/** What drives the runs of a server and follows them. Nothing is driven yet. */
export async function openServerParts(options: OpenPartsOptions): Promise<OpenParts> {
  const { log, line, isWorker, readTimeout } = options;
  const dandori = await openRuntime({
    ...options,
    onEvent: (event) => {
      metrics.event(event);
      runStreams.event(event.run, event);
      liveUpdates.event(event);
    },
    onLive: (live) => liveUpdates.live(live),
    onWarning: (warning) => {
      options.onWarning?.(warning);
      log(warning.message);
    },
    onUntraced: (detail) => {
      options.onUntraced?.(detail);
      log(`Traces cannot be sent to ${new URL(dandori.config.telemetry?.url ?? '').origin}: ${detail}.`);
    },
  });
  const { config } = dandori;
  const report = (what: string, error: unknown) => log(redact(`${what}: ${textOf(error)}`, config.secrets));
  const { secrets } = config;
  const runStreams = createEventStreams({
    secrets,
    patience: readTimeout,
    source: {
      events: dandori.events,
      watch: dandori.watch,
      isEnd: isAtEnd,
    },
  });
  const conversationStreams = createEventStreams({
    secrets,
    patience: readTimeout,
    source: { events: dandori.conversationEvents, watch: dandori.watchConversation, isEnd: () => false },
  });
  const workers = workersFor(config, {
    count: options.workers ?? config.server.workers,
    startWorker: options.startWorker,
    onWake: (run) => driving.take(run),
    conversationOf: (run) => conversations.of(run),
    log,
  });
  const runStatus = createRunStatusFeed({
    streams: conversationStreams,
    stateOf: (run) => {
      const here = driving.stateOf(run);
      return here === 'idle' ? liveUpdates.elsewhere(run) : here;
    },
  });
  const conversations = createOpenConversations({
    dandori,
    wake: (run) => driving.take(run),
    isFollowed: conversationStreams.isFollowed,
    conversationOf: line?.conversationOf,
    onOpen: runStatus.watch,
    onTrouble: (id, error) => report(`The conversation ${id} can't be resumed`, error),
  });
  const liveUpdates = createLiveUpdates({
    runs: runStreams,
    conversations: conversationStreams,
    secrets,
    conversationOf: conversations.of,
    bus: dandori.bus ?? line?.bus ?? workers?.bus,
  });
  const driveHere: Drive = async (run, signals) => {
    // The run of a message may not exist yet. Then the drive creates it.
    if (!metrics.knows(run)) metrics.past(await dandori.events(run).catch(ifNotBegun));
    const { outcome } = await conversations.drive(run, { ...signals, longestWait: LONGEST_WAIT });
    return { isOpen: isUnfinished(outcome) };
  };
  const driving = (line?.dispatcher ?? dandori.dispatcher).work(workers?.drive ?? driveHere, {
    atOnce: config.server.maxRuns,
    about: {
      role: isWorker ? 'work' : 'serve',
      version: version(),
      config: fingerprint(config),
    },
    onState: liveUpdates.driving,
    patience: options.driving,
    onTrouble: ({ run, error, retryIn }) => {
      metrics.failed(run === undefined ? 'list' : 'drive');
      const what = run === undefined ? 'The runs cannot be listed' : `The run ${run} cannot be driven`;
      report(`${what}; retrying in ${Math.ceil(retryIn / 1000)} s`, error);
    },
    resume: conversations.resume,
  });
  const metrics = createMetrics({
    driving: () => driving.count.driving,
    queued: () => driving.count.queued,
    retrying: () => driving.count.retrying,
    clients: () => runStreams.clients + conversationStreams.clients,
    dropped: () => runStreams.dropped + conversationStreams.dropped,
    // Several processes are told apart by this label.
    ...((dandori.dispatcher.overview || line || workers) && { worker: `${hostname()}:${process.pid}` }),
    others: workers?.metrics,
  });
  return {
    config,
    dandori,
    driving,
    workers,
    liveUpdates,
    conversations,
    runStatus,
    runStreams,
    conversationStreams,
    metrics,
    users: createUsers(config.server.tokens),
    ownRuns: createOwners(dandori, 'run'),
    ownConversations: createOwners(dandori, 'conversation'),
    report,
  };
}

/** Undefined if this process drives its runs itself. */
function workersFor(
  { planning, store }: Config,
  { startWorker: start, ...options }: Omit<WorkersOptions, 'start'> & Pick<PartsOptions, 'startWorker'>,
): Workers | undefined {
  if (options.count === 0 || start === undefined) return undefined;
  if (store === undefined && planning.history.storageType === 'memory')
    throw new DandoriError('config-invalid', 'server.workers needs runs that other processes can read.', {
      fix: 'Set planning.history.storage_type to jsonl, or leave out server.workers.',
    });
  return createWorkers({ start, ...options });
}

/** A driver does not wait for a timer that is further away, in milliseconds. The dispatcher wakes the run. */
const LONGEST_WAIT = 10_000;

function ifNotBegun(error: unknown): [] {
  if (error instanceof DandoriError && error.code === 'run-not-found') return [];
  throw error;
}

function textOf(error: unknown): string {
  if (error instanceof DandoriError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
