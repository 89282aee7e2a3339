import { createRoute, z } from '@hono/zod-openapi';
import { parsePlan } from '../../config/plan-file.ts';
import type { PlanHistory } from '../../core/history.ts';
import type { RunDiff } from '../../core/run-diff.ts';
import type { Json } from '../../domain/json.ts';
import type { Forked } from '../../engine/fork.ts';
import { described } from '../described.ts';
import type { Routes } from '../parts.ts';
import { json, jsonBody, problems, runParams } from '../schemas.ts';
import { forkedShape, planHistoryShape, runDiffShape } from '../shapes.ts';

const fork = createRoute({
  method: 'post',
  path: '/api/runs/{run}/fork',
  summary: 'A new run with the same past, of the same user; nothing of it is done again',
  request: {
    params: runParams,
    body: jsonBody(
      z.strictObject({
        at: z.number().int().positive().optional().openapi({ description: 'The last event that both share' }),
        answers: z
          .record(
            z.string(),
            z.custom<Json>((value) => value !== undefined),
          )
          .optional()
          .openapi({ type: 'object', description: 'What is answered otherwise, by question' }),
        plan: z
          .string()
          .optional()
          .openapi({ description: 'A plan file in place of all tasks that were not begun by then' }),
        drive: z.boolean().default(true),
      }),
    ),
  },
  responses: {
    201: json('The new run', described<Forked>('Forked', forkedShape)),
    ...problems,
  },
});

const diff = createRoute({
  method: 'get',
  path: '/api/runs/{run}/diff/{other}',
  summary: 'What two runs have done differently',
  request: {
    params: runParams.extend({ other: z.string().openapi({ param: { name: 'other', in: 'path' } }) }),
  },
  responses: {
    200: json('The differences', described<RunDiff>('RunDiff', runDiffShape)),
    ...problems,
  },
});

const history = createRoute({
  method: 'get',
  path: '/api/runs/{run}/history',
  summary: 'The plan as it stands, and every proposal, revision and reflection that led there',
  request: { params: runParams },
  responses: {
    200: json('The history', described<PlanHistory>('PlanHistory', planHistoryShape)),
    ...problems,
  },
});

export const past: Routes = (app, { dandori, driving, ownRuns }) => {
  app.openapi(fork, async (c) => {
    const { at, answers, plan, drive } = c.req.valid('json');
    const forked = await dandori.fork(c.req.valid('param').run, {
      ...(at !== undefined && { at }),
      ...(answers !== undefined && { answers }),
      ...(plan !== undefined && { tasks: parsePlan(plan, 'plan').tasks }),
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
};
