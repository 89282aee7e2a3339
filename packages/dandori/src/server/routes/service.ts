import { createRoute, z } from '@hono/zod-openapi';
import { ROLES } from '../../config/servers.ts';
import type { Counted } from '../../history/all-runs.ts';
import { every } from '../../history/statistics.ts';
import type { Examined } from '../../model/finding.ts';
import { stringifyJson } from '../../model/json.ts';
import type { Tool } from '../../model/tool.ts';
import type { MissingServer } from '../../tools/toolbox.ts';
import type { Routes } from '../parts.ts';
import { count, described, jsonContent, problems } from '../schemas.ts';
import { missingServerShape, statisticsShape, toolShape } from '../shapes.ts';

const anybody = { method: 'get' as const, security: [] };

const healthz = createRoute({
  ...anybody,
  path: '/healthz',
  summary: 'Whether the process is there',
  responses: { 200: jsonContent('It is', z.object({ status: z.literal('ok') })), ...problems },
});

const readyz = createRoute({
  ...anybody,
  path: '/readyz',
  summary: 'Whether it takes new runs',
  responses: {
    200: jsonContent(
      'It does; `retrying`: so many runs cannot be driven now and are tried again, as the log says',
      z.object({ status: z.literal('ready'), retrying: z.number().int() }),
    ),
    503: jsonContent('It is stopping', z.object({ status: z.literal('stopping') })),
    ...problems,
  },
});

const figures = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'The figures of this process since its start, for Prometheus; for admins',
  responses: {
    200: { description: 'Text', content: { 'text/plain': { schema: z.string() } } },
    ...problems,
  },
});

export const health: Routes = (app, { driving, metrics }) => {
  app.openapi(healthz, (c) => c.json({ status: 'ok' } as const, 200));
  app.openapi(readyz, (c) =>
    driving.isStopping
      ? c.json({ status: 'stopping' } as const, 503)
      : c.json({ status: 'ready', retrying: driving.count.retrying } as const, 200),
  );
  app.openapi(figures, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );
};

const who = createRoute({
  method: 'get',
  path: '/api/user',
  summary: 'Who you are to the server, and what you may do',
  responses: {
    200: jsonContent(
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

const toolSchema = described<Tool>('Tool', toolShape);
const missingSchema = described<MissingServer>('MissingServer', missingServerShape);

const list = createRoute({
  method: 'get',
  path: '/api/tools',
  summary: 'The tools of all servers and services, and the servers that are not available',
  responses: {
    200: jsonContent(
      'Tools by name',
      z.object({ tools: z.array(toolSchema), missing: z.array(missingSchema) }),
    ),
    ...problems,
  },
});

export const tools: Routes = (app, { dandori }) => {
  app.openapi(list, (c) => {
    const found = [...dandori.tools().values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return c.json({ tools: found, missing: [...dandori.missing()] }, 200);
  });
};

const examine = createRoute({
  method: 'get',
  path: '/api/doctor',
  summary: 'Look for damage in all that is stored, or in one run; for admins. Nothing is mended',
  request: { query: z.object({ run: z.string().max(128).optional() }) },
  responses: {
    200: jsonContent('What was found', z.custom<Examined>().openapi('Examined', { type: 'object' })),
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
    200: jsonContent('The figures', described<Counted>('Statistics', statisticsShape)),
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
