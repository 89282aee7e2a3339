import { createRequire } from 'node:module';
import type { Ajv as AjvDraft7, ErrorObject, Options, ValidateFunction } from 'ajv';
import { messageOf } from '../../model/error.ts';
import {
  hugeIn,
  type StandIns,
  spacedStandIns,
  standIns,
  withoutStandIns,
  withStandIns,
} from '../../model/json/huge-ints.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { clip } from '../../model/text.ts';
import type { SchemaCheck, SchemaIssue } from '../../model/tool.ts';
import { spend, TooMuchWork, type Work } from '../../model/work-budget.ts';
import { isTooMuchToTell, toIssues } from './issue.ts';
import { countWork, type Meter, priceOfNames } from './meter.ts';
import { createPatterns } from './pattern.ts';
import { isPlainSchema } from './plain.ts';
import { type PlainFit, plainFit } from './plain-fit.ts';
import { countValues, sizeProblem } from './size.ts';

/** A check that also tells what is wrong with a schema itself, to report it when a tool is found. */
interface CheckedSchemas extends SchemaCheck {
  /** Undefined for a usable schema. With a problem, a value that cannot be checked is accepted. */
  readonly problem: (schema: JsonObject) => string | undefined;
}

/** All errors, or only the first one: a large value may have millions. */
type Extent = 'all' | 'first';

interface Compiled {
  readonly validate?: ValidateFunction;
  /** Stand-ins for the integers beyond 2^53 in the schema, because ajv does not support bigint. */
  readonly fixed?: StandIns;
  readonly problem?: string;
}

/** The budget of one check. It lasts about half a second, for a value of tens of megabytes. */
const CHECK_WORK = 30_000_000;
/** For a value with more parts than this, only the first error is reported. */
const LARGE = 20_000;

/**
 * JSON Schema by ajv: 2020-12 as MCP specifies. Draft-07 if `$schema` says so, or if only draft-07 accepts the
 * schema. ajv is loaded with the first check, because it takes about 130 ms to load and to warm up.
 * Nothing is ever fetched: a `$ref` to another document is a problem of the schema.
 *
 * Schemas are untrusted. A schema that takes too long to compile is refused (`sizeProblem`). Patterns use an
 * engine that always ends (`createPatterns`). Each step of a check is counted (`countWork`): a check that
 * takes too many stops, and that is an issue of the value.
 */
export function createSchemaCheck(): CheckedSchemas {
  /** By what was asked for first: compiling a wide schema takes up to half a second. */
  const compiled = new WeakMap<JsonObject, Partial<Record<Extent, Compiled>>>();
  const plain = new WeakMap<JsonObject, PlainFit>();
  const meter: Meter = {
    left: 0,
    spend: (units) => spend(meter, units, () => UNCHECKED),
    giveUp: () => {
      throw new TooMuchWork(UNCHECKED);
    },
    names: priceOfNames,
  };
  const dialects: Record<Extent, Dialects> = {
    all: lazyDialects({ allErrors: true, meter }),
    first: lazyDialects({ allErrors: false, meter }),
  };

  const get = (schema: JsonObject, extent: Extent): Compiled => {
    const known = compiled.get(schema);
    const found = known?.[extent];
    if (found !== undefined) return found;
    // Compiling also checks the schema itself against its meta-schema.
    meter.left = CHECK_WORK;
    const made = compile(schema, dialects[extent]);
    // Both have the same problem.
    compiled.set(
      schema,
      made.validate === undefined ? { all: made, first: made } : { ...known, [extent]: made },
    );
    return made;
  };

  const problemOf = (schema: JsonObject) => (compiled.get(schema)?.first ?? get(schema, 'all')).problem;

  /** The errors; undefined if the check took too much work. */
  const attempt = (validate: ValidateFunction, value: Json, work: Work) => {
    const limit = Math.min(CHECK_WORK, work.left);
    meter.left = limit;
    const errors = run(validate, value);
    work.left -= limit - Math.max(0, meter.left);
    return errors;
  };

  const check: SchemaCheck = (schema, value, work = { left: CHECK_WORK }) => {
    let fits = plain.get(schema);
    if (fits === undefined) {
      fits = plainFit(schema);
      plain.set(schema, fits);
    }
    if (fits(value)) return [];
    const isLarge = countValues(value, LARGE) >= LARGE;
    const known = get(schema, isLarge ? 'first' : 'all');
    if (known.validate === undefined) return [];
    const huge = hugeIn(value);
    const numbers = standIns(huge, known.fixed);
    const checked = huge.size === 0 ? value : withStandIns(value, numbers);
    let errors = attempt(known.validate, checked, work);
    if (!isLarge && (errors === undefined || isTooMuchToTell(errors))) {
      const { validate } = get(schema, 'first');
      errors = validate && attempt(validate, checked, work);
    }
    if (errors === undefined) return known.problem === undefined ? [unchecked()] : [];
    if (errors.length === 0) return [];
    if (numbers.size === 0) return toIssues(errors, value);
    return toIssues(errors.map((error) => restored(error, numbers)).filter(isMeant), value);
  };
  return Object.assign(check, { problem: problemOf });
}

const UNCHECKED = 'could not be checked: its schema takes too much work for this value';

function unchecked(): SchemaIssue {
  return { path: [], keyword: 'unchecked', message: UNCHECKED };
}

type Dialects = Record<'draft7' | 'draft2020', () => AjvDraft7>;

/** ajv is CommonJS, so it can be loaded late and still synchronously. */
function lazyDialects({ allErrors, meter }: { allErrors: boolean; meter: Meter }): Dialects {
  const load = createRequire(import.meta.url);
  const options: Options = {
    strict: false,
    allErrors,
    verbose: true,
    logger: false,
    // Done by `compileWith`, where it is needed.
    validateSchema: false,
    // Without this limit, each `$ref` to a large definition would get its own code.
    inlineRefs: 20,
    // Optimizing the code of a large schema takes longer than generating it, and hardly speeds up a check.
    code: { regExp: createPatterns(meter.spend), optimize: false },
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
  if (compiled.validate !== undefined || schema.$schema !== undefined) return { ...compiled, fixed };
  // `items: [...]` is an error in 2020-12, but many servers that name no dialect still write draft-07.
  const second = compileWith(dialects.draft7(), bare);
  return { ...(second.validate === undefined ? compiled : second), fixed };
}

function compileWith(ajv: AjvDraft7, schema: JsonObject): Compiled {
  try {
    if (!isPlainSchema(schema)) ajv.validateSchema(schema, true);
    const validate = ajv.compile(schema);
    const isEndless = KINDS.every((value) => run(validate, value) === undefined);
    return isEndless ? { validate, problem: ENDLESS } : { validate };
  } catch (error) {
    return { problem: describe(error) };
  } finally {
    // Otherwise ajv would keep every schema forever, and refuse a second one with the same `$id`.
    ajv.removeSchema(schema);
  }
}

function saysDraft7(schema: JsonObject): boolean {
  return typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema);
}

/**
 * `$schema` is no longer needed, and ajv refuses an unknown one. A schema with the `$id` of the meta-schema
 * would replace it.
 */
function withoutIdentity({ $schema: _, ...schema }: JsonObject): JsonObject {
  const { $id, ...rest } = schema;
  return typeof $id === 'string' && !$id.includes('json-schema.org') ? schema : rest;
}

/**
 * The errors of the value. Undefined if the check did not end: it took too much work, or the stack overflowed
 * because the schema refers to itself for this value. Other values may still be checked.
 */
function run(validate: ValidateFunction, value: Json): readonly ErrorObject[] | undefined {
  try {
    return validate(value) ? [] : (validate.errors ?? []);
  } catch {
    return undefined;
  } finally {
    validate.errors = null;
  }
}

/** Puts the original integers back into an error. */
function restored(error: ErrorObject, numbers: StandIns): ErrorObject {
  const { data, params } = error as { data: Json; params: JsonObject };
  return {
    ...error,
    params: withoutStandIns(params, numbers),
    data: typeof data === 'number' ? withoutStandIns(data, numbers) : data,
  } as ErrorObject;
}

/** Drops false errors: a stand-in keeps the order of its integer but not its divisors. */
function isMeant({ keyword, params, data }: ErrorObject): boolean {
  if (keyword !== 'multipleOf' || typeof data !== 'bigint') return true;
  return Number.isSafeInteger(params.multipleOf) && data % BigInt(params.multipleOf) !== 0n;
}

const ENDLESS = 'it refers to itself without end';
/** A check that ends for none of these is a loop of `$ref`. */
const KINDS: readonly Json[] = [null, true, 0, '', [], {}];

function describe(error: unknown): string {
  return error instanceof RangeError ? ENDLESS : clip(messageOf(error), 300);
}
