import { version } from '../config/version.ts';
import { stringifyJson } from '../model/json.ts';
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

/** What the page reads of an OpenAPI document; the rest stands in `/openapi.json`. */
interface ApiDocument {
  readonly info: { readonly version: string; readonly description?: string };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const MEANING = 'What it is';

/** The API to read: no scripts, no other host, and each thing once. */
function docsPage({ info, paths = {}, components: { schemas = {} } = {} }: ApiDocument): string {
  const entries = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const links = entries.map(
    (entry) => `<li><a href="#${idOf(entry)}"><code>${titleOf(entry)}</code></a></li>`,
  );
  const described = Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Dandori API</title><link rel="stylesheet" href="/docs.css"></head>
<body><main><h1>Dandori API ${escaped(info.version)}</h1>
<p>${escaped(info.description ?? '')} The same for programs: <a href="/openapi.json">/openapi.json</a></p>
<nav aria-label="Contents"><ul>${links.join('')}<li><a href="#schemas">Schemas</a></li></ul></nav>
<h2>Operations</h2>
${entries.map(section).join('\n')}
<h2 id="schemas">Schemas</h2>
${described.join('\n')}</main></body></html>`;
}

function section(entry: Entry): string {
  const { summary = '', parameters = [], requestBody, responses = {} } = entry.operation;
  const rows = parameters.map(({ name, in: where, required, description, schema = {} }) => [
    nameOf(name, required),
    where,
    typeOf(schema),
    escaped(description ?? schema.description ?? ''),
  ]);
  const bodies = schemasOf(requestBody?.content).map((schema) => `<h4>Body</h4>${properties(schema)}`);
  const answers = Object.entries(responses).map(([status, { description = '', content }]) => [
    status,
    schemasOf(content).map(typeOf).join(', '),
    escaped(description),
  ]);
  return `<section id="${idOf(entry)}"><h3><code>${titleOf(entry)}</code></h3><p>${escaped(summary)}</p>
${rows.length === 0 ? '' : `<h4>Parameters</h4>${table(['Name', 'In', 'Type', MEANING], rows)}`}
${bodies.join('')}
<h4>Responses</h4>${table(['Status', 'Type', MEANING], answers)}</section>`;
}

function schemaSection(name: string, schema: Schema): string {
  return `<section id="schema-${escaped(name)}"><h3><code>${escaped(name)}</code></h3>
<p>${escaped(schema.description ?? '')}</p>${properties(schema)}</section>`;
}

function properties(schema: Schema): string {
  const { properties: named = {}, required = [] } = schema;
  const rows = Object.entries(named).map(([name, one]) => [
    nameOf(name, required.includes(name)),
    typeOf(one),
    escaped(one.description ?? ''),
  ]);
  const shown = rows.length === 0 ? `<p>${typeOf(schema)}</p>` : table(['Name', 'Type', MEANING], rows);
  return `${shown}<details><summary>JSON Schema</summary><pre>${escaped(stringifyJson(schema, 2))}</pre></details>`;
}

function schemasOf(content: Content = {}): Schema[] {
  return Object.values(content).flatMap(({ schema }) => schema ?? []);
}

/** In words, with a link to what is described below. */
function typeOf(schema: Schema): string {
  const { $ref, items, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) {
    const name = escaped($ref.split('/').at(-1) ?? '');
    return `<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return `<code>${escaped(stringifyJson(schema.const))}</code>`;
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escaped(String(value))}</code>`).join(' or ');
  const several = anyOf ?? oneOf;
  if (several !== undefined) return several.map(typeOf).join(' or ');
  // What only says "an object, or null" besides says nothing.
  if (allOf !== undefined) return typeOf(allOf.find((one) => one.$ref !== undefined) ?? allOf[0] ?? {});
  if (items !== undefined) return `list of ${typeOf(items)}`;
  return escaped([type ?? 'any'].flat().join(' or '));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<div class="wide" tabindex="0"><table><thead>${line(head, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('')}</tbody></table></div>`;
}

function nameOf(name: string, isRequired = false): string {
  return `<code>${escaped(name)}</code>${isRequired ? ' (required)' : ''}`;
}

function titleOf({ method, path }: Entry): string {
  return escaped(`${method.toUpperCase()} ${path}`);
}

function idOf({ method, path }: Entry): string {
  return `${method}${path}`.replace(/[^a-z]+/gi, '-');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { background: light-dark(#fff, #131316); color: light-dark(#1a1a1a, #ececec); max-width: 60rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
a { color: light-dark(#1d4f91, #9cc2ff); }
nav ul { columns: 24rem 2; padding-left: 1.25rem; }
h3 { font-size: 1rem; margin: 2.5rem 0 0; padding-top: 0.5rem; border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
h4 { font-size: 0.875rem; margin: 0.75rem 0 0.25rem; }
p { margin: 0.25rem 0; }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; font-size: 0.875rem; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; }
th { font-weight: 600; }
tbody tr { border-top: 1px solid color-mix(in srgb, currentColor 12%, transparent); }
details { font-size: 0.875rem; margin-top: 0.25rem; }
pre { overflow: auto; padding: 0.5rem; background: color-mix(in srgb, currentColor 8%, transparent); }
`;
