import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Document, Schema } from './document.ts';
import type { FuzzRequest } from './request.ts';
import type { FuzzAnswer } from './send.ts';

export interface CheckOptions {
  /** What must be in no answer. */
  readonly hidden: readonly string[];
  readonly codes: ReadonlySet<string>;
}

export type Check = (request: FuzzRequest, answer: FuzzAnswer) => string[];

const PROBLEM: Schema = { $ref: '#/components/schemas/Problem' };
const INSIDE = /\n\s+at |node_modules|\/src\/|\.ts:\d|file:\/\//;

/** What is wrong with an answer, by the server's own description of itself. */
export function createCheck(document: Document, { hidden, codes }: CheckOptions): Check {
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'api', components: strictly(document.components) } as object);
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>();

  function misfit(schema: Schema, value: unknown): string | undefined {
    const check = compiled.get(schema) ?? ajv.compile(rooted(strictly(schema)) as object);
    compiled.set(schema, check);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  }

  function bodyProblems({ route }: FuzzRequest, { status, headers, body }: FuzzAnswer): string[] {
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (status >= 400) return problemProblems({ status, body, type });
    if (route === undefined) return [];
    const described = route.operation.responses[status];
    if (described === undefined) return [`${status} is not described`];
    const { content = {} } = described;
    if (body === '' && Object.keys(content).length === 0) return [];
    const schema = content[type]?.schema;
    if (schema === undefined) return [`${status} as ${type} is not described`];
    if (type !== 'application/json') return [];
    const wrong = misfit(schema, JSON.parse(body));
    return wrong === undefined ? [] : [`${status} does not fit its schema: ${wrong}`];
  }

  function problemProblems({ status, body, type }: { status: number; body: string; type: string }): string[] {
    if (type !== 'application/problem+json') return [`${status} is told as ${type || 'nothing'}`];
    const problem = JSON.parse(body) as { status: number; code: string };
    const wrong = misfit(PROBLEM, problem);
    if (wrong !== undefined) return [`a problem does not fit its schema: ${wrong}`];
    if (problem.status !== status) return [`${status} says that it is ${problem.status}`];
    return codes.has(problem.code) ? [] : [`${problem.code} has no page`];
  }

  return (request, answer) => {
    const { status, headers, body } = answer;
    // A client that sends more than the server reads may lose the answer with the connection.
    if (status === 0) return isTooLarge(request) ? [] : ['no answer'];
    const wrong: string[] = [];
    if (status >= 500) wrong.push(`${status}: ${body.slice(0, 500)}`);
    const said = JSON.stringify(headers) + body;
    wrong.push(...hidden.filter((one) => said.includes(one)).map((one) => `it tells ${one.slice(0, 6)}…`));
    if (INSIDE.test(body)) wrong.push(`it tells of its inside: ${INSIDE.exec(body)?.[0]}`);
    if (headers['x-content-type-options'] !== 'nosniff' || headers['content-security-policy'] === undefined)
      wrong.push('security headers are missing');
    if (Object.keys(headers).some((name) => name.startsWith('access-control-'))) wrong.push('CORS is on');
    const isBare = request.method === 'HEAD' || isAsIs(request);
    return isBare && status < 500 ? wrong : [...wrong, ...bodyProblems(request, answer)];
  };
}

function isTooLarge({ path, headers, body }: FuzzRequest): boolean {
  return path.length + JSON.stringify(headers).length > 15_000 || body.length > 1_000_000;
}

/** The pages for people are no part of the API. */
function isAsIs({ path }: FuzzRequest): boolean {
  return path === '/' || /^\/(docs|openapi\.json)($|[?#])/.test(path);
}

/** Nothing may be in an answer that is not described. */
function strictly<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(strictly) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strictly(value)]));
  const isClosed =
    typeof all.properties === 'object' && all.additionalProperties === undefined && !all.oneOf && !all.anyOf;
  return (isClosed ? { ...all, additionalProperties: false } : all) as T;
}

function rooted<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api#/components')) as T;
}
