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
 * Whether a value certainly fits a schema. False means only that ajv must decide: it knows every keyword and says what
 * is wrong.
 */
export type PlainFit = (value: Json) => boolean;

/**
 * For a simple schema: an object with fields that are texts, numbers, booleans or lists of those. Most arguments are
 * like that. For them ajv need not be loaded, which takes longer than a small run. A field is read with the first value
 * that has it, and only once: a schema may list a million fields.
 */
export function plainFit(schema: JsonObject): PlainFit {
  const { type, properties = {}, required = [], additionalProperties = true } = schema;
  const isSimple =
    type === 'object' &&
    isObject(properties) &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string') &&
    typeof additionalProperties === 'boolean' &&
    Object.keys(schema).every((keyword) => OF_OBJECT.has(keyword));
  if (!isSimple) return never;
  const known = new Map<string, PlainFit>();
  const isFieldFit = (name: string, value: Json) => {
    let fits = known.get(name);
    if (fits === undefined) {
      if (!Object.hasOwn(properties, name)) return additionalProperties;
      fits = fieldFit(properties[name]);
      known.set(name, fits);
    }
    return fits(value);
  };
  return (value) => {
    if (!isObject(value)) return false;
    const names = Object.keys(value);
    // ajv reads this name in its own way.
    if (names.length > MOST || Object.hasOwn(value, '__proto__')) return false;
    for (const name of required) if (!Object.hasOwn(value, name)) return false;
    for (const name of names) if (!isFieldFit(name, value[name] as Json)) return false;
    return true;
  };
}

const never: PlainFit = () => false;

/** Most fields have no limits. */
const UNLIMITED: Readonly<Record<string, PlainFit>> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
};

function fieldFit(schema: Json | undefined, isItem = false): PlainFit {
  if (!isObject(schema) || !Object.keys(schema).every((keyword) => OF_FIELD.has(keyword))) return never;
  const { type, enum: choices, items, minimum, maximum, minLength, maxLength } = schema as JsonObject;
  if (choices !== undefined && !Array.isArray(choices)) return never;
  const isChoice: PlainFit = (value) => choices === undefined || choices.includes(value);
  const isLimited = [choices, minimum, maximum, minLength, maxLength].some((limit) => limit !== undefined);
  if (!isLimited && typeof type === 'string' && Object.hasOwn(UNLIMITED, type))
    return UNLIMITED[type] ?? never;
  switch (type) {
    case 'string':
      return (value) =>
        typeof value === 'string' &&
        isChoice(value) &&
        // Limits count characters, which may be pairs of surrogates.
        isBetween(Math.ceil(value.length / 2), minLength, undefined) &&
        isBetween(value.length, undefined, maxLength);
    case 'boolean':
      return (value) => typeof value === 'boolean' && isChoice(value);
    case 'integer':
      return (value) =>
        Number.isSafeInteger(value) && isChoice(value) && isBetween(value as number, minimum, maximum);
    case 'number':
      return (value) =>
        Number.isFinite(value) && isChoice(value) && isBetween(value as number, minimum, maximum);
    case 'array': {
      if (isItem) return never;
      const isItemFit = items === undefined ? undefined : fieldFit(items, true);
      return (value) =>
        Array.isArray(value) &&
        isChoice(value) &&
        value.length <= MOST &&
        (isItemFit === undefined || value.every(isItemFit));
    }
    default:
      return never;
  }
}

function isBetween(value: number, minimum: Json | undefined, maximum: Json | undefined): boolean {
  const isAbove = minimum === undefined || (typeof minimum === 'number' && value >= minimum);
  return isAbove && (maximum === undefined || (typeof maximum === 'number' && value <= maximum));
}
