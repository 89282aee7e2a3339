import { createRequire } from 'node:module';
import type { Ajv as AjvDraft7, ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '../../model/json.ts';
import {
  hugeIn,
  type StandIns,
  spacedStandIns,
  standIns,
  withoutStandIns,
  withStandIns,
} from '../../model/stand-in.ts';
import { clip } from '../../model/text.ts';
import type { SchemaCheck, SchemaIssue } from '../../model/tool.ts';
import { spend, TooMuchWork, type Work } from '../../model/work.ts';
import { toIssues } from './issue.ts';
import { countWork, type Meter } from './meter.ts';
import { createPatterns } from './pattern.ts';
import { sizeOf, sizeProblem } from './size.ts';

/** A check that also tells what is wrong with a schema itself, so that it can be reported when a tool is discovered. */
interface CheckedSchemas extends SchemaCheck {
  /** Undefined for a usable schema. A schema with a problem accepts every value. */
  readonly problem: (schema: JsonObject) => string | undefined;
}

interface Compiled {
  /** Finds all that is wrong, or the first thing only: of a large value there may be millions. */
  readonly all?: ValidateFunction;
  readonly first?: () => ValidateFunction | undefined;
  /** What stands for the integers beyond 2^53 in the schema: ajv knows no bigint. */
  readonly fixed?: StandIns;
  readonly problem?: string;
}

/** What one check may cost. It takes about a second, for a value of tens of megabytes. */
const CHECK_WORK = 50_000_000;
/** Values in a value above which only the first thing that is wrong is looked for. */
const LARGE = 20_000;

/**
 * JSON Schema by ajv: 2020-12 as MCP says, draft-07 where `$schema` says so or where nothing else makes sense of it.
 * Nothing is loaded before the first value is checked (ajv takes about 130 ms to load and to warm up), and nothing is
 * ever fetched: a `$ref` to another document is a problem of the schema.
 *
 * Schemas are written by others. What cannot be compiled soon is not compiled (`sizeProblem`), patterns are matched by an
 * engine that ends (`createPatterns`), and while a value is checked each step is counted (`countWork`): a check that takes
 * too many is given up, which is an issue of the value.
 */
export function createSchemaCheck(): CheckedSchemas {
  const compiled = new WeakMap<JsonObject, Compiled>();
  const meter: Meter = {
    left: 0,
    spend: (units) => spend(meter, units, () => UNCHECKED),
    giveUp: () => {
      throw new TooMuchWork(UNCHECKED);
    },
  };
  const all = lazyDialects({ allErrors: true, meter });
  const first = lazyDialects({ allErrors: false, meter });

  const compiledAgain = (schema: JsonObject) => {
    meter.left = CHECK_WORK;
    return compile(schema, first).all;
  };

  const get = (schema: JsonObject): Compiled => {
    const known = compiled.get(schema);
    if (known !== undefined) return known;
    // A schema is itself checked against another one.
    meter.left = CHECK_WORK;
    const made = compile(schema, all);
    const complete = made.all === undefined ? made : { ...made, first: once(() => compiledAgain(schema)) };
    compiled.set(schema, complete);
    return complete;
  };

  /** What is wrong; undefined where that took too much work. */
  const attempt = (validate: ValidateFunction, value: Json, work: Work) => {
    const limit = Math.min(CHECK_WORK, work.left);
    meter.left = limit;
    const errors = run(validate, value);
    work.left -= limit - Math.max(0, meter.left);
    return errors;
  };

  const check: SchemaCheck = (schema, value, work = { left: CHECK_WORK }) => {
    const known = get(schema);
    if (known.all === undefined) return [];
    const isLarge = sizeOf(value, LARGE) >= LARGE;
    const huge = hugeIn(value);
    const numbers = standIns(huge, known.fixed);
    const checked = huge.size === 0 ? value : withStandIns(value, numbers);
    let errors = isLarge ? undefined : attempt(known.all, checked, work);
    if (errors === undefined) {
      const validate = known.first?.();
      errors = validate && attempt(validate, checked, work);
    }
    if (errors === undefined) return [unchecked()];
    if (typeof errors === 'string') compiled.set(schema, { problem: errors });
    if (typeof errors === 'string' || errors.length === 0) return [];
    if (numbers.size === 0) return toIssues(errors, value);
    return toIssues(errors.map((error) => restored(error, numbers)).filter(isMeant), value);
  };
  return Object.assign(check, { problem: (schema: JsonObject) => get(schema).problem });
}

const UNCHECKED = 'could not be checked: its schema takes too much work for this value';

function unchecked(): SchemaIssue {
  return { path: [], keyword: 'unchecked', message: UNCHECKED };
}

type Dialects = Record<'draft7' | 'draft2020', () => AjvDraft7>;

/** ajv is CommonJS, so that it can be loaded late and still behind a synchronous call. */
function lazyDialects({ allErrors, meter }: { allErrors: boolean; meter: Meter }): Dialects {
  const load = createRequire(import.meta.url);
  const options: Options = {
    strict: false,
    allErrors,
    verbose: true,
    logger: false,
    // Otherwise each `$ref` to a large definition has code of its own.
    inlineRefs: 20,
    code: { regExp: createPatterns(meter.spend) },
  };
  const prepare = (ajv: AjvDraft7): AjvDraft7 => {
    const { default: addFormats } = load('ajv-formats') as typeof import('ajv-formats');
    addFormats.default(ajv);
    countWork(ajv, meter);
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
  const problem = sizeProblem(schema);
  if (problem !== undefined) return { problem };
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
    return { all: ajv.compile(schema) };
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

/** Errors of the value, or what is wrong with the schema where it never comes to an end (`$ref` to itself); undefined where it took too much work. */
function run(validate: ValidateFunction, value: Json): readonly ErrorObject[] | string | undefined {
  try {
    return validate(value) ? [] : (validate.errors ?? []);
  } catch (error) {
    return error instanceof TooMuchWork ? undefined : describe(error);
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
  return clip(message, 300);
}
