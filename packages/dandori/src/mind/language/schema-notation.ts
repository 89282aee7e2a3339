import type { Json, JsonObject } from '../../domain/json.ts';
import { stringifyJson } from '../../domain/json-text.ts';

/**
 * What a schema is of. What may be given is told with its limits and what each field means. Of what comes back, names and
 * types are enough to refer to it, and text is the usual type; what it means is seen when it is there.
 */
type Side = 'input' | 'output';

/** Keywords with no word here: how a document is made, and what the compiler says better when it matters. */
const UNTOLD = [
  ...['$schema', '$id', '$comment', 'title', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['unevaluatedProperties', 'propertyNames', 'minLength', 'maxLength', 'uniqueItems', 'multipleOf'],
];
const TOLD = [
  ...[
    'type',
    'nullable',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'properties',
    'required',
    'items',
    'description',
  ],
  ...['additionalProperties', 'default', 'format', 'pattern', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
];
const KNOWN: ReadonlySet<string> = new Set([...UNTOLD, ...TOLD]);

/**
 * A JSON Schema as a type: `{city: string, days?: integer}` with a remark behind a field. It has a third of the tokens, and
 * models know such types as well. What has no word here is told as the JSON that it is, so that nothing is lost.
 */
export function notate({ $schema: _, ...schema }: JsonObject, side: Side): string {
  // Definitions would have to be told apart from what uses them.
  const text = stringifyJson(schema);
  return /"\$(?:ref|dynamicRef)":/.test(text) ? text : typeText(schema, side);
}

function typeText(schema: Json | undefined, side: Side): string {
  if (schema === undefined || schema === true) return 'any';
  if (!isObject(schema) || !hasWords(schema)) return stringifyJson(schema);
  if (schema.const !== undefined) return stringifyJson(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => stringifyJson(value)).join(' | ');
  const choices = choicesOf(schema);
  if (choices !== undefined)
    return choices.map((choice) => `${typeText(choice, side)}${remark(choice, side)}`).join(' | ');
  const named = Array.isArray(schema.type) ? schema.type : [schema.type ?? impliedType(schema)];
  const types = schema.nullable === true ? [...named, 'null'] : named;
  return types.map((type) => oneType(type, schema, side)).join(' | ');
}

/** Where two keywords together say more than each of them, JSON says it better. */
function hasWords(schema: JsonObject): boolean {
  const { properties, required, items, anyOf, oneOf } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const isKnown = Object.keys(schema).every((key) => KNOWN.has(key));
  const isComplete = !Array.isArray(required) || required.every((name) => names.includes(String(name)));
  const isOneChoice = anyOf === undefined || oneOf === undefined;
  const isOnlyChoice = choicesOf(schema) === undefined || (properties ?? items ?? required) === undefined;
  return isKnown && isComplete && isOneChoice && isOnlyChoice && !Array.isArray(items);
}

function choicesOf({ anyOf, oneOf }: JsonObject): readonly Json[] | undefined {
  return [anyOf, oneOf].find(Array.isArray);
}

function impliedType({ properties, items }: JsonObject): string {
  if (properties !== undefined) return 'object';
  return items === undefined ? 'any' : 'array';
}

function oneType(type: Json, schema: JsonObject, side: Side): string {
  if (type === 'object') return objectText(schema, side);
  if (type !== 'array') return String(type);
  const item = `${typeText(schema.items, side)}${remark(schema.items, side)}`;
  return isOneWord(schema.items) || /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}

/** Whether its brackets hold together all that is said of it. */
function isOneWord(schema: Json | undefined): boolean {
  return (
    isObject(schema) &&
    schema.type === 'object' &&
    schema.nullable !== true &&
    schema.description === undefined
  );
}

function objectText({ properties, required, additionalProperties }: JsonObject, side: Side): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) => {
    const type = typeText(schema, side);
    const key = `${keyText(name)}${needed.has(name) ? '' : '?'}`;
    return side === 'output' && type === 'string' ? key : `${key}: ${type}${remark(schema, side)}`;
  });
  const others = isObject(additionalProperties) && Object.keys(additionalProperties).length > 0;
  if (others) fields.push(`[key]: ${typeText(additionalProperties, side)}`);
  if (fields.length === 0) return properties === undefined ? 'object' : '{}';
  return `{${fields.join(', ')}}`;
}

function keyText(name: string): string {
  return /^[\p{L}\p{N}_$-]+$/u.test(name) ? name : stringifyJson(name);
}

function remark(schema: Json | undefined, side: Side): string {
  if (!isObject(schema) || side === 'output' || !hasWords(schema)) return '';
  const words = [...limits(schema), ...(typeof schema.description === 'string' ? [schema.description] : [])];
  // The words of a server cannot begin a line or end the remark.
  const text = words.join('; ').replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return text === '' ? '' : ` /* ${text} */`;
}

function limits(schema: JsonObject): string[] {
  const { format, pattern, minItems, maxItems, description } = schema;
  const isDefaultTold = typeof description === 'string' && /default/i.test(description);
  return [
    ...(typeof format === 'string' ? [format] : []),
    ...(typeof pattern === 'string' ? [`matches ${pattern}`] : []),
    ...numberRange(schema),
    ...(minItems === undefined || minItems === 0 ? [] : [`at least ${minItems} items`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(schema.default === undefined || isDefaultTold ? [] : [`default ${stringifyJson(schema.default)}`]),
  ];
}

function numberRange({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): string[] {
  const [least, most] = [minimum, maximum].map((bound) => (isBound(bound) ? bound : undefined));
  return [
    ...(least !== undefined && most !== undefined ? [`${least} to ${most}`] : []),
    ...(least !== undefined && most === undefined ? [`at least ${least}`] : []),
    ...(least === undefined && most !== undefined ? [`at most ${most}`] : []),
    ...(isBound(exclusiveMinimum) ? [`more than ${exclusiveMinimum}`] : []),
    ...(isBound(exclusiveMaximum) ? [`less than ${exclusiveMaximum}`] : []),
  ];
}

/** Some libraries state the limits of every safe or 64-bit integer, which tells a model nothing. */
function isBound(value: Json | undefined): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
