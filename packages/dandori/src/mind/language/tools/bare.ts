import type { Json, JsonObject } from '../../../domain/json.ts';
import { isObject, withSubschemas } from './subschemas.ts';

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
