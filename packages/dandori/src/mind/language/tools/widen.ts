import type { Json, JsonObject } from '../../../domain/json.ts';

const REF: JsonObject = { type: 'string', description: 'or a Ref' };

/** Keywords that leave only some strings. */
const NARROWING = ['enum', 'const', 'pattern', 'format', 'minLength', 'maxLength'];

/** Keywords whose value is a map of schemas, a list of them, or one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const SINGLES = ['items', 'additionalProperties'];

/**
 * The schema of a tool's arguments in which a Ref may stand for every value: models and servers hold on to the schema
 * of a native call, and `"${t1.total}"` is no number. The compiler checks against the tool's own schema.
 */
export function widened(schema: JsonObject): JsonObject {
  return inside(schema);
}

function widen(schema: Json): Json {
  if (!isObject(schema) || takesAnyText(schema)) return schema;
  const { description, ...rest } = inside(schema);
  return { ...(description !== undefined && { description }), anyOf: [rest, REF] };
}

/** The same schema with what is in it widened. */
function inside(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (MAPS.includes(key) && isObject(value)) {
        const entries = Object.entries(value).map(([name, item]) => [name, widen(item)]);
        return [key, Object.fromEntries(entries)];
      }
      if (BRANCHES.includes(key) && Array.isArray(value)) {
        return [key, value.map((branch) => (isObject(branch) ? inside(branch) : branch))];
      }
      if (SINGLES.includes(key)) return [key, widen(value)];
      return [key, key === 'prefixItems' && Array.isArray(value) ? value.map(widen) : value];
    }),
  );
}

function takesAnyText(schema: JsonObject): boolean {
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const isNarrow = NARROWING.some((key) => schema[key] !== undefined);
  const isOpen =
    schema.type === undefined && ![...BRANCHES, ...MAPS].some((key) => schema[key] !== undefined);
  // Behind a `$ref` stands something that is widened where it is defined.
  return schema.$ref !== undefined || ((types.includes('string') || isOpen) && !isNarrow);
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
