import { numberFrom } from '../model/json/numbers.ts';
import { asText, type Json } from '../model/json.ts';
import { lettersOf, ofText } from '../model/work-budget.ts';

/** The cost of one step of an expression. */
export const VISIT = 4;
/** The cost of a new list item, or of one iteration of a function. */
export const ROUND = 16;
/** The cost of a name in an object with many names: to list it, or to make it. */
export const NAME = 64;
const FEW_NAMES = 500;

type Comparer = (one: Json, other: Json) => number;

/** The order of JMESPath: numbers by value, texts by code points. The list has only numbers or only texts. */
export function comparerFor(list: readonly Json[]): Comparer {
  if (list.every((one) => typeof one === 'number'))
    return (one, other) => (one as number) - (other as number);
  // Comparing code units is only wrong if one of two different characters is a surrogate.
  return list.some(hasSurrogate)
    ? (one, other) => byCodePoints(one as string, other as string)
    : (one, other) => byValue(one as string, other as string);
}

/** Of texts, and of numbers and bigints together. */
function byValue(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function hasSurrogate(text: Json): boolean {
  return typeof text === 'string' && /[\uD800-\uDFFF]/.test(text);
}

function byCodePoints(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = (a.codePointAt(at) ?? 0) - (b.codePointAt(at) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A comparison reads both texts. By code points, it reads them slowly. */
export function sortPrice(list: readonly Json[]): number {
  const letters = lettersIn(list) / (list.some(hasSurrogate) ? 1 : CHARACTERS_COMPARED);
  return (2 * list.length + letters) * Math.ceil(Math.log2(list.length + 1));
}

const CHARACTERS_COMPARED = 12;

export function kindOf(value: Json): string {
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function extreme(list: readonly Json[], sign: 1 | -1): Json {
  const compare = comparerFor(list);
  let best = list[0] ?? null;
  for (const item of list) if (sign * compare(item, best) > 0) best = item;
  return best;
}

/** The part of an argument that a function reads at least once. */
export function shallow(value: Json): number {
  if (typeof value === 'string') return ofText(value.length);
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value)) return 1 + value.length;
  const names = Object.keys(value).length;
  return 1 + names * (names > FEW_NAMES ? NAME : 1);
}

/** The total length of the texts in a list, for functions over lists of texts. */
function lettersIn(list: Json | readonly Json[] | undefined): number {
  if (!Array.isArray(list)) return 0;
  return list.reduce<number>((sum, item) => sum + (typeof item === 'string' ? item.length : 0), 0);
}

export function lengthOf(value: Json | undefined): number {
  return typeof value === 'string' || Array.isArray(value) ? value.length : 0;
}

/** A search may compare the whole needle at every position. */
function searched(subject: Json | undefined, needle: Json | undefined): number {
  if (Array.isArray(subject))
    return ofText(subject.reduce<number>((sum, item) => sum + alikeIn(item, needle), 0));
  return typeof subject === 'string' ? ofText(subject.length * Math.ceil(1 + lengthOf(needle) / 64)) : 0;
}

/** Two texts of the same length are compared to their first difference. */
function alikeIn(item: Json, needle: Json | undefined): number {
  return typeof item === 'string' && typeof needle === 'string' && item.length === needle.length
    ? item.length
    : 0;
}

/** The cost of functions whose result or work is larger than their input. */
export const PRICES: Readonly<Record<string, (args: readonly Json[]) => number>> = {
  contains: ([subject, needle]) => searched(subject, needle),
  find_first: ([subject, needle]) => searched(subject, needle),
  find_last: ([subject, needle]) => searched(subject, needle),
  split: ([subject, needle]) => searched(subject, needle) + lengthOf(subject),
  length: ([subject]) => lengthOf(subject) / 4,
  reverse: ([subject]) => (typeof subject === 'string' ? VISIT : 1) * lengthOf(subject),
  join: ([glue, list]) => ofText(lettersIn(list) + lengthOf(glue) * lengthOf(list)),
  max: ([list]) => lettersIn(list),
  min: ([list]) => lettersIn(list),
  sort: ([list]) => (Array.isArray(list) ? sortPrice(list) : 0),
  sort_by: ([list]) => lengthOf(list),
  from_items: ([list]) =>
    NAME * lengthOf(list) + (Array.isArray(list) ? list.reduce<number>(pairPrice, 0) : 0),
  items: ([object]) => ROUND * shallow(object ?? null),
  merge: (objects) => ROUND * objects.reduce<number>((sum, one) => sum + shallow(one), 0),
  pad_left: ([, width]) => ofText(Number(width)),
  pad_right: ([, width]) => ofText(Number(width)),
  trim: trimPrice,
  trim_left: trimPrice,
  trim_right: trimPrice,
  zip: (lists) => lists.length * Math.min(...lists.map(lengthOf)),
};

/** Each character is looked for among those that are trimmed. */
function trimPrice([subject, set]: readonly Json[]): number {
  return lengthOf(subject) * (3 + lengthOf(set) / 64);
}

/** V8 hashes only the length of a longer name, and so compares it with all others of that length. */
const LONGEST_HASHED = 16_000;

export function manyAlike(name: Json | undefined, others: number): number {
  return lengthOf(name) > LONGEST_HASHED ? (others * lengthOf(name)) / 64 : 0;
}

function pairPrice(sum: number, pair: Json, index: number): number {
  return sum + (Array.isArray(pair) ? manyAlike(pair[0], index) : 0);
}

type Pay = (units: number) => void;

/** Replacements for library functions that take too much time or memory. They give the same results. */
export const OWN: Readonly<Record<string, (args: readonly Json[], pay: Pay) => Json>> = {
  length: ([subject = null]) => {
    if (typeof subject === 'string') return lettersOf(subject);
    return Array.isArray(subject) ? subject.length : Object.keys(subject as object).length;
  },
  // The library sorts numbers as texts. It finds the largest text by the language of the machine, and fails to
  // find the largest of many numbers.
  sort: ([list]) => (list as Json[]).toSorted(comparerFor(list as Json[])),
  max: ([list]) => extreme(list as Json[], 1),
  min: ([list]) => extreme(list as Json[], -1),
  // The library's function can't serialize a bigint.
  to_string: ([subject = null]) => asText(subject),
  // The library's function loses a bigint, and rounds a text of one.
  to_number: ([subject = null]) => {
    if (typeof subject === 'number' || typeof subject === 'bigint') return subject;
    return typeof subject === 'string' ? (numberFrom(subject) ?? null) : null;
  },
  replace: ([subject, needle, by, count], pay) =>
    replaced({ subject: String(subject), needle: String(needle), by: String(by), count }, pay),
  trim: ([subject, set]) => trimmed(String(subject), set, { left: true, right: true }),
  trim_left: ([subject, set]) => trimmed(String(subject), set, { left: true, right: false }),
  trim_right: ([subject, set]) => trimmed(String(subject), set, { left: false, right: true }),
};

interface Replacement {
  readonly subject: string;
  readonly needle: string;
  readonly by: string;
  readonly count: Json | undefined;
}

function replaced({ subject, needle, by, count }: Replacement, pay: Pay): string {
  if (count === 0) return subject;
  pay(searched(subject, needle));
  if (count === undefined || count === null) {
    const places = subject.split(needle);
    pay(places.length + ofText(places.length * by.length));
    return places.join(by);
  }
  if (typeof count !== 'number' || count < 0 || !Number.isInteger(count))
    throw new Error('invalid-value: expecting a non-negative integer.');
  let text = subject;
  for (let round = 0; round < count; round++) {
    // `$'` in the replacement would insert the rest of the text.
    const grown = by.includes('$') ? text.length * (1 + by.length) : text.length + by.length;
    pay(ROUND + searched(text, needle) + ofText(grown));
    const next = text.replace(needle, by);
    if (next === text) return text;
    text = next;
  }
  return text;
}

/** The library uses a pattern that is quadratic in a run of blanks. */
function trimmed(text: string, set: Json | undefined, sides: { left: boolean; right: boolean }): string {
  const isIn =
    typeof set === 'string' && set !== ''
      ? (unit: string) => set.includes(unit)
      : (unit: string) => /[\s\x85]/.test(unit);
  let from = 0;
  let to = text.length;
  if (sides.right) while (to > from && isIn(text.charAt(to - 1))) to--;
  if (sides.left) while (from < to && isIn(text.charAt(from))) from++;
  return text.slice(from, to);
}

export function isNumeric(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The first value comes from `to_number`. The second may be a stand-in for a large integer. */
export function mayStandIn(made: Json, value: Json): boolean {
  return typeof made === 'bigint' && typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

export function areBothLarge(first: Json, second: Json): boolean {
  if (first === second || typeof first !== 'object' || typeof second !== 'object') return false;
  if (first === null || second === null) return false;
  if (Array.isArray(first)) return Array.isArray(second) && first.length === second.length;
  return !Array.isArray(second);
}
