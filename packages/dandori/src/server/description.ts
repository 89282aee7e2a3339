import { version } from '../config/version.ts';
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
  app.get('/docs', (c) => c.html(page(app.getOpenAPI31Document(DOCUMENT))));
  app.get('/docs.css', (c) => c.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  // Also where the page was not built; `npm run prepare` does.
  app.get('/', (c) => c.json({ name: 'dandori', version: version(), docs: '/docs', api: '/openapi.json' }));
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
}

function page({ paths = {}, components }: { paths?: object; components?: object }): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) =>
      section(`${method.toUpperCase()} ${path}`, operation),
    ),
  );
  const schemas = details('Schemas', (components as { schemas?: unknown } | undefined)?.schemas);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Dandori API</title><link rel="stylesheet" href="/docs.css"></head>
<body><h1>Dandori API</h1><p>The same for programs: <a href="/openapi.json">/openapi.json</a></p>
${operations.join('\n')}
${schemas}</body></html>`;
}

function section(title: string, { summary = '', parameters, requestBody, responses }: Operation): string {
  const parts = [
    details('Parameters', parameters),
    details('Body', requestBody),
    details('Responses', responses),
  ];
  return `<section><h2><code>${escaped(title)}</code></h2><p>${escaped(summary)}</p>${parts.join('')}</section>`;
}

function details(title: string, value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return `<details><summary>${title}</summary><pre>${escaped(JSON.stringify(value, null, 2))}</pre></details>`;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { font-size: 1rem; margin: 1.5rem 0 0; }
p { margin: 0.25rem 0; }
pre { overflow: auto; padding: 0.5rem; background: color-mix(in srgb, currentColor 8%, transparent); }
`;
