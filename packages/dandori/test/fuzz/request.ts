import fc from 'fast-check';
import type { Parameter, Route } from './document.ts';
import { odd, valueFor } from './value.ts';

export interface FuzzRequest {
  /** The route that it is meant for; undefined where its path or its method is another one. */
  readonly route: Route | undefined;
  readonly method: string;
  /** With the query, as in the request. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface Known {
  /** Ids of runs of every kind. */
  readonly runs: readonly string[];
  readonly conversations: readonly string[];
  readonly tokens: readonly string[];
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'application/jsonx',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  '',
  'application/json, text/html',
];
const PATHS = [
  '/',
  '/nowhere',
  '/api',
  '/api/',
  '/api//runs',
  '/api/runs/',
  '/api/../api/runs',
  '/api/runs/..%2f..%2fdandori.yaml',
  '/%E0%A4%A',
  '/api/runs/%00',
  '//example.com/api/runs',
  '/docs/../dandori.yaml',
  '/.dandori/runs',
  '/api/runs/%2e%2e/journal',
  '/openapi.json/',
  '/index.html',
  '/api/RUNS',
  '/\\..\\',
  '/api/runs?',
  '/api/runs#x',
  '*',
  `/${'a/'.repeat(2_000)}`,
  `/api/runs?${'a=1&'.repeat(1_000)}`,
];

const TOO_LARGE = Buffer.from(JSON.stringify({ goal: 'x'.repeat(1_200_000) }));
const DEEP_LIST = `{"goal":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
const DEEP_ANSWER = `{"question":"q1","answer":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
const DEEP_GROUP = `{"tasks":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;

export function requests(routes: readonly Route[], known: Known): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(...routes.map((route) => requestsOf(route, known)));
}

function requestsOf(route: Route, known: Known): fc.Arbitrary<FuzzRequest> {
  const usual = pathOf(route, known).map((path) => ({ path, route: route as Route | undefined }));
  const strange = fc.constantFrom(...PATHS).map((path) => ({ path, route: undefined }));
  return fc
    .record({
      where: often(usual, strange, 15),
      method: often(fc.constant(route.method), fc.constantFrom(...METHODS), 15),
      headers: headersOf(route, known),
      body: bodyOf(route),
    })
    .map(({ where, method, headers, body }) => {
      const isBodiless = body.length === 0 || ['GET', 'HEAD', 'TRACE'].includes(method);
      const type: Record<string, string> = isBodiless ? {} : { 'content-type': 'application/json' };
      return {
        path: where.path,
        route: where.route?.method === method ? where.route : undefined,
        method,
        body: isBodiless ? Buffer.alloc(0) : body,
        headers: { ...type, ...headers },
      };
    });
}

function often<T>(usual: fc.Arbitrary<T>, strange: fc.Arbitrary<T>, weight: number): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: strange });
}

function pathOf({ path, operation }: Route, { runs, conversations }: Known): fc.Arbitrary<string> {
  const parameters = operation.parameters ?? [];
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids: Readonly<Record<string, readonly string[]>> = {
    conversation: conversations,
    task: ['t1', 't2'],
  };
  const segments = names.map((name) => often(fc.constantFrom(...(ids[name] ?? runs)), odd.map(escaped), 8));
  return fc
    .tuple(fc.tuple(...segments), queryOf(parameters.filter((one) => one.in === 'query')))
    .map(([values, query]) => {
      const filled = names.reduce(
        (whole, name, index) => whole.replace(`{${name}}`, values[index] ?? ''),
        path,
      );
      return query === '' ? filled : `${filled}?${query}`;
    });
}

/** An object may have a field of the name `toString`, and no way to be a text. */
function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    fc.option(
      valueFor(schema, name).map((value) => `${name}=${escaped(textOf(value))}`),
      { nil: '' },
    ),
  );
  const strange = fc.tuple(odd, odd).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return fc
    .tuple(fc.tuple(...pairs), often(fc.constant(''), strange, 10))
    .map(([all, more]) => [...all, more].filter((pair) => pair !== '').join('&'));
}

function headersOf({ operation }: Route, { tokens }: Known): fc.Arbitrary<Record<string, string>> {
  const own = (operation.parameters ?? []).filter((one) => one.in === 'header');
  const named = own.map(({ name, schema }) =>
    fc.option(valueFor(schema, name).map((value) => [name, printable(textOf(value))] as const)),
  );
  const token = often(fc.constantFrom(...tokens), odd.map(printable), 30);
  return fc
    .tuple(
      fc.tuple(...named),
      often(
        token.map((one) => `Bearer ${one}`),
        odd.map(printable),
        40,
      ),
      fc.record({
        type: often(fc.constant(undefined), fc.constantFrom(...TYPES), 12),
        host: often(fc.constant(undefined), odd.map(printable), 40),
        origin: often(
          fc.constant(undefined),
          fc.constantFrom('null', 'http://evil.example', 'http://localhost'),
          40,
        ),
        chunked: often(fc.constant(false), fc.constant(true), 5),
      }),
    )
    .map(([all, authorization, { type, host, origin, chunked }]) => ({
      ...Object.fromEntries(all.filter((pair) => pair !== null)),
      authorization,
      ...(type !== undefined && { 'content-type': type }),
      ...(host !== undefined && { host }),
      ...(origin !== undefined && { origin }),
      ...(chunked && { 'transfer-encoding': 'chunked' }),
    }));
}

function bodyOf({ operation }: Route): fc.Arbitrary<Buffer> {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const fitting =
    schema === undefined ? fc.constant('') : valueFor(schema).map((value) => JSON.stringify(value) ?? '');
  const broken = fc.oneof(
    fc.tuple(fitting, fc.nat(200)).map(([text, cut]) => text.slice(0, cut)),
    odd,
    fc.constantFrom(
      '{"__proto__":{"polluted":true}}',
      '{"goal":"a","goal":"b"}',
      '\ufeff{"goal":"x"}',
      DEEP_LIST,
      DEEP_ANSWER,
      DEEP_GROUP,
      '{"rating":1e999}',
      'NaN',
    ),
  );
  const text = often(fitting, broken, 9).map((one) => Buffer.from(one));
  const bytes = fc.oneof(
    { weight: 9, arbitrary: fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)) },
    { weight: 1, arbitrary: fc.constant(TOO_LARGE) },
  );
  return often(text, bytes, 30);
}

/** Some of it percent-encoded rightly, some wrongly, some not at all. */
function escaped(text: string): string {
  const [kind] = Buffer.from(`${text.length}`);
  if ((kind ?? 0) % 4 !== 0) return encodeURIComponent(text.toWellFormed());
  return text.replaceAll(/[^\u0021-\u007e]/gu, '%');
}

/** What can stand in a header at all. */
function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e\x80-\xff]/gu, '?').trim();
}
