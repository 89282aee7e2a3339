import { createRoute, z } from '@hono/zod-openapi';
import { ROLES } from '../../config/server-shape.ts';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';

const who = createRoute({
  method: 'get',
  path: '/api/user',
  summary: 'Who you are to the server, and what you may do',
  responses: {
    200: json(
      'Without an id where there are no tokens: whoever works on this machine',
      z.object({ id: z.string().optional(), role: z.enum(ROLES) }),
    ),
    ...problems,
  },
});

export const user: Routes = (app) => {
  app.openapi(who, (c) => {
    const { id, role } = c.get('user');
    return c.json({ ...(id !== undefined && { id }), role }, 200);
  });
};
