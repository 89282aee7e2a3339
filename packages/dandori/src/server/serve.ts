import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Runtime } from '../app/index.ts';
import { DandoriError } from '../model/error.ts';
import { createApp } from './app.ts';
import { type OpenParts, openServerParts, type PartsOptions } from './open-parts.ts';
import { problemOutside, refuseConnection } from './problem.ts';

export interface ServeOptions extends PartsOptions {
  /** Overrides the configured host. */
  readonly host?: string;
  readonly port?: number;
  /** If false, it only drives runs and answers no requests. `health`: only those about its health. */
  readonly listens?: boolean | 'health';
  /** Overrides the timeouts for slow clients. */
  readonly sockets?: Partial<typeof SOCKET>;
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
  const { log = () => {}, listens = true } = options;
  const sockets = { ...SOCKET, ...options.sockets };
  const parts = await openServerParts({
    ...options,
    log,
    isWorker: listens !== true,
    readTimeout: sockets.readTimeout,
  });
  const { config, dandori, driving, metrics, workers } = parts;
  const server = createHttpServer(parts, { sockets, isWorker: listens !== true });
  let url = '';
  try {
    if (listens !== false) {
      const host = options.host ?? config.server.host;
      if (config.server.tokens.length === 0) await refuseOpenDoor(host);
      url = await listen(server, host, options.port ?? config.server.port);
    }
    await driving.begin();
    options.line?.ready(metrics.counted);
  } catch (error) {
    server.close();
    await workers?.close();
    await dandori.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll(server, parts);
    return closing;
  };
  return { url, dandori, close, [Symbol.asyncDispose]: close };
}

function createHttpServer(
  parts: OpenParts,
  { sockets, isWorker }: { readonly sockets: typeof SOCKET; readonly isWorker: boolean },
): Server {
  const log = (error: unknown) => parts.report('A request failed', error);
  const app = createApp(parts, { log, isWorker });
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // With cleanup on, `@hono/node-server` closes a keep-alive connection 0.5 s after a response that was sent before
    // the whole request arrived. On a busy machine that loses the next request. Node reads the rest by itself, within
    // `requestTimeout`.
    autoCleanupIncoming: false,
    errorHandler: (error) => problemOutside(error, log),
  });
  const server = createServer(sockets, listener);
  server.maxConnections = MOST_CONNECTIONS;
  server.on('clientError', refuseConnection);
  return server;
}

async function closeAll(server: Server, parts: OpenParts): Promise<void> {
  const { config, dandori, driving, workers, liveUpdates, runStreams, conversationStreams } = parts;
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
}

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
