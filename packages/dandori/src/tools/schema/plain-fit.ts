import { isObject, type Json, type JsonObject } from '../../model/json.ts';

/** Keywords that accept every value. */
const NOTES = [
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'deprecated',
  'readOnly',
  'writeOnly',
];
const OF_OBJECT: ReadonlySet<string> = new Set([
  ...NOTES,
  ...['$schema', 'type', 'properties', 'required', 'additionalProperties'],
]);
const OF_FIELD: ReadonlySet<string> = new Set([
  ...NOTES,
  ...['type', 'enum', 'items', 'minimum', 'maximum', 'minLength', 'maxLength'],
]);
/** Larger values are left to the check that counts its work. */
const MOST = 100;

/**
 * Whether a value certainly fits a simple schema: an object with fields that are texts, numbers, booleans or lists of
 * those. Most arguments are like that. For them ajv need not be loaded, which takes longer than a small run. False
 * means only that ajv must decide: it knows every keyword and says what is wrong.
 */
export function isPlainFit(schema: JsonObject, value: Json): boolean {
  const { type, properties = {}, required = [], additionalProperties = true } = schema;
  const isSimple =
    type === 'object' &&
    isObject(properties) &&
    Array.isArray(required) &&
    typeof additionalProperties === 'boolean' &&
    Object.keys(schema).every((keyword) => OF_OBJECT.has(keyword));
  if (!isSimple || !isObject(value)) return false;
  const names = Object.keys(value);
  // ajv reads this name in its own way.
  if (names.includes('__proto__') || names.length > MOST) return false;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(value, name))) return false;
  return names.every((name) =>
    Object.hasOwn(properties, name) ? isFieldFit(properties[name], value[name]) : additionalProperties,
  );
}

function isFieldFit(schema: Json | undefined, value: Json | undefined, isItem = false): boolean {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => OF_FIELD.has(keyword))) return false;
  const { type, enum: choices, items, minimum, maximum, minLength, maxLength } = schema as JsonObject;
  if (choices !== undefined && !(Array.isArray(choices) && choices.includes(value as Json))) return false;
  switch (type) {
    case 'string':
      // Limits count characters, which may be pairs of surrogates.
      return (
        typeof value === 'string' &&
        isBetween(Math.ceil(value.length / 2), minLength, undefined) &&
        isBetween(value.length, undefined, maxLength)
      );
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return Number.isSafeInteger(value) && isBetween(value as number, minimum, maximum);
    case 'number':
      return Number.isFinite(value) && isBetween(value as number, minimum, maximum);
    case 'array':
      return (
        !isItem &&
        Array.isArray(value) &&
        value.length <= MOST &&
        (items === undefined || value.every((item) => isFieldFit(items, item, true)))
      );
    default:
      return false;
  }
}

function isBetween(value: number, minimum: Json | undefined, maximum: Json | undefined): boolean {
  const isAbove = minimum === undefined || (typeof minimum === 'number' && value >= minimum);
  return isAbove && (maximum === undefined || (typeof maximum === 'number' && value <= maximum));
}
