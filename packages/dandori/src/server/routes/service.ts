import { hostname } from 'node:os';
import { createRoute, z } from '@hono/zod-openapi';
import { version } from '../../config/index.ts';
import { countedSchema } from '../../history/index.ts';
import { examinedSchema } from '../../model/finding.ts';
import { stringifyJson } from '../../model/json.ts';
import { type Overview, overviewSchema, type WorkerNow } from '../../store/index.ts';
import { serverUserSchema, statisticsFilters, toolListSchema } from '../api.ts';
import type { Routes } from '../parts.ts';
import { jsonContent, problems } from '../schemas.ts';

const withoutToken = { method: 'get' as const, security: [] };

const healthz = createRoute({
  ...withoutToken,
  path: '/healthz',
  summary: 'Whether the process is alive',
  responses: { 200: jsonContent('It is alive', z.object({ status: z.literal('ok') })), ...problems },
});

const readyz = createRoute({
  ...withoutToken,
  path: '/readyz',
  summary: 'Whether the server accepts new runs',
  responses: {
    200: jsonContent(
      'It does. `retrying` is the number of runs that failed to start and are retried; the log has the reasons',
      z.object({ status: z.literal('ready'), retrying: z.number().int() }),
    ),
    503: jsonContent('It is stopping', z.object({ status: z.literal('stopping') })),
    ...problems,
  },
});

const figures = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics of this process since its start, for Prometheus. Admins only',
  responses: {
    200: { description: 'Text', content: { 'text/plain': { schema: z.string() } } },
    ...problems,
  },
});

export const healthRoutes: Routes = (app, { driving, metrics }) => {
  app.openapi(healthz, (c) => c.json({ status: 'ok' } as const, 200));
  app.openapi(readyz, (c) =>
    driving.isStopping
      ? c.json({ status: 'stopping' } as const, 503)
      : c.json({ status: 'ready', retrying: driving.count.retrying } as const, 200),
  );
  app.openapi(figures, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );
};

const workers = createRoute({
  method: 'get',
  path: '/api/workers',
  summary: 'The processes that drive the runs of this store, their leases, and the queue. Admins only',
  responses: { 200: jsonContent('Processes and queue', overviewSchema, 'Workers'), ...problems },
});

/** The most runs of a process that are named. */
const MOST_NAMED = 100;

export const workerRoutes: Routes = (app, { dandori, driving, workers: own, config }) => {
  const startedAt = Date.now();
  const readOnce = sharing(async () => dandori.dispatcher.overview?.());

  /** Without a shared store: this process and those that it started. They hold their claims until they end. */
  function here(): Overview {
    const { driving: count, queued, retrying } = driving.count;
    const nowhereElse = { version: version(), leaseUntil: null, isAlive: true, clockOffsetMs: 0 };
    const self: WorkerNow = {
      ...nowhereElse,
      name: `process ${process.pid} on ${hostname()}`,
      isThis: true,
      role: 'serve',
      startedAt,
      atOnce: config.server.maxRuns,
      runs: [],
      driving: own === undefined ? count : 0,
    };
    const started = (own?.list() ?? []).map(
      ({ pid, runs, ...worker }): WorkerNow => ({
        ...nowhereElse,
        ...worker,
        name: `process ${pid} on ${hostname()}`,
        isThis: false,
        role: 'work',
        runs: runs.slice(0, MOST_NAMED),
        driving: runs.length,
      }),
    );
    return {
      workers: [self, ...started],
      queue: { due: queued, later: retrying, stranded: 0, parked: null },
      warnings: [],
    };
  }

  app.openapi(workers, async (c) => c.json((await readOnce('')) ?? here(), 200));
};

const who = createRoute({
  method: 'get',
  path: '/api/user',
  summary: 'Your user and your role',
  responses: {
    200: jsonContent('You', serverUserSchema),
    ...problems,
  },
});

export const userRoutes: Routes = (app) => {
  app.openapi(who, (c) => {
    const { id, role } = c.get('user');
    return c.json({ ...(id !== undefined && { id }), role }, 200);
  });
};

const list = createRoute({
  method: 'get',
  path: '/api/tools',
  summary: 'The tools of all servers and services, and the servers that are not available',
  responses: { 200: jsonContent('Tools by name', toolListSchema, 'Tools'), ...problems },
});

export const toolRoutes: Routes = (app, { dandori }) => {
  app.openapi(list, (c) => {
    const found = [...dandori.tools().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return c.json({ tools: found, missing: [...dandori.missing()] }, 200);
  });
};

const examine = createRoute({
  method: 'get',
  path: '/api/doctor',
  summary: 'Check stored data for damage: all of it, or one run. Repairs nothing. Admins only',
  request: { query: z.object({ run: z.string().max(128).optional() }) },
  responses: { 200: jsonContent('What was found', examinedSchema, 'Examined'), ...problems },
});

export const doctorRoutes: Routes = (app, { dandori }) => {
  const examineOnce = sharing((run: string) => dandori.doctor(run === '' ? {} : { run }));

  app.openapi(examine, async (c) => {
    // Where the server keeps its data is not told over the network.
    const { store: _, ...found } = await examineOnce(c.req.valid('query').run ?? '');
    return c.json(found, 200);
  });
};

/** These requests read everything that is stored, so equal requests at the same time share one result. */
function sharing<K, T>(read: (asked: K) => Promise<T>): (asked: K) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  return (asked) => {
    const name = stringifyJson(asked);
    const answer = running.get(name) ?? read(asked).finally(() => running.delete(name));
    running.set(name, answer);
    return answer;
  };
}

const statistics = createRoute({
  method: 'get',
  path: '/api/statistics',
  summary:
    'Statistics of your runs: outcomes, model calls, cost, tool failures, ratings. Admins get those of all runs',
  request: { query: statisticsFilters },
  responses: { 200: jsonContent('The figures', countedSchema, 'Statistics'), ...problems },
});

export const statisticsRoutes: Routes = (app, { dandori }) => {
  const countOnce = sharing(dandori.statistics);

  app.openapi(statistics, async (c) => {
    const { id, role } = c.get('user');
    const own = role === 'admin' || id === undefined ? {} : { userId: id };
    const counted = await countOnce({ ...c.req.valid('query'), ...own });
    // The reason names a file of the server, and the owner of a damaged run is unknown.
    return c.json(role === 'admin' ? counted : { ...counted, damaged: [] }, 200);
  });
};
