import type { Json, JsonObject } from '../../../model/json.ts';

/** Keywords whose value is a map of schemas, a list of them, or one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const SINGLES = ['items', 'additionalProperties'];

/** What becomes of the schemas of values, and of the forms that one value may have. */
interface Change {
  readonly value: (schema: Json) => Json;
  readonly form: (schema: JsonObject) => JsonObject;
}

/** The same schema with what is in it changed. A field that has the name of a keyword is a field. */
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

/** Whether it says something by one of these: it holds other schemas. */
function hasSubschemas(schema: JsonObject): boolean {
  return [...BRANCHES, ...MAPS].some((key) => schema[key] !== undefined);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How a document is made, and lengths, which the compiler names when they are broken. */
const NOISE = new Set(['$schema', '$id', '$comment', 'title', 'examples', 'minLength', 'maxLength']);
const BOUNDS = new Set(['minimum', 'maximum']);

/** A schema without what a model does not need to make a call: every request has it, whatever is called. */
export function bare(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(([key, value]) => !isNoise(key, value));
  return withSubschemas(Object.fromEntries(entries), { value: bareValue, form: bare });
}

function bareValue(schema: Json): Json {
  return isObject(schema) ? bare(schema) : schema;
}

function isNoise(key: string, value: Json): boolean {
  if (NOISE.has(key)) return true;
  if (key === 'additionalProperties') return typeof value === 'boolean';
  if (key === 'description') return value === '';
  // Some libraries state the limits of every safe or 64-bit integer, which tells a model nothing.
  return BOUNDS.has(key) && (typeof value === 'bigint' || Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER);
}

const REF: JsonObject = { type: 'string', description: 'or a Ref' };

/** Keywords that leave only some strings. */
const NARROWING = ['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'];
/** Their other keywords say nothing about text, so that text can be taken beside them. */
const SCALARS = ['number', 'integer', 'boolean'];

/**
 * The schema of a tool's arguments in which a Ref may stand for every value: models and servers hold on to the schema
 * of a native call, and `"${t1.total}"` is no number. The compiler checks against the tool's own schema.
 */
export function widened(schema: JsonObject): JsonObject {
  return withSubschemas(schema, { value: widen, form: widened });
}

function widen(schema: Json): Json {
  if (!isObject(schema) || takesAnyText(schema)) return schema;
  if (SCALARS.includes(String(schema.type)) && !isNarrow(schema))
    return { ...schema, type: [String(schema.type), 'string'] };
  const { description, ...rest } = widened(schema);
  return { ...(description !== undefined && { description }), anyOf: [rest, REF] };
}

function takesAnyText(schema: JsonObject): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const isOpen = schema.type === undefined && !hasSubschemas(schema);
  // Behind a `$ref` stands something that is widened where it is defined.
  return schema.$ref !== undefined || ((types.includes('string') || isOpen) && !isNarrow(schema));
}

function isNarrow(schema: JsonObject): boolean {
  return NARROWING.some((key) => schema[key] !== undefined);
}
