import type { Json, JsonObject } from '../../domain/json.ts';

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema with a local `$ref` followed and the null of an optional value left out; empty where it is no schema. */
export function plainSchema(schema: Json | undefined, root: JsonObject): JsonObject {
  const own = asObject(schema);
  const target = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(String(own.$ref))?.[1] ?? '';
  const followed = {
    ...asObject({ ...asObject(root.definitions), ...asObject(root.$defs) }[target]),
    ...own,
  };
  const choices = [followed.anyOf, followed.oneOf].find(Array.isArray);
  return { ...followed, ...asObject(choices?.find((choice) => isObject(choice) && choice.type !== 'null')) };
}

/** The first type that is not null; empty where the schema does not say. */
export function typeOf({ type, properties, items }: JsonObject): string {
  const first = Array.isArray(type) ? type.find((item) => item !== 'null') : type;
  if (typeof first === 'string') return first;
  return properties !== undefined ? 'object' : items !== undefined ? 'array' : '';
}

export function propertiesOf(schema: JsonObject, root: JsonObject): [string, JsonObject][] {
  const properties = Object.entries(asObject(schema.properties)).slice(0, 100);
  return properties.map(([name, property]) => [name, plainSchema(property, root)]);
}

/** A value that the schema allows, to be read as a result would be; `room` bounds it, as schemas may be endless. */
export function sampleOf(schema: JsonObject, root: JsonObject, room = { left: 300 }): Json {
  const type = typeOf(schema);
  if (room.left-- <= 0) return null;
  if (type === 'array') return [sampleOf(plainSchema(schema.items, root), root, room)];
  if (type !== 'object') return type === 'number' || type === 'integer' ? 0 : type === 'boolean' ? false : '';
  return Object.fromEntries(
    propertiesOf(schema, root).map(([name, own]) => [name, sampleOf(own, root, room)]),
  );
}

/** Schemas come from anywhere: whatever is not an object is taken for an empty one. */
function asObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
