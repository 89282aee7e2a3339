import { createRoute, z } from '@hono/zod-openapi';
import { every } from '../../core/period.ts';
import { stringifyJson } from '../../domain/json-text.ts';
import type { Counted } from '../../engine/count.ts';
import { described } from '../described.ts';
import type { Routes } from '../parts.ts';
import { count, json, problems } from '../schemas.ts';
import { statisticsShape } from '../shapes.ts';

const statistics = createRoute({
  method: 'get',
  path: '/api/statistics',
  summary: 'Counts your runs, and for admins all: outcomes, model calls, cost, failures of tools, ratings',
  request: {
    query: z.object({
      since: count
        .min(0)
        .default(0)
        .openapi({ description: 'Started then or later; milliseconds since 1970' }),
      every: every.optional().openapi({
        description: 'Tells a series too, by the time at which runs started; its periods begin with `since`',
      }),
    }),
  },
  responses: {
    200: json('The figures', described<Counted>('Statistics', statisticsShape)),
    ...problems,
  },
});

export const counting: Routes = (app, { dandori }) => {
  /** Every journal is read for it, so those who ask the same at the same time get one answer. */
  const underWay = new Map<string, Promise<Counted>>();

  app.openapi(statistics, async (c) => {
    const { since, every: period } = c.req.valid('query');
    const { id, role } = c.get('user');
    const own = role === 'admin' || id === undefined ? {} : { userId: id };
    const name = stringifyJson([since, period, own]);
    const counted =
      underWay.get(name) ??
      dandori.statistics({ since, ...(period && { every: period }), ...own }).finally(() => {
        underWay.delete(name);
      });
    underWay.set(name, counted);
    return c.json(ofUser(await counted, role), 200);
  });
};

/** Why a run is damaged names a file of the server; and whose it was, nobody knows. */
function ofUser(counted: Counted, role: string): Counted {
  return role === 'admin' ? counted : { ...counted, damaged: [] };
}
