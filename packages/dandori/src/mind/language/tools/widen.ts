import type { Json, JsonObject } from '../../../domain/json.ts';
import { hasSubschemas, isObject, withSubschemas } from './subschemas.ts';

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
