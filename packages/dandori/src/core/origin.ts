import type { Json } from '../domain/json.ts';
import { parseJson, stringifyJson } from '../domain/json-text.ts';

/** A place in a result: keys and indexes. */
export type Origin = readonly (string | number)[];

/** Whoever has found a value at so many places knows nothing about where it came from. */
const MOST = 20;

/** Equal values have equal keys, whatever the order of the fields in them. */
export function keyOf(value: Json): string {
  return stringifyJson(sorted(value));
}

/** The places in a result of all values that are looked for, found in one walk over it. */
export function originsIn(result: Json, wanted: ReadonlySet<string>): ReadonlyMap<string, readonly Origin[]> {
  const found = new Map<string, Origin[]>();
  // To write out every list and every object within another would be quadratic in the depth.
  const sizes = new Set([...wanted].map((key) => sizeOf(parseJson(key) as Json)));
  const visit = (value: Json, path: readonly (string | number)[]) => {
    if (sizes.has(sizeOf(value))) {
      const key = keyOf(value);
      const places = found.get(key);
      if (places === undefined && wanted.has(key)) found.set(key, [path]);
      else if (places !== undefined && places.length < MOST) places.push(path);
    }
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) value.forEach((item, index) => void visit(item, [...path, index]));
    else for (const [name, item] of Object.entries(value)) visit(item, [...path, name]);
  };
  visit(result, []);
  return found;
}

/** The one that must be meant: the only one, or of several the only one under the same name. */
export function onlyOrigin(places: readonly Origin[], name: string | number | undefined): Origin | undefined {
  if (places.length === MOST) return undefined;
  const named = places.length === 1 ? places : places.filter((place) => place.at(-1) === name);
  return named.length === 1 ? named[0] : undefined;
}

/** A path as JMESPath, as it stands in a Ref. */
export function pathExpression(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const name = /^[A-Za-z_]\w*$/.test(step) ? step : stringifyJson(step);
    return text === '' ? name : `${text}.${name}`;
  }, '');
}

function sizeOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return 'one';
  return Array.isArray(value) ? `list ${value.length}` : `object ${Object.keys(value).length}`;
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
