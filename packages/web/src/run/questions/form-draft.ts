import { asText, isObject, type Json, type JsonObject, stringifyJson } from '#dandori/model/json.ts';
import { typeOf, typesOf, viewOf } from '#dandori/plan/schema/view.ts';
import { type Field, fieldOf, fieldsOf, typedAs } from '#dandori/views/form.ts';

/** The input of a field: typed text, indexes of chosen options, or the inputs of nested fields. */
export type Entry = string | readonly number[] | { readonly [name: string]: Entry };

/** A field with its nested fields, `$ref`s resolved. */
export interface FormField extends Field {
  /** The path from the top of the form. */
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** A form may refer to itself. Deeper fields are edited as JSON. */
const DEEPEST = 5;

/** The fields of a form; a single field without a name if the answer is not an object. */
export function formFields(form: JsonObject): readonly FormField[] {
  const top = viewOf(form).schema;
  return fieldsIn(top, { root: form, path: '', depth: 0 }) ?? [nested(fieldOf('', top, true), form, '', 0)];
}

interface Within {
  readonly root: JsonObject;
  readonly path: string;
  readonly depth: number;
}

function fieldsIn(schema: JsonObject, { root, path, depth }: Within): FormField[] | undefined {
  const { properties } = schema;
  if (!isObject(properties)) return undefined;
  const followed = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, viewOf(one, root).schema]),
  );
  return fieldsOf({ ...schema, properties: followed })?.map((field) =>
    nested(field, root, `${path}/${field.name}`, depth),
  );
}

function nested(field: Field, root: JsonObject, path: string, depth: number): FormField {
  const fields =
    field.kind === 'group' && depth < DEEPEST
      ? (fieldsIn(field.schema, { root, path, depth: depth + 1 }) ?? [])
      : [];
  const kind = field.kind === 'group' && fields.length === 0 ? 'other' : field.kind;
  return { ...field, kind, path, fields };
}

/** The initial input of a field. */
function firstEntry(field: FormField): Entry {
  const { kind, default: fallback, choices, fields } = field;
  if (kind === 'group') {
    const given = isObject(fallback) ? fallback : {};
    return firstEntries(
      fields.map((one) => (Object.hasOwn(given, one.name) ? { ...one, default: given[one.name] } : one)),
    );
  }
  if (kind === 'many') {
    const wanted = (Array.isArray(fallback) ? fallback : []).map((value) => stringifyJson(value));
    return choices.flatMap(({ value }, index) => (wanted.includes(stringifyJson(value)) ? [index] : []));
  }
  if (kind === 'choice') {
    const at = choices.findIndex(({ value }) => stringifyJson(value) === stringifyJson(fallback));
    return at < 0 ? [] : [at];
  }
  if (kind === 'flag') return typeof fallback === 'boolean' ? String(fallback) : '';
  if (fallback === undefined || fallback === null) return '';
  return asText(fallback);
}

export function firstEntries(fields: readonly FormField[]): { readonly [name: string]: Entry } {
  return Object.fromEntries(fields.map((field) => [field.name, firstEntry(field)]));
}

interface Filled {
  readonly value: Json;
  /** By the path of the field. */
  readonly issues: ReadonlyMap<string, FieldIssue>;
}

/** The answer and its issues, as far as the page can tell. The server checks everything. */
export function filledIn(fields: readonly FormField[], entries: { readonly [name: string]: Entry }): Filled {
  const issues = new Map<string, FieldIssue>();
  const [only] = fields;
  if (fields.length === 1 && only?.path === '') {
    const value = entryValue(only, entries[only.name] ?? '', issues);
    return { value: value ?? null, issues };
  }
  return { value: groupOf(fields, entries, issues), issues };
}

function groupOf(
  fields: readonly FormField[],
  entries: { readonly [name: string]: Entry },
  issues: Map<string, FieldIssue>,
): JsonObject {
  const group: JsonObject = {};
  for (const field of fields) {
    const value = entryValue(field, entries[field.name] ?? '', issues);
    if (value !== undefined) group[field.name] = value;
  }
  return group;
}

/** Undefined if the field is left out. */
function entryValue(field: FormField, entry: Entry, issues: Map<string, FieldIssue>): Json | undefined {
  if (isEntries(entry)) {
    const within = new Map<string, FieldIssue>();
    const group = groupOf(field.fields, entry, within);
    // An empty optional group is left out, together with its missing fields.
    if (!field.isRequired && Object.keys(group).length === 0) return undefined;
    for (const [path, issue] of within) issues.set(path, issue);
    return group;
  }
  const value = typeof entry === 'string' ? typedValue(field, entry) : chosenValue(field, entry);
  if (value === undefined) {
    if (field.isRequired) issues.set(field.path, { kind: 'needed' });
    return undefined;
  }
  const issue = issueWith(field, value);
  if (issue !== undefined) issues.set(field.path, issue);
  return value;
}

function typedValue(field: FormField, text: string): Json | undefined {
  if (field.kind === 'flag') {
    if (text === '') return field.isRequired ? false : undefined;
    return text === 'true';
  }
  if (text.trim() === '') return undefined;
  if (field.schema.format === 'date-time' && !Number.isNaN(Date.parse(text)))
    return new Date(text).toISOString();
  return typedAs(field, text);
}

function chosenValue({ kind, choices, isRequired }: FormField, places: readonly number[]): Json | undefined {
  const values = places.flatMap((place) => choices[place]?.value ?? []);
  if (kind === 'many') return values.length > 0 || isRequired ? values : undefined;
  return places.length === 0 ? undefined : (choices[places[0] ?? -1]?.value ?? null);
}

function isEntries(entry: Entry): entry is { readonly [name: string]: Entry } {
  return typeof entry === 'object' && !Array.isArray(entry);
}

/** Why a value is not valid in a field. */
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

/** Checks everything but patterns: a pattern that never ends must not block the page. */
function issueWith({ kind, schema }: Field, value: Json): FieldIssue | undefined {
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
  // The server checks steps that are not integers.
  return !Number.isInteger(Number(step)) || BigInt(value) % BigInt(step) === 0n;
}

/** For a user, 0.3 is three times 0.1. */
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
