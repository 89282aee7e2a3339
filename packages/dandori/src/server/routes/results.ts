import { createRoute, z } from '@hono/zod-openapi';
import { DandoriError } from '../../model/error.ts';
import { stringifyJson } from '../../model/json.ts';
import { plainPath } from '../../plan/query.ts';
import type { Routes } from '../parts.ts';
import { count, jsonContent, problems, runParams } from '../schemas.ts';

/** A `ResultPart`; values within values have no end for the types. */
const partSchema = z.custom<object>().openapi('ResultPart', {
  type: 'object',
  required: ['kind'],
  properties: {
    kind: { type: 'string', enum: ['list', 'object', 'text', 'plain'] },
    total: { type: 'integer', description: 'Elements, fields, or characters' },
    items: {
      type: 'array',
      items: { type: 'object' },
      description: 'Each with its key, and its value or, where that is large, its kind and total',
    },
    text: { type: 'string' },
    value: {},
  },
});

const get = createRoute({
  method: 'get',
  path: '/api/runs/{run}/tasks/{task}/result',
  summary: 'A part of the result of a task, however large the whole is',
  request: {
    params: runParams.extend({ task: z.string().openapi({ param: { name: 'task', in: 'path' } }) }),
    query: z.object({
      path: z
        .string()
        .max(10_000)
        .default('')
        .openapi({ description: 'Keys and indexes, as in a Ref: `rows[0]."odd key"`' }),
      offset: count.min(0).default(0),
      limit: count
        .min(1)
        .max(1_000)
        .default(100)
        .openapi({ description: 'Elements, fields, or thousands of characters of a text' }),
    }),
  },
  responses: { 200: jsonContent('A part of it', partSchema), ...problems },
});

export const results: Routes = (app, { dandori }) => {
  app.openapi(get, async (c) => {
    const { run, task } = c.req.valid('param');
    const { path: written, ...page } = c.req.valid('query');
    const path = plainPath(written);
    if (path === undefined)
      throw new DandoriError('request-invalid', `${stringifyJson(written)} is no path.`, {
        fix: 'Write keys and indexes: rows[0].city',
      });
    const part: object = await dandori.result(run, task, { path, ...page });
    return c.json(part, 200);
  });
};
