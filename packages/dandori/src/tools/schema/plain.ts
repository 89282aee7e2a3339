import { isObject, type Json } from '../../model/json.ts';

type Fits = (value: Json) => boolean;

const isText: Fits = (value) => typeof value === 'string';
const isNumber: Fits = (value) => typeof value === 'number';
const isCount: Fits = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag: Fits = (value) => typeof value === 'boolean';
const isAnything: Fits = () => true;
const isSet: Fits = (value) => Array.isArray(value) && new Set(value).size === value.length;
const isNames: Fits = (value) => isSet(value) && (value as Json[]).every(isText);
const isValues: Fits = (value) =>
  isSet(value) && (value as Json[]).length > 0 && (value as Json[]).every((one) => typeof one !== 'object');

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const isType: Fits = (value) => typeof value === 'string' && TYPES.includes(value);
const isTypes: Fits = (value) =>
  isType(value) || (Array.isArray(value) && value.length > 0 && isNames(value) && value.every(isType));

const isSchemas: Fits = (value) => isObject(value) && Object.values(value).every(isPlainSchema);
const isForms: Fits = (value) => Array.isArray(value) && value.length > 0 && value.every(isPlainSchema);

/** What tools of all kinds write. The form of each is as both supported drafts say. */
const KEYWORDS: Readonly<Record<string, Fits>> = {
  type: isTypes,
  properties: isSchemas,
  required: isNames,
  additionalProperties: (value) => isPlainSchema(value),
  items: (value) => isPlainSchema(value),
  anyOf: isForms,
  description: isText,
  title: isText,
  default: isAnything,
  const: isAnything,
  enum: isValues,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  uniqueItems: isFlag,
};

/**
 * Whether a schema is certainly valid, because it has only common keywords in their usual form. So most tools need
 * no meta-schema, which takes ajv longer to compile than all else of a short command. The schema is not deeper than
 * `sizeProblem` allows.
 */
export function isPlainSchema(schema: Json): boolean {
  if (typeof schema === 'boolean') return true;
  if (!isObject(schema)) return false;
  for (const [keyword, value] of Object.entries(schema))
    if (!Object.hasOwn(KEYWORDS, keyword) || KEYWORDS[keyword]?.(value) !== true) return false;
  return true;
}
