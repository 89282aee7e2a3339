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
import { by } from './steering.ts';

const fork = createRoute({
  method: 'post',
  path: '/api/runs/{run}/fork',
  summary: 'A new run with the same past, of the same user; nothing of it is done again',
  request: { params: runParams, body: jsonBody(forkRequest) },
  responses: { 201: jsonContent('The new run', forkedSchema, 'Forked'), ...problems },
});

const diff = createRoute({
  method: 'get',
  path: '/api/runs/{run}/diff/{other}',
  summary: 'What two runs have done differently',
  request: {
    params: runParams.extend({ other: z.string().openapi({ param: { name: 'other', in: 'path' } }) }),
  },
  responses: { 200: jsonContent('The differences', runDiffSchema, 'RunDiff'), ...problems },
});

const history = createRoute({
  method: 'get',
  path: '/api/runs/{run}/history',
  summary: 'The plan as it stands, and every proposal, revision and reflection that led there',
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
  summary: 'Make the run again from its journal alone, and prove each of its events',
  request: { params: runParams, query: replayRange },
  responses: {
    200: jsonContent('What was proved, what differs, and the run as of then', replayedSchema, 'Replayed'),
    ...problems,
  },
});

const record = createRoute({
  method: 'get',
  path: '/api/runs/{run}/record',
  summary: 'The run as a test that `dandori/testing` runs',
  request: { params: runParams },
  responses: { 200: jsonContent('The case', recordedSchema, 'Recorded'), ...problems },
});

export const past: Routes = (app, { dandori, driving, ownRuns }) => {
  app.openapi(fork, async (c) => {
    const { at, from, answers, plan, drive } = c.req.valid('json');
    const forked = await dandori.fork(c.req.valid('param').run, {
      ...(at !== undefined && { at }),
      ...(from !== undefined && { from }),
      ...(answers !== undefined && { answers }),
      ...(plan !== undefined && { tasks: parsePlan(plan, 'plan').tasks }),
      ...by(c),
    });
    if (drive) driving.wake(forked.run);
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
