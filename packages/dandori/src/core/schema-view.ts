import type { Json, JsonObject } from '../domain/json.ts';

/** A JSON Schema within its document, so that `$ref` can be followed. `true` and unknown forms are the empty schema. */
export interface SchemaView {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

const DEEPEST = 32;

export function viewOf(schema: Json | undefined, root?: JsonObject): SchemaView {
  const object = isObject(schema) ? schema : {};
  return resolved({ schema: object, root: root ?? object }, 0);
}

/** The schemas of which at least one must hold; a plain schema is its own only alternative. */
export function alternatives(view: SchemaView, depth = 0): SchemaView[] {
  const { schema, root } = view;
  const choices = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (choices === undefined || depth > DEEPEST) return [view];
  // What stands beside the choice holds for each of them.
  const { anyOf: _, oneOf: __, ...common } = schema;
  return choices.flatMap((choice) => {
    const one = viewOf(choice, root);
    return alternatives({ schema: { ...common, ...one.schema }, root }, depth + 1);
  });
}

/** The types that a value may have; undefined where the schema does not say. */
export function typesOf({ schema }: SchemaView): ReadonlySet<string> | undefined {
  if (typeof schema.type === 'string') return new Set([schema.type]);
  if (Array.isArray(schema.type)) return new Set(schema.type.filter((type) => typeof type === 'string'));
  const values = valuesOf({ schema });
  if (values !== undefined) return new Set(values.map(typeOf));
  if (isObject(schema.properties)) return new Set(['object']);
  return undefined;
}

/** The only values that are allowed; undefined where there is no such list. */
export function valuesOf({ schema }: Pick<SchemaView, 'schema'>): readonly Json[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : undefined;
}

export function propertiesOf({ schema }: SchemaView): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** Whether an object may have no fields but the listed ones. */
export function isClosed({ schema }: SchemaView): boolean {
  const forbids = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  return forbids && schema.patternProperties === undefined;
}

export function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Follows `$ref` within the document and merges `allOf`; anything foreign or endless is left as it is: unknown. */
function resolved(view: SchemaView, depth: number): SchemaView {
  const { schema, root } = view;
  if (depth > DEEPEST) return { schema: {}, root };
  if (typeof schema.$ref === 'string') {
    const { $ref, ...beside } = schema;
    const target = pointed($ref, root);
    return target === undefined
      ? { schema: {}, root }
      : resolved({ schema: { ...target, ...beside }, root }, depth + 1);
  }
  if (!Array.isArray(schema.allOf)) return view;
  const { allOf, ...rest } = schema;
  const parts = [rest, ...allOf].map(
    (part) => resolved({ schema: isObject(part) ? part : {}, root }, depth + 1).schema,
  );
  return { schema: parts.reduce(merged, {}), root };
}

/** Enough of a conjunction for what is asked of it here: which fields there are, must be, and may be. */
function merged(a: JsonObject, b: JsonObject): JsonObject {
  const properties = {
    ...(isObject(a.properties) ? a.properties : {}),
    ...(isObject(b.properties) ? b.properties : {}),
  };
  const required = [a.required, b.required].filter(Array.isArray).flat();
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function pointed(pointer: string, root: JsonObject): JsonObject | undefined {
  if (!pointer.startsWith('#')) return undefined;
  let target: Json | undefined = root;
  for (const part of pointer.slice(1).split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(target)) target = target[Number(key)];
    else target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined;
  }
  return isObject(target) ? target : undefined;
}
