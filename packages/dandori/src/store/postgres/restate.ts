import type { Server } from 'node:http';
import { DandoriError, messageOf } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Trouble } from '../dispatcher/dispatcher.ts';
import type { Deliver, Engine, Wake } from './engine.ts';

export interface RestateOptions {
  /** Where wakes are sent, such as `http://localhost:8080`. */
  readonly ingress: string;
  /** Where this service is registered, such as `http://localhost:9070`. */
  readonly admin: string;
  /** Where a worker listens for Restate, such as `127.0.0.1:9080`. */
  readonly listen: string;
  /** Where Restate finds the workers: their load balancer, or the only machine. By default `listen`. */
  readonly address?: string | undefined;
  /** The public key by which Restate signs its requests, such as `publickeyv1_…`. */
  readonly key?: string | undefined;
}

interface Body {
  readonly isAsked: boolean;
}

/** Milliseconds for a request to Restate. Afterwards the head row has the wake. */
const PATIENCE = 10_000;
/** Milliseconds between two tries to register. */
const AGAIN = 1_000;

/**
 * A wake is an invocation of the virtual object of its run, at once or with a delay. Restate keeps it and calls a
 * worker. The call only hands over the run: it is over before the drive begins, so that a worker that stands
 * still does not block the next wake. A worker without a place leaves the run in its head row.
 */
export async function openRestate(schema: string, options: RestateOptions): Promise<Engine> {
  const { createEndpointHandler, handlers, object } = await loadRestate();
  const service = `${schema}.run`;
  const ingress = options.ingress.replace(/\/+$/, '');
  const admin = options.admin.replace(/\/+$/, '');
  let server: Server | undefined;
  let isClosed = false;

  async function send({ run, delay, isAsked = false }: Wake): Promise<void> {
    const later = delay > 0 ? `?delay=${Math.ceil(delay)}ms` : '';
    const body: Body = { isAsked };
    await call(`${ingress}/${service}/${encodeURIComponent(run)}/wake/send${later}`, body);
  }

  async function listen(deliver: Deliver, onTrouble: (trouble: Trouble) => void): Promise<void> {
    const { createAdaptorServer } = await import('@hono/node-server');
    const runs = object({
      name: service,
      handlers: {
        wake: handlers.object.shared(async (context, { isAsked }: Body) => {
          await deliver([{ run: context.key, isAsked }]);
        }),
      },
      options: { journalRetention: 0 },
    });
    const fetch = createEndpointHandler({
      services: [runs],
      ...(options.key !== undefined && { identityKeys: [options.key] }),
      logger: () => {},
    });
    const { hostname, port } = new URL(`http://${options.listen}`);
    const opened = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
    await new Promise<void>((resolve, reject) => {
      opened.once('error', (error) => reject(cannotListen(options.listen, error)));
      // Several workers of one machine share the port. Each request of HTTP/1.1 may reach another one.
      opened.listen({ host: hostname, port: Number(port), reusePort: process.platform === 'linux' }, resolve);
    });
    opened.unref();
    server = opened;
    void register(onTrouble);
  }

  /** Restate calls back to learn what is served. Until it could, the head rows have the wakes. */
  async function register(onTrouble: (trouble: Trouble) => void): Promise<void> {
    const uri = options.address ?? `http://${options.listen}`;
    for (let isTold = false; !isClosed; isTold = true)
      try {
        // Over HTTP/2 all requests would go through one connection, so to one worker.
        return await call(`${admin}/deployments`, { uri, use_http_11: true, force: true });
      } catch (error) {
        if (!isTold) onTrouble({ run: undefined, error, retryIn: AGAIN });
        await new Promise((resolve) => setTimeout(resolve, AGAIN).unref());
      }
  }

  return {
    isTransactional: false,
    patience: 1_000,
    async send(wakes) {
      await Promise.all(wakes.map(send));
    },
    work: (deliver, onTrouble) => ({
      begin: () => listen(deliver, onTrouble),
      stop: async () => close(server),
    }),
    async close() {
      isClosed = true;
      close(server);
    },
  };
}

function close(server: Server | undefined): void {
  server?.close();
  server?.closeAllConnections();
}

function cannotListen(address: string, error: Error): DandoriError {
  return new DandoriError('config-invalid', `Cannot listen for Restate at ${address}: ${messageOf(error)}.`, {
    fix: 'Choose another `store.restate.listen`. On Linux the processes of one user can share a port.',
    cause: error,
  });
}

async function call(url: string, body: object): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: stringifyJson(body),
    signal: AbortSignal.timeout(PATIENCE),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Restate answered ${response.status}: ${text.slice(0, 500)}`);
}

async function loadRestate(): Promise<typeof import('@restatedev/restate-sdk/fetch')> {
  try {
    return await import('@restatedev/restate-sdk/fetch');
  } catch (error) {
    throw new DandoriError('config-invalid', 'The package @restatedev/restate-sdk is not installed.', {
      fix: 'Run `npm install @restatedev/restate-sdk`, or remove `dispatcher` from `store` in dandori.yaml.',
      cause: error,
    });
  }
}
