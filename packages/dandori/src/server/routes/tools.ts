import { createRoute, z } from '@hono/zod-openapi';
import type { Tool } from '../../domain/tool.ts';
import type { MissingServer } from '../../ports/toolbox.ts';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';

const toolSchema = z.custom<Tool>().openapi('Tool', {
  type: 'object',
  required: ['name', 'effect'],
  properties: {
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    effect: { type: 'string', enum: ['read', 'idempotent', 'write', 'destructive'] },
    inputSchema: { type: 'object' },
    outputSchema: { type: 'object' },
  },
});
const missingSchema = z.custom<MissingServer>().openapi('MissingServer', {
  type: 'object',
  properties: { server: { type: 'string' }, reason: { type: 'string' } },
});

const list = createRoute({
  method: 'get',
  path: '/api/tools',
  summary: 'The tools of all servers and services, and the servers that are not available',
  responses: {
    200: json('Tools by name', z.object({ tools: z.array(toolSchema), missing: z.array(missingSchema) })),
    ...problems,
  },
});

export const tools: Routes = (app, { dandori }) => {
  app.openapi(list, (c) => {
    const found = [...dandori.tools().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return c.json({ tools: found, missing: [...dandori.missing()] }, 200);
  });
};
