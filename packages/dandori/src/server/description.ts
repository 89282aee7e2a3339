import { html } from 'hono/html';
import { version } from '../config/index.ts';
import type { App } from './parts.ts';

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Dandori',
    version: version(),
    description: 'Runs, their events, questions and plans. Errors are problem+json with a code and a fix.',
  },
  components: {},
  security: [{ token: [] }],
};

/** Serves the API as OpenAPI 3.1, and as a readable page without scripts or external files. */
export function describeApi(app: App): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.doc31('/openapi.json', DOCUMENT);
  app.get('/docs', (c) => c.html(docsPage(app)));
  // This works even if the page was not built. `npm run prepare` builds it.
  app.get('/', (c) => c.json({ name: 'dandori', version: version(), docs: '/docs', api: '/openapi.json' }));
}

function docsPage(app: App) {
  const rows = app.openAPIRegistry.definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { method, path, summary } = definition.route;
    return [html`<dt><code>${method.toUpperCase()} ${path}</code></dt><dd>${summary}</dd>`];
  });
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Dandori API ${version()}</title></head>
<body><main><h1>Dandori API ${version()}</h1>
<p>${DOCUMENT.info.description} Parameters, bodies and answers: <a href="/openapi.json">/openapi.json</a>, for any OpenAPI viewer.</p>
<dl>${rows}</dl></main></body></html>`;
}
