import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Ajv, CodeKeywordDefinition, Format, FuncKeywordDefinition, KeywordCxt } from 'ajv';
import type { Json } from '../../model/json.ts';
import type { Work } from '../../model/work-budget.ts';
import { countValues } from './size.ts';

/** The budget of a check. Both methods throw `TooMuchWork`; `giveUp` does so whatever is left. */
export interface Meter extends Work {
  readonly spend: (units: number) => void;
  readonly giveUp: () => void;
  /** What it costs to look at all names of an object. */
  readonly names: (object: object) => number;
}

/** An object with many names is a table to look up, and slow to list. */
const FEW_NAMES = 500;
const NAME_IN_TABLE = 40;
/** The cost of a character of a name that a JSON Pointer escapes: ajv writes the path of every property. */
const ESCAPED = 4;

export function priceOfNames(object: object): number {
  const names = Object.keys(object);
  const each = names.length > FEW_NAMES ? NAME_IN_TABLE : 1;
  let price = 0;
  for (const name of names)
    price += each + (name.includes('~') || name.includes('/') ? ESCAPED : 1 / 16) * name.length;
  return price;
}

/**
 * The limit of errors collected in one check. A few hundred forms and some thousand values would otherwise
 * fill the memory.
 */
export const MOST_ERRORS = 20_000;

/** Keywords that visit all items of a list, or all properties of an object. */
const OVER_ITEMS = new Set(['items', 'additionalItems', 'contains', 'unevaluatedItems', 'minContains']);
const OVER_PROPERTIES = new Set([
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
]);
/** Keywords that keep and drop the errors of their branches. */
const FORKS = new Set(['if', 'not', 'anyOf', 'oneOf']);
const FORK = 10;
/** Keywords that compare the value with all of their content, character by character. */
const COMPARED = new Set(['const', 'enum']);
const OVER_TEXT = new Set(['minLength', 'maxLength']);
/** A call of another function. ajv copies its errors, so the cost grows with their number. */
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const REFERENCE = 10;

/**
 * Makes ajv count its work. The code of every keyword first pays for itself, and throws when the budget is
 * used up. Generated code cannot be stopped in another way. A time limit would give different results on
 * different machines.
 */
export function countWork(ajv: Ajv, meter: Meter): void {
  const load = createRequire(import.meta.url);
  const { _ } = load('ajv') as typeof import('ajv');
  const { default: names } = load('ajv/dist/compile/names.js') as {
    default: { errors: InstanceType<typeof import('ajv')['Name']> };
  };

  const cost = (cxt: KeywordCxt, keyword: string, paid: InstanceType<typeof import('ajv')['Name']>) => {
    const own =
      (FORKS.has(keyword) ? FORK : 1) +
      Math.ceil(
        COMPARED.has(keyword) ? compared(cxt.schema as Json) : countValues(cxt.schema as Json, 20_000) / 4,
      );
    const { data } = cxt;
    if (OVER_ITEMS.has(keyword)) return _`${own} + ${data}.length`;
    if (OVER_PROPERTIES.has(keyword)) return _`${own} + ${own} * ${paid}.names(${data})`;
    if (OVER_TEXT.has(keyword)) return _`${own} + ${data}.length / 4`;
    return REFERENCES.has(keyword) ? _`${own} + ${REFERENCE} + ${names.errors}` : _`${own}`;
  };

  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword(uniqueItems(meter));
  for (const name of Object.keys(ajv.formats)) {
    const format = ajv.formats[name];
    const test = format === undefined ? undefined : testOf(format);
    if (test !== undefined) ajv.addFormat(name, { type: 'string', validate: limited(name, test, meter) });
  }
  for (const [keyword, rule] of Object.entries(ajv.RULES.all)) {
    if (typeof rule !== 'object' || !('code' in rule.definition)) continue;
    const definition = rule.definition as CodeKeywordDefinition;
    const { code } = definition;
    definition.code = (cxt, type) => {
      const paid = cxt.gen.scopeValue('obj', { ref: meter, key: meter });
      cxt.gen.code(_`if ((${paid}.left -= ${cost(cxt, keyword, paid)}) < 0) ${paid}.spend(0);`);
      cxt.gen.code(_`if (${names.errors} > ${MOST_ERRORS}) ${paid}.giveUp();`);
      if (widthOf(cxt.schema) > WIDE) Object.assign(cxt, { allErrors: true });
      code(cxt, type);
    };
  }
}

/**
 * To stop at the first error, ajv nests the code of each part in that of the part before. Deep nesting takes V8
 * seconds to parse, so all parts of a wide schema are checked, each up to its first error.
 */
const WIDE = 50;

function widthOf(schema: unknown): number {
  return typeof schema === 'object' && schema !== null ? Object.keys(schema).length : 0;
}

type TestText = (text: string) => boolean;

/** Undefined for formats of numbers, and for formats that accept every text. */
function testOf(format: Format): TestText | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === 'function') return (text) => format(text) === true;
  if (typeof format !== 'object' || format.type === 'number') return undefined;
  return testOf(format.validate as Format);
}

/** No e-mail address is longer. */
const LONGEST_EMAIL = 320;
/** The pattern of `url` takes cubic time in the worst case. */
const LONGEST_URL = 512;

function limited(name: string, test: TestText, { spend }: Meter): TestText {
  const perCharacter = name.startsWith('uri') ? 1.5 : 1;
  const price = (length: number) =>
    1 + (name === 'email' || name === 'url' ? length ** 2 / 64 : length * perCharacter);
  return (text) => {
    if (name === 'email' && text.length > LONGEST_EMAIL) return false;
    if (name === 'url' && text.length > LONGEST_URL) {
      spend(text.length);
      return /^(?:https?|ftp):/i.test(text) && URL.canParse(text);
    }
    spend(price(text.length));
    return test(text);
  };
}

/** What it costs to compare a value with this one. */
function compared(value: Json): number {
  if (typeof value === 'string') return 1 + value.length / 64;
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + compared(item), 1);
  const items = Object.values(value).reduce<number>((sum, item) => sum + compared(item), 1);
  return items + priceOfNames(value);
}

/** Replaces ajv's keyword, which compares each item with every other: 100,000 objects take an hour. */
function uniqueItems({ spend }: Meter): FuncKeywordDefinition {
  const validate = (isWanted: boolean, items: readonly Json[]): boolean => {
    validate.errors = [];
    if (!isWanted) return true;
    const values = new Map<Json, number>();
    const texts = new Map<string, number>();
    for (const [place, item] of items.entries()) {
      spend(PER_ITEM);
      const isPlain = typeof item !== 'object' && !(typeof item === 'string' && item.length > LONGEST_HASHED);
      const places: Map<Json, number> = isPlain || item === null ? values : texts;
      const key = isPlain ? item : item === null ? null : hashed(canonical(item, spend));
      const before = places.get(key);
      if (before !== undefined) {
        validate.errors = [{ keyword: 'uniqueItems', params: { j: before, i: place } }];
        return false;
      }
      places.set(key, place);
    }
    return true;
  };
  validate.errors = [] as { keyword: string; params: object }[];
  return { keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate };
}

/** V8 hashes only the length of a longer text, and would compare it with all others of that length. */
const LONGEST_HASHED = 16_000;

function hashed(text: string): string {
  return text.length > LONGEST_HASHED ? createHash('sha256').update(text).digest('base64') : text;
}

/** The cost of an item, of a value in an item, and of a character in its texts. */
const PER_ITEM = 32;
const PER_VALUE = 20;
const CHARACTERS = 4;
/** Names are sorted. */
const SORTED = 3;

/** The same text for equal values, whatever the order of their keys. No text is a part of another's. */
function canonical(value: Json, spend: (units: number) => void): string {
  spend(PER_VALUE);
  if (typeof value === 'string') return measured(value, spend);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, spend)).join(',')}]`;
  spend(SORTED * priceOfNames(value));
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => measured(key, spend) + canonical(value[key] as Json, spend)).join(',')}}`;
}

/** Begins with the length, which is faster than to escape what ends the text. */
function measured(text: string, spend: (units: number) => void): string {
  spend(text.length / CHARACTERS);
  return `"${text.length}:${text}`;
}
