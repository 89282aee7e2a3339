import type { Json } from './json.ts';

/** An integer that is not exact as a number, or a number among such integers. */
type Huge = bigint | number;
/** A number for each of some huge ones, in the same order. */
export type StandIns = ReadonlyMap<Huge, number>;

/** Where numbers are written with an exponent; below it none is beyond 2^53 but a bigint. */
const LEAST_HUGE = 1e21;
/** All stand-ins are beyond the numbers that need none. */
export const BASE = 2 ** 53;

/** The bigints in a value, and the numbers as large; an empty set for nearly every value. */
export function hugeIn(value: Json, found = new Set<Huge>()): ReadonlySet<Huge> {
  if (isHuge(value)) found.add(value);
  else if (Array.isArray(value)) for (const item of value) hugeIn(item, found);
  else if (typeof value === 'object' && value !== null)
    for (const key in value) hugeIn(value[key] as Json, found);
  return found;
}

/**
 * Numbers for libraries that know no bigint (ajv, JMESPath): two that differ have different ones, and the greater one
 * has the greater number. So types, limits, orders and equality come out as with the integers themselves; only
 * calculations do not. `fixed` are those that have their numbers already, from `spacedStandIns`.
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

/** The same with as much room between two of them as there can be, for others that come later. */
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

/** Those of one sign, away from zero; an integer and a number that are equal stand together. */
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

/** The same value with a number for each huge one. */
export function withStandIns(value: Json, numbers: StandIns): Json {
  return mapped(value, (leaf) => (isHuge(leaf) ? (numbers.get(leaf) ?? Number(leaf)) : leaf));
}

/** The same value with what the numbers stand for. */
export function withoutStandIns(value: Json, numbers: StandIns): Json {
  const huge = new Map([...numbers].map(([one, number]) => [number, one]));
  return mapped(value, (leaf) => (typeof leaf === 'number' ? (huge.get(leaf) ?? leaf) : leaf));
}

/** The same value with each bigint as text, for what is only shown. */
export function withTextIntegers(value: Json): Json {
  return mapped(value, (leaf) => (typeof leaf === 'bigint' ? String(leaf) : leaf));
}

/** The same value with other leaves. */
export function mapped(value: Json, change: (leaf: Json) => Json): Json {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (typeof value !== 'object' || value === null) return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, change)]));
}

function isHuge(value: Json): value is Huge {
  return typeof value === 'bigint' || (typeof value === 'number' && Math.abs(value) >= LEAST_HUGE);
}

/** The next number that there is. All of these are beyond 2^53, where it is one part in 2^52 away at most. */
function next(number: number): number {
  const step = number * 2 ** -53;
  return number + step === number ? number + 2 * step : number + step;
}
