import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { tellsDefault } from '../tool-text.ts';

/** Keywords whose value is a map of schemas, a list of schemas, or one schema. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const SINGLES = ['items', 'additionalProperties'];

/** How to change the schemas of values, and the alternatives of one value. */
interface Change {
  readonly value: (schema: Json) => Json;
  readonly form: (schema: JsonObject) => JsonObject;
}

/** The schema with its subschemas changed. A field named like a keyword stays a field. */
function withSubschemas(schema: JsonObject, { value: change, form }: Change): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (MAPS.includes(key) && isObject(value)) {
        const entries = Object.entries(value).map(([name, item]) => [name, change(item)]);
        return [key, Object.fromEntries(entries)];
      }
      if (BRANCHES.includes(key) && Array.isArray(value)) {
        return [key, value.map((branch) => (isObject(branch) ? form(branch) : branch))];
      }
      if (SINGLES.includes(key)) return [key, change(value)];
      return [key, key === 'prefixItems' && Array.isArray(value) ? value.map(change) : value];
    }),
  );
}

function hasSubschemas(schema: JsonObject): boolean {
  return [...BRANCHES, ...MAPS].some((key) => schema[key] !== undefined);
}

/** Metadata, and lengths, which the compiler reports if they are broken. */
const NOISE = new Set(['$schema', '$id', '$comment', 'title', 'examples', 'minLength', 'maxLength']);
const BOUNDS = new Set(['minimum', 'maximum']);

/** A schema without what a model does not need for a call, because every request contains it. */
export function trimSchema(schema: JsonObject): JsonObject {
  const isDefaultTold = tellsDefault(schema);
  const entries = Object.entries(schema).filter(
    ([key, value]) => !isNoise(key, value) && !(isDefaultTold && key === 'default'),
  );
  const kept = withSubschemas(Object.fromEntries(entries), { value: trimValue, form: trimSchema });
  return isFreeForm(schema) ? { ...kept, additionalProperties: true } : kept;
}

/** Engines with grammars allow only `{}` for an object without properties, unless the schema says more. */
function isFreeForm(schema: JsonObject): boolean {
  const { type, additionalProperties = true } = schema;
  return type === 'object' && additionalProperties === true && !hasSubschemas(schema);
}

function trimValue(schema: Json): Json {
  return isObject(schema) ? trimSchema(schema) : schema;
}

function isNoise(key: string, value: Json): boolean {
  if (NOISE.has(key)) return true;
  if (key === 'additionalProperties') return typeof value === 'boolean';
  if (key === 'description') return value === '';
  // Some libraries state the limits of every safe or 64-bit integer, which is no information.
  return BOUNDS.has(key) && (typeof value === 'bigint' || Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER);
}

const REF: JsonObject = { type: 'string', description: 'or a Ref' };

/** Keywords that restrict strings. */
const NARROWING = ['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'];
/** Their keywords do not restrict text, so text can be added to the type. */
const SCALARS = ['number', 'integer', 'boolean'];

/**
 * An input schema that accepts a Ref for every value. Models and servers enforce the schema of a native call,
 * and `"${t1.total}"` is not a number. The compiler checks against the tool's own schema.
 */
export function acceptRefs(schema: JsonObject): JsonObject {
  return withSubschemas(schema, { value: acceptRef, form: acceptRefs });
}

function acceptRef(schema: Json): Json {
  if (!isObject(schema) || takesAnyText(schema)) return schema;
  if (SCALARS.includes(String(schema.type)) && !isNarrow(schema))
    return { ...schema, type: [String(schema.type), 'string'] };
  const { description, ...rest } = acceptRefs(schema);
  return { ...(description !== undefined && { description }), anyOf: [rest, REF] };
}

function takesAnyText(schema: JsonObject): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const isOpen = schema.type === undefined && !hasSubschemas(schema);
  // The target of a `$ref` is widened where it is defined.
  return schema.$ref !== undefined || ((types.includes('string') || isOpen) && !isNarrow(schema));
}

function isNarrow(schema: JsonObject): boolean {
  return NARROWING.some((key) => schema[key] !== undefined);
}
