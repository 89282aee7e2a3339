import { createRequire } from 'node:module';
import type { Ajv as AjvDraft7, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { SchemaCheck } from '../../core/schema.ts';
import {
  hugeIn,
  type StandIns,
  spacedStandIns,
  standIns,
  withoutStandIns,
  withStandIns,
} from '../../core/stand-in.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { toIssues } from './issue.ts';
import { createPattern } from './pattern.ts';

/** A check that also tells what is wrong with a schema itself, so that it can be reported when a tool is discovered. */
export interface CheckedSchemas extends SchemaCheck {
  /** Undefined for a usable schema. A schema with a problem accepts every value. */
  readonly problem: (schema: JsonObject) => string | undefined;
}

interface Compiled {
  readonly validate?: ValidateFunction;
  /** What stands for the integers beyond 2^53 in the schema: ajv knows no bigint. */
  readonly fixed?: StandIns;
  readonly problem?: string;
}

/** A schema above this is not compiled: code generation for it would stop the event loop for seconds. */
const MAX_SCHEMA_NODES = 20_000;
const MAX_SCHEMA_DEPTH = 200;

/**
 * JSON Schema by ajv: 2020-12 as MCP says, draft-07 where `$schema` says so or where nothing else makes sense of it.
 * Nothing is loaded before the first value is checked (ajv takes about 130 ms to load and to warm up), and nothing is
 * ever fetched: a `$ref` to another document is a problem of the schema.
 */
export function createSchemaCheck(): CheckedSchemas {
  const compiled = new WeakMap<JsonObject, Compiled>();
  const dialects = lazyDialects();

  const get = (schema: JsonObject): Compiled => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    const made = compile(schema, dialects);
    compiled.set(schema, made);
    return made;
  };

  const check: SchemaCheck = (schema, value) => {
    const { validate, fixed } = get(schema);
    if (validate === undefined) return [];
    const huge = hugeIn(value);
    const numbers = standIns(huge, fixed);
    const errors = run(validate, huge.size === 0 ? value : withStandIns(value, numbers));
    if (typeof errors === 'string') compiled.set(schema, { problem: errors });
    if (typeof errors === 'string' || errors.length === 0) return [];
    if (numbers.size === 0) return toIssues(errors, value);
    return toIssues(errors.map((error) => restored(error, numbers)).filter(isMeant), value);
  };
  return Object.assign(check, { problem: (schema: JsonObject) => get(schema).problem });
}

type Dialects = Record<'draft7' | 'draft2020', () => AjvDraft7>;

/** ajv is CommonJS, so that it can be loaded late and still behind a synchronous call. */
function lazyDialects(): Dialects {
  const load = createRequire(import.meta.url);
  const options: Options = {
    strict: false,
    allErrors: true,
    verbose: true,
    logger: false,
    code: { regExp: createPattern },
  };
  const prepare = (ajv: AjvDraft7): AjvDraft7 => {
    const { default: addFormats } = load('ajv-formats') as typeof import('ajv-formats');
    addFormats.default(ajv);
    return ajv;
  };
  return {
    draft7: once(() => {
      const { Ajv } = load('ajv') as typeof import('ajv');
      return prepare(new Ajv(options));
    }),
    draft2020: once(() => {
      const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
      return prepare(new Ajv2020(options));
    }),
  };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function compile(schema: JsonObject, dialects: Dialects): Compiled {
  if (!isSmall(schema)) return { problem: 'it is too large or too deep to be checked' };
  const huge = hugeIn(schema);
  const fixed = spacedStandIns(huge);
  const bare = withoutIdentity(huge.size === 0 ? schema : (withStandIns(schema, fixed) as JsonObject));
  const first = saysDraft7(schema) ? dialects.draft7() : dialects.draft2020();
  const compiled = compileWith(first, bare);
  if (compiled.problem === undefined || schema.$schema !== undefined) return { ...compiled, fixed };
  // `items: [...]` and its like are an error in 2020-12, and many servers that name no dialect still write draft-07.
  const second = compileWith(dialects.draft7(), bare);
  return { ...(second.problem === undefined ? second : compiled), fixed };
}

function compileWith(ajv: AjvDraft7, schema: JsonObject): Compiled {
  try {
    return { validate: ajv.compile(schema) };
  } catch (error) {
    return { problem: describe(error) };
  } finally {
    // ajv would otherwise keep every schema for ever, and refuse a second one with the same `$id`.
    ajv.removeSchema(schema);
  }
}

function saysDraft7(schema: JsonObject): boolean {
  return typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema);
}

/**
 * `$schema` has done its work, and ajv refuses one that it does not know. A schema that calls itself by the name of
 * the meta-schema would take its place.
 */
function withoutIdentity({ $schema: _, ...schema }: JsonObject): JsonObject {
  const { $id, ...rest } = schema;
  return typeof $id === 'string' && !$id.includes('json-schema.org') ? schema : rest;
}

/** Errors of the value, or what is wrong with the schema where it never comes to an end (`$ref` to itself). */
function run(validate: ValidateFunction, value: Json): readonly ErrorObject[] | string {
  try {
    return validate(value) ? [] : (validate.errors ?? []);
  } catch (error) {
    return describe(error);
  } finally {
    validate.errors = null;
  }
}

/** An error tells of the integers themselves. */
function restored(error: ErrorObject, numbers: StandIns): ErrorObject {
  const { data, params } = error as { data: Json; params: JsonObject };
  return {
    ...error,
    params: withoutStandIns(params, numbers),
    data: typeof data === 'number' ? withoutStandIns(data, numbers) : data,
  } as ErrorObject;
}

/** A stand-in keeps the order, and is a multiple of something else. */
function isMeant({ keyword, params, data }: ErrorObject): boolean {
  if (keyword !== 'multipleOf' || typeof data !== 'bigint') return true;
  return Number.isSafeInteger(params.multipleOf) && data % BigInt(params.multipleOf) !== 0n;
}

function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError) return 'it refers to itself without end';
  return message.length <= 300 ? message : `${message.slice(0, 300)}…`;
}

function isSmall(schema: JsonObject): boolean {
  let nodes = 0;
  const walk = (value: Json, depth: number): boolean => {
    nodes += 1;
    if (nodes > MAX_SCHEMA_NODES || depth > MAX_SCHEMA_DEPTH) return false;
    if (typeof value !== 'object' || value === null) return true;
    return Object.values(value).every((child) => walk(child, depth + 1));
  };
  return walk(schema, 0);
}
