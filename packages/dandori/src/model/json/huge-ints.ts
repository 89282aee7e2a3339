import { type Json, type JsonObject, setMember } from '../json.ts';

/** An integer that is not exact as a number, or a number of that size. */
type Huge = bigint | number;
/** A number for each huge value, in the same order. */
export type StandIns = ReadonlyMap<Huge, number>;

/** From here on numbers are written with an exponent. Below it, only a bigint is beyond 2^53. */
const LEAST_HUGE = 1e21;
/** All stand-ins are above the numbers that need none. */
export const BASE = 2 ** 53;

/** The bigints and equally large numbers in a value. The set is empty for nearly every value. */
export function hugeIn(value: Json, found = new Set<Huge>()): ReadonlySet<Huge> {
  if (isHuge(value)) found.add(value);
  else if (Array.isArray(value)) for (const item of value) hugeIn(item, found);
  else if (typeof value === 'object' && value !== null)
    for (const key in value) hugeIn(value[key] as Json, found);
  return found;
}

/**
 * Numbers for libraries that do not support bigint (ajv, JMESPath). Different integers get different numbers,
 * in the same order. So types, limits, sorting and equality work as with the integers; only arithmetic does
 * not. `fixed` has stand-ins that were assigned before, by `spacedStandIns`.
 */
export function standIns(huge: ReadonlySet<Huge>, fixed: StandIns = new Map(), base = BASE): StandIns {
  const all = new Set([...huge, ...fixed.keys()]);
  return new Map(
    [1, -1].flatMap((sign) => {
      let last = base;
      return ordered(all, sign).flatMap((equal) => {
        const known = equal.map((one) => fixed.get(one)).find((number) => number !== undefined);
        last = known === undefined ? next(last) : Math.abs(known);
        return equal.map((one) => [one, sign * last] as const);
      });
    }),
  );
}

/** The same, with as much space as possible between two stand-ins, for integers that come later. */
export function spacedStandIns(huge: ReadonlySet<Huge>): StandIns {
  return new Map(
    [1, -1].flatMap((sign) => {
      const places = ordered(huge, sign);
      return places.flatMap((equal, index) => {
        const number = sign * 2 ** (54 + Math.min(1, 900 / places.length) * index);
        return equal.map((one) => [one, number] as const);
      });
    }),
  );
}

/** The values of one sign, ordered away from zero. An integer and a number that are equal share a group. */
function ordered(huge: ReadonlySet<Huge>, sign: number): Huge[][] {
  const side = [...huge].filter((one) => (one > 0 ? 1 : -1) === sign);
  side.sort((a, b) => (a < b ? -sign : a > b ? sign : 0));
  const groups: Huge[][] = [];
  for (const one of side) {
    const last = groups.at(-1);
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number are equal only like this
    if (last?.[0] !== undefined && last[0] == one) last.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** Replaces each huge value by its stand-in. */
export function withStandIns(value: Json, numbers: StandIns): Json {
  return mapped(value, (leaf) => (isHuge(leaf) ? (numbers.get(leaf) ?? Number(leaf)) : leaf));
}

/** Replaces each stand-in by its huge value. */
export function withoutStandIns(value: Json, numbers: StandIns): Json {
  const huge = new Map([...numbers].map(([one, number]) => [number, one]));
  return mapped(value, (leaf) => (typeof leaf === 'number' ? (huge.get(leaf) ?? leaf) : leaf));
}

/** Replaces each bigint by a text, for display. */
export function withTextIntegers(value: Json): Json {
  return mapped(value, (leaf) => (typeof leaf === 'bigint' ? String(leaf) : leaf));
}

/** Replaces the leaves of a value. */
export function mapped(value: Json, change: (leaf: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return change(value);
  const copy: JsonObject = {};
  for (const key in value) setMember(copy, key, mapped(value[key] as Json, change));
  return copy;
}

function isHuge(value: Json): value is Huge {
  return typeof value === 'bigint' || (typeof value === 'number' && Math.abs(value) >= LEAST_HUGE);
}

/** The next representable number. All of these are beyond 2^53, where it is at most one part in 2^52 away. */
function next(number: number): number {
  const step = number * 2 ** -53;
  return number + step === number ? number + 2 * step : number + step;
}
