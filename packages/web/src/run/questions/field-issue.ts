import type { Json, JsonObject } from '#dandori/model/json.ts';
import { typeOf, typesOf } from '#dandori/plan/schema/view.ts';
import type { Field } from '#dandori/views/form.ts';

/** Why a value cannot stand in a field, for the page to say in the user's language. */
export type FieldIssue =
  | { readonly kind: 'needed' | 'json' | 'number' | 'integer' | 'notAllowed' }
  | {
      readonly kind:
        | 'atLeast'
        | 'atMost'
        | 'above'
        | 'below'
        | 'multipleOf'
        | 'minLength'
        | 'maxLength'
        | 'minItems'
        | 'maxItems';
      readonly limit: number | bigint;
    }
  | { readonly kind: 'format'; readonly name: string };

type Limit = Extract<FieldIssue, { readonly limit: number | bigint }>['kind'];

/** What can be told at a glance. A pattern is left to the server: one that never ends must not hold the page. */
export function issueWith({ kind, schema }: Field, value: Json): FieldIssue | undefined {
  const types = typesOf({ schema, root: schema });
  const type = typeOf(value);
  if (types !== undefined && !types.has(type) && !(type === 'integer' && types.has('number'))) {
    if (kind === 'number') return { kind: type === 'number' ? 'integer' : 'number' };
    return { kind: kind === 'other' ? 'json' : 'notAllowed' };
  }
  if (typeof value === 'number' || typeof value === 'bigint') return ofNumber(schema, value);
  if (typeof value === 'string') return ofText(schema, value);
  if (!Array.isArray(value)) return undefined;
  return (
    bound(schema, 'minItems', 'minItems', (least) => value.length < least) ??
    bound(schema, 'maxItems', 'maxItems', (most) => value.length > most)
  );
}

function ofNumber(schema: JsonObject, value: number | bigint): FieldIssue | undefined {
  return (
    bound(schema, 'minimum', 'atLeast', (least) => value < least) ??
    bound(schema, 'maximum', 'atMost', (most) => value > most) ??
    bound(schema, 'exclusiveMinimum', 'above', (limit) => value <= limit) ??
    bound(schema, 'exclusiveMaximum', 'below', (limit) => value >= limit) ??
    bound(schema, 'multipleOf', 'multipleOf', (step) => step > 0 && !isMultiple(value, step))
  );
}

function isMultiple(value: number | bigint, step: number | bigint): boolean {
  if (typeof value === 'number' && typeof step === 'number') return isWhole(value / step);
  // The server looks at those that are no integers.
  return !Number.isInteger(Number(step)) || BigInt(value) % BigInt(step) === 0n;
}

/** 0.3 is three times 0.1 for a person. */
function isWhole(ratio: number): boolean {
  return Math.abs(ratio - Math.round(ratio)) < 1e-9;
}

function ofText(schema: JsonObject, value: string): FieldIssue | undefined {
  const length = [...value].length;
  const { format } = schema;
  const fits = typeof format === 'string' ? FORMATS[format]?.(value) : undefined;
  return (
    bound(schema, 'minLength', 'minLength', (least) => length < least) ??
    bound(schema, 'maxLength', 'maxLength', (most) => length > most) ??
    (fits === false ? { kind: 'format', name: String(format) } : undefined)
  );
}

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => URL.canParse(text),
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
  'date-time': (text) => !Number.isNaN(Date.parse(text)),
};

function bound(
  schema: JsonObject,
  keyword: string,
  kind: Limit,
  isBroken: (limit: number | bigint) => boolean,
): FieldIssue | undefined {
  const limit = schema[keyword];
  const isLimit = typeof limit === 'number' || typeof limit === 'bigint';
  return isLimit && isBroken(limit) ? { kind, limit } : undefined;
}
