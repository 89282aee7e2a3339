import { createRoute, z } from '@hono/zod-openapi';
import {
  forkedSchema,
  historyLineSchema,
  planHistorySchema,
  recordedSchema,
  replayedSchema,
  runDiffSchema,
  writeHistoryLines,
} from '../../history/index.ts';
import { parsePlan } from '../../plan/read.ts';
import { forkRequest, replayRange } from '../api.ts';
import type { Routes } from '../parts.ts';
import { jsonBody, jsonContent, linesContent, problems, runParams } from '../schemas.ts';
import { actingUser } from './steering.ts';

const fork = createRoute({
  method: 'post',
  path: '/api/runs/{run}/fork',
  summary: 'Fork a run: a new run with the same past and user. Past calls are not repeated',
  request: { params: runParams, body: jsonBody(forkRequest) },
  responses: { 201: jsonContent('The new run', forkedSchema, 'Forked'), ...problems },
});

const diff = createRoute({
  method: 'get',
  path: '/api/runs/{run}/diff/{other}',
  summary: 'Compare two runs',
  request: {
    params: runParams.extend({ other: z.string().openapi({ param: { name: 'other', in: 'path' } }) }),
  },
  responses: { 200: jsonContent('The differences', runDiffSchema, 'RunDiff'), ...problems },
});

const history = createRoute({
  method: 'get',
  path: '/api/runs/{run}/history',
  summary: 'The current plan, with every proposal, revision and reflection that led to it',
  request: { params: runParams },
  responses: { 200: jsonContent('The history', planHistorySchema, 'PlanHistory'), ...problems },
});

const lines = createRoute({
  method: 'get',
  path: '/api/runs/{run}/history/lines',
  summary: 'Plans, revisions and reflections as JSON Lines, each with its type and an ISO 8601 timestamp',
  request: { params: runParams },
  responses: {
    200: linesContent('A file; the schema is that of one line', historyLineSchema, 'HistoryLine'),
    ...problems,
  },
});

const replay = createRoute({
  method: 'get',
  path: '/api/runs/{run}/replay',
  summary: 'Verify a run: recompute each event from the journal alone',
  request: { params: runParams, query: replayRange },
  responses: {
    200: jsonContent(
      'What was verified, what differs, and the state of the run at that point',
      replayedSchema,
      'Replayed',
    ),
    ...problems,
  },
});

const record = createRoute({
  method: 'get',
  path: '/api/runs/{run}/record',
  summary: 'The run as a test case for `dandori/testing`',
  request: { params: runParams },
  responses: { 200: jsonContent('The test case', recordedSchema, 'Recorded'), ...problems },
});

export const historyRoutes: Routes = (app, { dandori, driving, ownRuns }) => {
  app.openapi(fork, async (c) => {
    const { at, from, answers, plan, drive } = c.req.valid('json');
    const forked = await dandori.fork(c.req.valid('param').run, {
      ...(at !== undefined && { at }),
      ...(from !== undefined && { from }),
      ...(answers !== undefined && { answers }),
      ...(plan !== undefined && { tasks: parsePlan(plan, 'plan').tasks }),
      ...actingUser(c),
    });
    if (drive) driving.take(forked.run);
    return c.json(forked, 201, { Location: `/api/runs/${forked.run}` });
  });

  app.openapi(diff, async (c) => {
    const { run, other } = c.req.valid('param');
    await ownRuns.check(other, c.get('user'));
    return c.json(await dandori.diff(run, other), 200);
  });

  app.openapi(history, async (c) => c.json(await dandori.history(c.req.valid('param').run), 200));

  app.openapi(lines, async (c) => {
    const found = await dandori.historyLines(c.req.valid('param').run);
    return c.body(writeHistoryLines(found), 200, { 'Content-Type': 'text/jsonl; charset=utf-8' });
  });

  app.openapi(replay, async (c) => {
    const { to } = c.req.valid('query');
    return c.json(await dandori.replay(c.req.valid('param').run, to === undefined ? {} : { to }), 200);
  });

  app.openapi(record, async (c) => c.json(await dandori.record(c.req.valid('param').run), 200));
};
