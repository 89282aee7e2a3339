import type { Json, JsonObject } from '../../domain/json.ts';

/** Schemas come from anywhere: whatever is not an object is taken for an empty one. */
export function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A schema with a local `$ref` followed and the null of an optional value left out. */
export function plainSchema(schema: Json | undefined, root: JsonObject): JsonObject {
  const own = asObject(schema);
  const target = text(own.$ref).match(/^#\/(?:\$defs|definitions)\/([^/]+)$/)?.[1];
  const definitions = { ...asObject(root.definitions), ...asObject(root.$defs) };
  const followed = target === undefined ? own : { ...asObject(definitions[target]), ...own };
  const choices = [followed.anyOf, followed.oneOf].find(Array.isArray);
  const choice = choices?.find((item) => isObject(item) && item.type !== 'null');
  return choice === undefined ? followed : { ...followed, ...asObject(choice) };
}

/** The first type that is not null. */
export function typeOf(schema: JsonObject): string {
  if (typeof schema.type === 'string') return schema.type;
  if (Array.isArray(schema.type)) return text(schema.type.find((type) => type !== 'null'));
  if (schema.properties !== undefined) return 'object';
  return schema.items === undefined ? '' : 'array';
}

export function propertiesOf(schema: JsonObject): [string, Json][] {
  return Object.entries(asObject(schema.properties)).slice(0, 100);
}
