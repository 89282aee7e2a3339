import { createRoute, z } from '@hono/zod-openapi';
import type { Routes } from '../parts.ts';
import { json, problems } from '../schemas.ts';

const anybody = { method: 'get' as const, security: [] };

const healthz = createRoute({
  ...anybody,
  path: '/healthz',
  summary: 'Whether the process is there',
  responses: { 200: json('It is', z.object({ status: z.literal('ok') })), ...problems },
});

const readyz = createRoute({
  ...anybody,
  path: '/readyz',
  summary: 'Whether it takes new runs',
  responses: {
    200: json(
      'It does; `retrying`: so many runs cannot be driven now and are tried again, as the log says',
      z.object({ status: z.literal('ready'), retrying: z.number().int() }),
    ),
    503: json('It is stopping', z.object({ status: z.literal('stopping') })),
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
