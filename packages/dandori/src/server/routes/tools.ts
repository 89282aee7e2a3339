import { createRoute, z } from '@hono/zod-openapi';
import type { Tool } from '../../domain/tool.ts';
import type { MissingServer } from '../../ports/toolbox.ts';
import { described } from '../described.ts';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';
import { missingServerShape, toolShape } from '../shapes.ts';

const toolSchema = described<Tool>('Tool', toolShape);
const missingSchema = described<MissingServer>('MissingServer', missingServerShape);

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
