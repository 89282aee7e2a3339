import { createRoute, z } from '@hono/zod-openapi';
import type { RunSummary, Runtime } from '../../app/index.ts';
import { DandoriError } from '../../model/error.ts';
import { type JsonObject, stringifyJson } from '../../model/json.ts';
import { parsePlan } from '../../plan/read.ts';
import type { ListOptions } from '../../store/index.ts';
import type { User } from '../access.ts';
import {
  doneSchema,
  eventPageSchema,
  eventRange,
  runFilters,
  runNowSchema,
  runPageSchema,
  startRequest,
} from '../api.ts';
import { drivingNow } from '../live-updates.ts';
import type { Routes } from '../parts.ts';
import { refuseStopping } from '../problem.ts';
import {
  acceptedLanguage,
  filesIn,
  idempotency,
  jsonBody,
  jsonContent,
  pageOf,
  problems,
  runParams,
} from '../schemas.ts';

type Filters = z.infer<typeof runFilters>;

const list = createRoute({
  method: 'get',
  path: '/api/runs',
  summary: 'The runs, newest first',
  request: { query: runFilters },
  responses: { 200: jsonContent('A page of runs', runPageSchema), ...problems },
});

const create = createRoute({
  method: 'post',
  path: '/api/runs',
  summary: 'Start a run. Requests with the same Idempotency-Key start one run',
  request: { headers: idempotency, body: jsonBody(startRequest) },
  responses: {
    201: jsonContent('The run is stored. It starts as soon as the server has capacity', doneSchema),
    ...problems,
  },
});

export const runListRoutes: Routes = (app, { dandori, driving, config }) => {
  app.openapi(list, async (c) => c.json(await pageFor(c.req.valid('query'), c.get('user'), dandori), 200));

  app.openapi(create, async (c) => {
    refuseStopping(driving);
    const { mode: wanted, approval, output, attachments, ...given } = c.req.valid('json');
    const { goal, tasks } = givenPlan(given);
    const key = c.req.valid('header')['idempotency-key'];
    const userId = c.get('user').id ?? config.userId;
    const run = await dandori.start(goal, {
      ...(wanted && { mode: wanted }),
      ...(approval && { approval, isStricterOnly: c.get('user').role !== 'admin' }),
      ...(userId !== undefined && { userId }),
      attachments: filesIn(attachments),
      ...(output && { output: output as JsonObject }),
      ...(tasks && { tasks, isValidOnly: true }),
      ...(key !== undefined && { key }),
      language: acceptedLanguage(c.req.header('accept-language')),
    });
    driving.take(run);
    return c.json({ run }, 201, { Location: `/api/runs/${run}` });
  });
};

type GivenPlan = Pick<z.infer<typeof startRequest>, 'goal' | 'tasks' | 'plan'>;

function givenPlan({ goal, tasks, plan }: GivenPlan) {
  if (plan !== undefined && tasks !== undefined)
    throw new DandoriError('request-invalid', 'A run takes either tasks or a plan file.', {
      fix: 'Remove one of them.',
    });
  const file = plan === undefined ? undefined : parsePlan(plan, 'plan');
  const wanted = goal ?? file?.goal;
  if (wanted === undefined)
    throw new DandoriError('request-invalid', 'A run needs a goal.', {
      fix: 'Send "goal", or a plan file that names it.',
    });
  return { goal: wanted, tasks: file?.tasks ?? tasks };
}

async function pageFor(
  { limit, before, ...wanted }: Filters,
  user: User,
  dandori: Pick<Runtime, 'runs' | 'report'>,
): Promise<{ runs: RunSummary[]; next?: string }> {
  const { since = 0 } = wanted;
  const { items, ...next } = await pageOf<RunSummary>({
    limit,
    before,
    list: (page) => dandori.runs({ ...page, ...narrowed(wanted, user) }),
    idOf: ({ run }) => run,
    isWanted: (summary) => isWanted(summary, wanted, user),
    isPast: ({ status: is, startedAt }) => is !== 'damaged' && startedAt < since,
  });
  const runs = await Promise.all(items.map((summary) => withStatus(summary, dandori)));
  return { runs: runs.filter(({ status: is }) => isIn(is, wanted.status)), ...next };
}

/** What the store can select itself. `open` may turn out to be another status. */
function narrowed({ status, user: of }: Omit<Filters, 'limit' | 'before'>, user: User): ListOptions {
  const userId = user.role === 'admin' ? of : user.id;
  return {
    ...(userId !== undefined && { userId }),
    ...(status !== undefined && { status: [...new Set([status, 'open' as const])] }),
  };
}

function isIn(is: RunSummary['status'], wanted: RunSummary['status'] | undefined): boolean {
  return wanted === undefined || is === wanted;
}

/**
 * A question may stay open while other tasks continue. The last event, which a summary uses, does not show
 * that.
 */
async function withStatus(summary: RunSummary, dandori: Pick<Runtime, 'report'>): Promise<RunSummary> {
  if (summary.status !== 'open') return summary;
  // If the run cannot be read, its own route reports the error.
  const report = await dandori.report(summary.run).catch(() => undefined);
  return report === undefined ? summary : { ...summary, status: report.outcome };
}

function isWanted(
  { userId, status: is, goal, startedAt }: RunSummary,
  wanted: Omit<Filters, 'limit' | 'before'>,
  { id, role }: User,
): boolean {
  if (role !== 'admin' && (id === undefined || userId !== id)) return false;
  if (wanted.user !== undefined && userId !== wanted.user) return false;
  // If the last event does not tell the status, the run's report is checked later.
  if (is !== 'open' && !isIn(is, wanted.status)) return false;
  if (wanted.until !== undefined && startedAt > wanted.until) return false;
  return wanted.text === undefined || goal.toLowerCase().includes(wanted.text.toLowerCase());
}

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}',
  summary: 'A run: its tasks, final answer and questions, and whether a process is running it',
  request: { params: runParams },
  responses: { 200: jsonContent('The run', runNowSchema, 'Run'), ...problems },
});

const events = createRoute({
  method: 'get',
  path: '/api/runs/{run}/events',
  summary: 'The events of a run so far. /stream continues with new ones',
  request: { params: runParams, query: eventRange },
  responses: { 200: jsonContent('Events in order', eventPageSchema, 'Events'), ...problems },
});

const journal = createRoute({
  method: 'get',
  path: '/api/runs/{run}/journal',
  summary: 'The whole journal as JSON Lines',
  request: { params: runParams },
  responses: {
    200: { description: 'A file', content: { 'text/jsonl': { schema: z.string() } } },
    ...problems,
  },
});

export const runRoutes: Routes = (app, parts) => {
  const { dandori } = parts;
  app.openapi(get, async (c) => {
    const { run: id } = c.req.valid('param');
    return c.json({ report: await dandori.report(id), driving: await drivingNow(id, parts) }, 200);
  });

  app.openapi(events, async (c) => {
    const { after, limit } = c.req.valid('query');
    const all = await dandori.events(c.req.valid('param').run, after);
    const some = all.slice(0, limit);
    const last = some.at(-1)?.seq;
    return c.json({ events: some, ...(all.length > limit && last !== undefined && { next: last }) }, 200);
  });

  app.openapi(journal, async (c) => {
    const { run: id } = c.req.valid('param');
    const lines = (await dandori.events(id)).map((event) => `${stringifyJson(event)}\n`);
    c.header('Content-Disposition', `attachment; filename="${id}.jsonl"`);
    return c.body(lines.join(''), 200, { 'Content-Type': 'text/jsonl; charset=utf-8' });
  });
};
