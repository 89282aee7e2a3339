import type { Json, JsonObject } from '../../../domain/json.ts';

/** Keywords whose value is a map of schemas, a list of them, or one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
const BRANCHES = ['anyOf', 'oneOf', 'allOf'];
const SINGLES = ['items', 'additionalProperties'];

/** What becomes of the schemas of values, and of the forms that one value may have. */
export interface Change {
  readonly value: (schema: Json) => Json;
  readonly form: (schema: JsonObject) => JsonObject;
}

/** The same schema with what is in it changed. A field that has the name of a keyword is a field. */
export function withSubschemas(schema: JsonObject, { value: change, form }: Change): JsonObject {
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
export function hasSubschemas(schema: JsonObject): boolean {
  return [...BRANCHES, ...MAPS].some((key) => schema[key] !== undefined);
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
