import { createRoute, z } from '@hono/zod-openapi';
import type { Examined } from '../../domain/finding.ts';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';

const examine = createRoute({
  method: 'get',
  path: '/api/doctor',
  summary: 'Look for damage in all that is stored, or in one run; for admins. Nothing is mended',
  request: { query: z.object({ run: z.string().max(128).optional() }) },
  responses: {
    200: json('What was found', z.custom<Examined>().openapi('Examined', { type: 'object' })),
    ...problems,
  },
});

export const examining: Routes = (app, { dandori }) => {
  /** Everything is read for it, so those who ask at the same time get one answer. */
  const underWay = new Map<string, Promise<Examined>>();

  app.openapi(examine, async (c) => {
    const { run = '' } = c.req.valid('query');
    const examined =
      underWay.get(run) ??
      dandori.doctor(run === '' ? {} : { run }).finally(() => {
        underWay.delete(run);
      });
    underWay.set(run, examined);
    return c.json(await examined, 200);
  });
};
