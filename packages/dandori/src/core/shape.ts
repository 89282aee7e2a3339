import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';

const DEEPEST = 5;
const MOST_KEYS = 24;
/** Elements of a list that are looked at: enough to see whether they are alike. */
const SAMPLES = 4;
const LONGEST_KEY = 40;
/** A shape that is longer than this is no help. */
export const LONGEST_SHAPE = 1_000;

/**
 * What a value looks like, in a line: `{total: number, rows: [5000 × {id: number, city: string}]}`. The same value has
 * the same shape on any machine, and the work does not grow with the length of its lists.
 */
export function shapeOf(value: Json, longest = LONGEST_SHAPE): string {
  // A wide value is told less deeply, so that its end is not cut off.
  for (let depth = DEEPEST; depth > 1; depth--) {
    const shape = describe(value, depth);
    if (shape.length <= longest) return shape;
  }
  const shape = describe(value, 1);
  return shape.length <= longest ? shape : `${shape.slice(0, longest - 1)}…`;
}

function describe(value: Json, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string')
    return value.length > 200 ? `string of ${value.length} characters` : 'string';
  if (typeof value === 'bigint') return 'number';
  if (typeof value !== 'object') return typeof value;
  return Array.isArray(value) ? describeList(value, depth) : describeObject(value, depth);
}

function describeList(list: readonly Json[], depth: number): string {
  if (list.length === 0) return '[]';
  if (depth === 0) return `[${list.length} × …]`;
  const step = Math.max(1, Math.floor(list.length / SAMPLES));
  const seen = Array.from({ length: Math.min(SAMPLES, list.length) }, (_, index) =>
    describe(list[index * step] ?? null, depth - 1),
  );
  return `[${list.length} × ${[...new Set(seen)].join(' | ')}]`;
}

function describeObject(object: JsonObject, depth: number): string {
  const keys = Object.keys(object);
  if (keys.length === 0) return '{}';
  if (depth === 0) return `{${keys.length} keys}`;
  const shown = keys
    .slice(0, MOST_KEYS)
    .map((key) => `${nameOf(key)}: ${describe(object[key] ?? null, depth - 1)}`);
  const more = keys.length > MOST_KEYS ? [`… ${keys.length - MOST_KEYS} more keys`] : [];
  return `{${[...shown, ...more].join(', ')}}`;
}

/** As a path would have to write it. */
function nameOf(key: string): string {
  const name = /^[A-Za-z_]\w*$/.test(key) ? key : stringifyJson(key);
  return name.length <= LONGEST_KEY ? name : `${name.slice(0, LONGEST_KEY)}…`;
}
