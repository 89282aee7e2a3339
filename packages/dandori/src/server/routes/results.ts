import { createRoute, z } from '@hono/zod-openapi';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { plainPath } from '../../plan/plain-path.ts';
import { resultPartSchema } from '../../views/result-page.ts';
import { resultRange } from '../api.ts';
import type { Routes } from '../parts.ts';
import { jsonContent, problems, runParams } from '../schemas.ts';

/** Widened, because Hono's types recurse without end on nested JSON. */
const partSchema: z.ZodType<object> = resultPartSchema;

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}/tasks/{task}/result',
  summary: 'A part of the result of a task',
  request: {
    params: runParams.extend({ task: z.string().openapi({ param: { name: 'task', in: 'path' } }) }),
    query: resultRange,
  },
  responses: { 200: jsonContent('The part', partSchema, 'ResultPart'), ...problems },
});

export const resultRoutes: Routes = (app, { dandori }) => {
  app.openapi(get, async (c) => {
    const { run, task } = c.req.valid('param');
    const { path: written, ...page } = c.req.valid('query');
    const path = plainPath(written);
    if (path === undefined)
      throw new DandoriError('request-invalid', `${stringifyJson(written)} is not a path.`, {
        fix: 'Write keys and indexes: rows[0].city',
      });
    const part: object = await dandori.result(run, task, { path, ...page });
    return c.json(part, 200);
  });
};
