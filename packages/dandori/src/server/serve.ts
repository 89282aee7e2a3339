import type { ChildProcess } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { hostname } from 'node:os';
import { getRequestListener } from '@hono/node-server';
import { fingerprint, type OpenOptions, openRuntime, type Runtime } from '../app/index.ts';
import { type Config, version } from '../config/index.ts';
import { DandoriError } from '../model/error.ts';
import { isUnfinished } from '../model/event.ts';
import { redact } from '../model/redact.ts';
import type { Drive, Patience } from '../store/index.ts';
import { createOwners, createUsers } from './access.ts';
import { createApp } from './app.ts';
import { createOpenConversations } from './conversations.ts';
import { createEventStreams } from './event-streams.ts';
import { createLiveUpdates, createRunStatusFeed } from './live-updates.ts';
import { createMetrics } from './metrics.ts';
import type { ServerParts } from './parts.ts';
import { problemOutside, refuseConnection } from './problem.ts';
import { createWorkers, type ServerLine, type Workers, type WorkersOptions } from './worker-processes.ts';

export interface ServeOptions extends Omit<OpenOptions, 'onEvent' | 'onLive' | 'tools'> {
  /** Overrides the configured host. */
  readonly host?: string;
  readonly port?: number;
  /** Overrides `server.workers`. */
  readonly workers?: number;
  /** If false, it only drives runs and answers no requests. `health`: only those about its health. */
  readonly listens?: boolean | 'health';
  /** Overrides the timeouts for slow clients. */
  readonly sockets?: Partial<typeof SOCKET>;
  /** Overrides the delays for runs that cannot be driven. */
  readonly driving?: Partial<Patience>;
  /** Starts a process that drives runs for this server. Needed for `server.workers`. */
  readonly startWorker?: () => ChildProcess;
  /** The server that started this process and says which runs to drive. */
  readonly line?: ServerLine;
  /** Reports errors that happen outside a request, without secrets. */
  readonly log?: (line: string) => void;
}

export interface Serving extends AsyncDisposable {
  /** Empty if it does not listen. */
  readonly url: string;
  readonly dandori: Runtime;
  /** Accepts no more runs, lets running calls finish within the grace period, and closes everything. */
  close(): Promise<void>;
}

/** Serves the runs of a folder over HTTP and drives them. Interrupted runs resume at once. */
export async function serve(options: ServeOptions = {}): Promise<Serving> {
  const { log = () => {}, listens = true, line } = options;
  const isWorker = listens !== true;
  const dandori = await openRuntime({
    ...options,
    onEvent: (event) => {
      metrics.event(event);
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
  const say = (what: string, error: unknown) => log(redact(`${what}: ${textOf(error)}`, config.secrets));
  const { secrets } = config;
  const sockets = { ...SOCKET, ...options.sockets };
  const patience = sockets.readTimeout;
  const runStreams = createEventStreams({
    secrets,
    patience,
    source: {
      events: dandori.events,
      watch: dandori.watch,
      isEnd: ({ type }) => type === 'run_finished' || type === 'run_rated',
    },
  });
  const conversationStreams = createEventStreams({
    secrets,
    patience,
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
    onTrouble: (id, error) => say(`The conversation ${id} can't be resumed`, error),
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
      say(`${what}; retrying in ${Math.ceil(retryIn / 1000)} s`, error);
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
  const parts: ServerParts = {
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
  };
  const logRequest = (error: unknown) => say('A request failed', error);
  const app = createApp(parts, { log: logRequest, isWorker });
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // With cleanup on, `@hono/node-server` closes a keep-alive connection 0.5 s after a response that was sent before
    // the whole request arrived. On a busy machine that loses the next request. Node reads the rest by itself, within
    // `requestTimeout`.
    autoCleanupIncoming: false,
    errorHandler: (error) => problemOutside(error, logRequest),
  });
  let url = '';
  const server = createServer(sockets, listener);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', refuseConnection);
  try {
    if (listens !== false) {
      const host = options.host ?? config.server.host;
      if (config.server.tokens.length === 0) await refuseOpenDoor(host);
      url = await listen(server, host, options.port ?? config.server.port);
    }
    await driving.begin();
    line?.ready(metrics.counted);
  } catch (error) {
    server.close();
    await workers?.close();
    await dandori.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = async () => {
    await driving.stop(config.server.grace);
    await workers?.close();
    liveUpdates.close();
    runStreams.close();
    conversationStreams.close();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const patience = setTimeout(() => server.closeAllConnections(), 1_000);
    await closed;
    clearTimeout(patience);
    await dandori.close();
  };
  const closeOnce = () => {
    closing ??= close();
    return closing;
  };
  return { url, dandori, close: closeOnce, [Symbol.asyncDispose]: closeOnce };
}

/** Undefined if this process drives its runs itself. */
function workersFor(
  { planning, store }: Config,
  { startWorker: start, ...options }: Omit<WorkersOptions, 'start'> & Pick<ServeOptions, 'startWorker'>,
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

/** About as many as a process may usually have open files. */
const MOST_CONNECTIONS = 10_000;

/** Timeouts that free the connection of a client that sends or reads too slowly. */
const SOCKET = {
  readTimeout: 30_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Longer than the minute that clients and proxies usually keep an idle connection. If the server closed it
  // first, a request that is sent at that moment would be lost.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16_384,
};

/** Without tokens every caller may do everything, so the server must listen on this machine only. */
async function refuseOpenDoor(host: string): Promise<void> {
  const addresses = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => []);
  const isLoopback = ({ address }: { address: string }) => /^127\.|^::1$/.test(address);
  if (addresses.length > 0 && addresses.every(isLoopback)) return;
  throw new DandoriError(
    'config-invalid',
    `The server has no tokens, so it listens on this machine only and not on ${host}.`,
    { fix: 'Make a token with `dandori token` and put it under server.tokens, or keep host: 127.0.0.1.' },
  );
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: 'another program already listens there',
        EACCES: 'this user is not allowed to listen there',
        EADDRNOTAVAIL: 'this machine has no such address',
      };
      const reason = reasons[error.code ?? ''] ?? error.message;
      reject(
        new DandoriError('config-invalid', `Cannot listen on ${host}:${port}: ${reason}.`, {
          fix: 'Choose another server.port or server.host, or --port.',
        }),
      );
    });
    server.listen(port, host.replace(/^\[|\]$/g, ''), () => {
      const address = server.address();
      const { address: bound, port: chosen } =
        typeof address === 'object' && address !== null ? address : { address: host, port };
      resolve(`http://${isIPv6(bound) ? `[${bound}]` : bound}:${chosen}`);
    });
  });
}

function ifNotBegun(error: unknown): [] {
  if (error instanceof DandoriError && error.code === 'run-not-found') return [];
  throw error;
}

function textOf(error: unknown): string {
  if (error instanceof DandoriError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
