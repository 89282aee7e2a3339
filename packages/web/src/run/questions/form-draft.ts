import type { Json, JsonObject } from '#dandori/model/json.ts';
import { stringifyJson } from '#dandori/model/json.ts';
import { viewOf } from '#dandori/plan/schema/view.ts';
import { type Field, fieldOf, fieldsOf, typedAs } from '#dandori/views/form.ts';
import { type FieldIssue, issueWith } from './field-issue.ts';

/** What stands in a field: typed text, the places of what is chosen, or the fields within it. */
export type Entry = string | readonly number[] | { readonly [name: string]: Entry };

/** A field with the fields in it, `$ref`s followed. */
export interface FormField extends Field {
  /** From the top of the form, for the names of inputs and the places of issues. */
  readonly path: string;
  readonly fields: readonly FormField[];
}

/** Forms may refer to themselves; nobody fills in one that is deeper. */
const DEEPEST = 5;

/** The fields of a form; one without a name where the answer is a single value. */
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
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return undefined;
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

/** What stands in a form before anybody has touched it. */
export function firstEntry(field: FormField): Entry {
  const { kind, default: fallback, choices, fields } = field;
  if (kind === 'group') {
    const given = isGroup(fallback) ? fallback : {};
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
  return typeof fallback === 'string' ? fallback : stringifyJson(fallback);
}

export function firstEntries(fields: readonly FormField[]): { readonly [name: string]: Entry } {
  return Object.fromEntries(fields.map((field) => [field.name, firstEntry(field)]));
}

export interface Filled {
  readonly value: Json;
  /** By the path of the field. */
  readonly issues: ReadonlyMap<string, FieldIssue>;
}

/** The answer that the entries mean, and what is wrong with them as far as the page can tell; the server looks at all. */
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

/** Undefined where it is left out. */
function entryValue(field: FormField, entry: Entry, issues: Map<string, FieldIssue>): Json | undefined {
  if (isEntries(entry)) {
    const within = new Map<string, FieldIssue>();
    const group = groupOf(field.fields, entry, within);
    // One that is not needed and that nobody touched is left out with all that is missing in it.
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

function isGroup(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
