import type { Routes } from '../parts.ts';

export const health: Routes = (app, { driving, metrics }) => {
  app.get('/healthz', (c) => c.json({ status: 'ok' }));
  app.get('/readyz', (c) =>
    driving.isStopping ? c.json({ status: 'stopping' }, 503) : c.json({ status: 'ready' }),
  );
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );
};
