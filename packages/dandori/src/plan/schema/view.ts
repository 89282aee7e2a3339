import { asObject, isObject, type Json, type JsonObject, valueAt } from '../../model/json.ts';
import { decodedUri } from '../../model/text.ts';

/**
 * A JSON Schema with its document, so that `$ref` can be followed. `true` and unknown forms become the empty
 * schema, and `false` becomes NOTHING.
 */
export interface SchemaView {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

/** How much of a schema is read. A recursive schema may be endless; the rest is unknown. */
interface Work {
  left: number;
}

const MOST_STEPS = 256;
const MOST_ALTERNATIVES = 64;
const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** The schema that no value fits. */
const NOTHING: JsonObject = { not: {} };

export function viewOf(schema: Json | undefined, root?: JsonObject): SchemaView {
  const object = schemaIn(schema);
  return resolved({ schema: object, root: root ?? object }, { left: MOST_STEPS });
}

function schemaIn(schema: Json | undefined): JsonObject {
  return schema === false ? NOTHING : asObject(schema);
}

/** Whether no value is possible here. */
export function isNothing({ schema: { not } }: SchemaView): boolean {
  return not === true || (isObject(not) && Object.keys(not).length === 0);
}

/** The schemas of which at least one must apply. A plain schema is its only alternative. */
export function alternatives(view: SchemaView): SchemaView[] {
  const found = expanded(view, { left: MOST_ALTERNATIVES });
  return found.length <= MOST_ALTERNATIVES ? found : [{ schema: {}, root: view.root }];
}

function expanded(view: SchemaView, work: Work): SchemaView[] {
  const { schema, root } = view;
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices === undefined) return [view];
  if (work.left-- <= 0) return [{ schema: {}, root }];
  // Keywords beside the choice apply to each alternative.
  const { anyOf: _, oneOf: __, ...common } = schema;
  return choices.flatMap((choice) =>
    expanded({ schema: merged(common, viewOf(choice, root).schema), root }, work),
  );
}

/** The types that a value may have. Undefined if the schema names none, or names an unknown type. */
export function typesOf({ schema }: SchemaView): ReadonlySet<string> | undefined {
  const known = types.get(schema);
  if (known !== undefined) return known.found;
  const found = readTypes(schema);
  types.set(schema, { found });
  return found;
}

/** Cached, because the tasks of a plan use the same few schemas. */
const types = new WeakMap<JsonObject, { readonly found: ReadonlySet<string> | undefined }>();

function readTypes(schema: JsonObject): ReadonlySet<string> | undefined {
  const written = typeof schema.type === 'string' ? [schema.type] : schema.type;
  if (Array.isArray(written)) {
    const named = written.map(String);
    if (!named.every((type) => TYPES.has(type))) return undefined;
    return new Set(schema.nullable === true ? [...named, 'null'] : named);
  }
  const values = valuesOf({ schema });
  if (values !== undefined) return new Set(values.map(typeOf));
  if (isObject(schema.properties)) return new Set(['object']);
  return undefined;
}

/** The schema of a list item. Undefined if the schema does not describe items. */
export function itemAt(
  { schema: { prefixItems, items }, root }: SchemaView,
  index: number,
): SchemaView | undefined {
  const prefix = [prefixItems, items].find(Array.isArray) ?? [];
  const found = index >= 0 ? (prefix[index] ?? items) : undefined;
  return isObject(found) || found === false ? viewOf(found, root) : undefined;
}

/** The only allowed values. Undefined if the schema does not list them. */
export function valuesOf({ schema }: Pick<SchemaView, 'schema'>): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

export function propertiesOf({ schema }: SchemaView): JsonObject {
  return asObject(schema.properties);
}

/**
 * Whether an object may have only the listed fields. With `unevaluatedProperties` a condition may list
 * others; conditions are not evaluated here.
 */
export function isClosed({ schema }: SchemaView): boolean {
  const mayListMore = schema.if !== undefined || schema.dependentSchemas !== undefined;
  const forbids =
    schema.additionalProperties === false || (schema.unevaluatedProperties === false && !mayListMore);
  return forbids && schema.patternProperties === undefined;
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

/** Follows `$ref` within the document and merges `allOf`. External or endless references stay unknown. */
function resolved(view: SchemaView, work: Work): SchemaView {
  const { schema, root } = view;
  if (work.left-- <= 0) return { schema: {}, root };
  if (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema;
    const target = pointed($ref, root);
    return isObject(target) ? resolved({ schema: merged(target, beside), root }, work) : { schema: {}, root };
  }
  if (!Array.isArray(schema.allOf)) return view;
  const { allOf, ...rest } = schema;
  const parts = [rest, ...allOf].map((part) => resolved({ schema: schemaIn(part), root }, work).schema);
  return { schema: parts.reduce(merged, {}), root };
}

/** Merges only what this file needs: which fields exist, are required, and are allowed. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  const properties: JsonObject = { ...asObject(a.properties) };
  for (const [name, schema] of Object.entries(asObject(b.properties))) {
    const other = Object.hasOwn(properties, name) ? properties[name] : undefined;
    properties[name] = other === undefined ? schema : { allOf: [other, schema] };
  }
  const required = [a.required, b.required].filter(Array.isArray).flat();
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

/** Where a `$ref` leads. Only JSON pointers are followed: an anchor could be anywhere. */
export function pointed(pointer: string, root: JsonObject): Json | undefined {
  if (pointer !== '#' && !pointer.startsWith('#/')) return undefined;
  const keys = pointer.slice(1).split('/').slice(1);
  return valueAt(
    root,
    keys.map((key) => decodedUri(key).replaceAll('~1', '/').replaceAll('~0', '~')),
  );
}

/**
 * A schema promises only what it requires and what it forbids. The rest is a description (ADR 7). Many
 * servers describe roughly what they return, and return something else. So a schema that promises nothing
 * gives hints, and is no reason to reject a plan.
 */
export function promisesAny(schema: JsonObject): boolean {
  const view = viewOf(schema);
  return isClosed(view) || requiredBy(view).length > 0;
}

/**
 * Whether a value must match the schema at this place. That is certain only if the place is reached through
 * required properties and list items. The root always exists.
 */
export function isPromised(schema: JsonObject, path: readonly (string | number)[]): boolean {
  let view = viewOf(schema);
  for (const step of path) {
    if (typeof step === 'string' && !requiredBy(view).includes(step)) return false;
    view =
      typeof step === 'string'
        ? propertyOf(view, step)
        : (itemAt(view, step) ?? viewOf(undefined, view.root));
  }
  return true;
}

function requiredBy({ schema }: SchemaView): readonly Json[] {
  return Array.isArray(schema.required) ? schema.required : [];
}

function propertyOf(view: SchemaView, name: string): SchemaView {
  const properties = propertiesOf(view);
  const listed = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return viewOf(listed ?? view.schema.additionalProperties, view.root);
}
