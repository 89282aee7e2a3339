import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { DandoriError } from '../model/error.ts';
import { parseJson, stringifyJson } from '../model/json.ts';
import { clip } from '../model/text.ts';
import { createRateLimit } from './access.ts';
import { describeApi } from './description.ts';
import {
  adminsOnly,
  authentication,
  filesAsJson,
  ownConversationsOnly,
  ownPagesOnly,
  ownRunsOnly,
  roles,
  securityHeaders,
  smallJsonOnly,
} from './guard.ts';
import { createPage } from './page.ts';
import type { App, Env, Routes, ServerParts } from './parts.ts';
import { problemFor, translateFor } from './problem.ts';
import { conversationRoutes } from './routes/conversations.ts';
import { historyRoutes } from './routes/history.ts';
import { messageRoutes } from './routes/messages.ts';
import { planRoutes } from './routes/plans.ts';
import { resultRoutes } from './routes/results.ts';
import { runListRoutes, runRoutes } from './routes/runs.ts';
import {
  doctorRoutes,
  healthRoutes,
  statisticsRoutes,
  toolRoutes,
  userRoutes,
  workerRoutes,
} from './routes/service.ts';
import { approvalRoutes, questionRoutes, steeringRoutes } from './routes/steering.ts';
import { streamRoutes } from './routes/stream.ts';
import { acceptedLanguage } from './schemas.ts';

const ROUTES: readonly Routes[] = [
  healthRoutes,
  userRoutes,
  runListRoutes,
  runRoutes,
  resultRoutes,
  streamRoutes,
  steeringRoutes,
  questionRoutes,
  approvalRoutes,
  planRoutes,
  historyRoutes,
  toolRoutes,
  statisticsRoutes,
  conversationRoutes,
  messageRoutes,
  workerRoutes,
  doctorRoutes,
];

/** A message may repeat all the unknown keys of a request. */
const LONGEST_ISSUE = 500;

/** Every request passes the guards first, so that no route can forget one. */
export function createApp(
  parts: ServerParts,
  { log, isWorker }: { readonly log: (error: unknown) => void; readonly isWorker: boolean },
): App {
  const { config, users, metrics } = parts;
  const page = createPage();
  const app: App = new OpenAPIHono<Env>({
    defaultHook(result, c) {
      if (result.success) return;
      // Each issue is translated by itself, because a template cannot tell where one of them ends.
      const said = result.error.issues.slice(0, 5).map(({ path, message }) => {
        // Our own messages continue after the key; those of zod are sentences.
        const between = /^[a-z]/.test(message) ? ' ' : ': ';
        const named = path.length === 0 ? message : `${path.join('.')}${between}${message}`;
        return translateFor(c)(clip(named, LONGEST_ISSUE));
      });
      throw new DandoriError('request-invalid', said.join('; '), {
        fix: 'GET /openapi.json says what can be sent.',
      });
    },
  });
  app.onError((error, c) => problemFor(error, c, log));
  app.notFound((c) =>
    problemFor(
      new DandoriError('route-not-found', 'No such route.', {
        fix: 'GET /docs lists the routes.',
      }),
      c,
    ),
  );
  app.use(async (c, next) => {
    c.set('language', acceptedLanguage(c.req.header('accept-language')) ?? config.language);
    const startedAt = performance.now();
    await next();
    // The route pattern instead of the path, to have one metric series per route and not one per run.
    metrics.request(routeOf(c.req.matchedRoutes), c.res.status, (performance.now() - startedAt) / 1000);
  });
  app.use(exactNumbers());
  app.use(securityHeaders());
  app.use(ownPagesOnly(config.server.hosts, page.has));
  app.use(
    authentication(
      users,
      createRateLimit(config.server.rateLimit, () => performance.now()),
      page.has,
    ),
  );
  if (!isWorker) app.use(page.handler);
  app.use('/metrics', adminsOnly('Only admins can see the figures of all users.'));
  app.use('/api/workers', adminsOnly('Only admins can see the processes of the server.'));
  app.use('/api/doctor', adminsOnly('Only admins can check the stored data of all users.'));
  app.use('/api/*', roles(), filesAsJson(), smallJsonOnly());
  for (const rest of ['', '/*']) {
    app.use(`/api/runs/:run${rest}`, ownRunsOnly(parts));
    app.use(`/api/conversations/:conversation${rest}`, ownConversationsOnly(parts));
  }
  for (const add of isWorker ? [healthRoutes] : ROUTES) add(app, parts);
  if (!isWorker) describeApi(app);
  return app;
}

/** Reads and writes JSON bodies so that integers beyond 2^53 keep their exact value. */
function exactNumbers(): MiddlewareHandler<Env> {
  return async (c, next) => {
    const json = (value: unknown, status?: ContentfulStatusCode, headers?: Record<string, string>) =>
      c.body(stringifyJson(value), status, { 'Content-Type': 'application/json', ...headers });
    Object.assign(c, { json });
    Object.assign(c.req, { json: async () => parseJson(await c.req.text()) });
    await next();
  };
}

function routeOf(matched: readonly { readonly path: string; readonly method: string }[]): string {
  const last = matched.findLast(({ method, path }) => method !== 'ALL' && !path.endsWith('*'));
  return last === undefined ? 'none' : `${last.method} ${last.path}`;
}
