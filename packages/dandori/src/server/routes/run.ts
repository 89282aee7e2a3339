import { createRoute, z } from '@hono/zod-openapi';
import { stringifyJson } from '../../domain/json-text.ts';
import type { Routes } from '../parts.ts';
import { count, eventSchema, json, problems, reportSchema, runParams } from '../schemas.ts';

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}',
  summary: 'A run: its tasks, its answer, its questions, and whether it is driven now',
  request: { params: runParams },
  responses: {
    200: json(
      'The run',
      z.object({ report: reportSchema, driving: z.enum(['driving', 'queued', 'idle', 'retrying']) }),
    ),
    ...problems,
  },
});

const events = createRoute({
  method: 'get',
  path: '/api/runs/{run}/events',
  summary: 'The events of a run so far; /stream goes on with them',
  request: {
    params: runParams,
    query: z.object({ after: count.min(0).default(0), limit: count.min(1).max(10_000).default(1_000) }),
  },
  responses: {
    200: json('Events in order', z.object({ events: z.array(eventSchema), next: z.number().optional() })),
    ...problems,
  },
});

const journal = createRoute({
  method: 'get',
  path: '/api/runs/{run}/journal',
  summary: 'The whole journal as JSON Lines, one event a line',
  request: { params: runParams },
  responses: {
    200: { description: 'A file', content: { 'text/jsonl': { schema: z.string() } } },
    ...problems,
  },
});

export const run: Routes = (app, { dandori, driving }) => {
  app.openapi(get, async (c) => {
    const { run: id } = c.req.valid('param');
    return c.json({ report: await dandori.report(id), driving: driving.stateOf(id) }, 200);
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
