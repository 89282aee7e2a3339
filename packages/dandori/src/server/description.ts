import { version } from '../config/version.ts';
import { type ApiDocument, docsPage, STYLE } from './docs-page.ts';
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

/** The API in OpenAPI 3.1, and a page of it that needs neither scripts nor another host. */
export function describeApi(app: App): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  app.doc31('/openapi.json', DOCUMENT);
  app.get('/docs', (c) => c.html(docsPage(app.getOpenAPI31Document(DOCUMENT) as ApiDocument)));
  app.get('/docs.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  // Also where the page was not built; `npm run prepare` does.
  app.get('/', (c) => c.json({ name: 'dandori', version: version(), docs: '/docs', api: '/openapi.json' }));
}
