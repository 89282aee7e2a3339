import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import { clip } from '../model/text.ts';
import type { Stored } from '../run/state/state.ts';

/** The least that a digest needs to be of use. */
const SMALLEST = 160;

interface DigestOptions {
  /** Characters of the whole text. */
  readonly limit: number;
  /** How the rest is to be had, in a few words. */
  readonly more: string;
}

/** A result as a prompt shows it: whole where it is small, else its size, its shape and its beginning. */
export function digestOf(stored: Stored, { limit, more }: DigestOptions): string {
  const most = Math.max(SMALLEST, limit);
  if ('blob' in stored) {
    const { bytes, head, shape } = stored.blob;
    return digest({ size: `${bytes} bytes`, shape: shape ?? 'not known', head: `${head}…`, most, more });
  }
  const text = stringifyJson(stored.value);
  if (text.length <= most) return text;
  return digest({
    size: `${text.length} characters`,
    shape: shapeOf(stored.value, Math.floor(most / 2)),
    head: text,
    most,
    more,
  });
}

interface Parts {
  readonly size: string;
  readonly shape: string;
  readonly head: string;
  readonly most: number;
  readonly more: string;
}

/** The beginning first: where it is cut once more, as for a person, what is left makes sense. */
function digest({ size, shape, head, most, more }: Parts): string {
  const about = `(${size} in all)\nshape: ${clip(shape, Math.floor(most / 2))}\n${more}`;
  return `${clip(head, Math.max(40, most - about.length))} ${about}`;
}

export function sizeOf(stored: Stored): string {
  return 'blob' in stored ? `${stored.blob.bytes} bytes` : `${stringifyJson(stored.value).length} characters`;
}

export function shapeIn(stored: Stored, longest: number): string {
  if ('blob' in stored) return clip(stored.blob.shape ?? clip(stored.blob.head, longest), longest);
  return shapeOf(stored.value as Json, longest);
}

const DEEPEST = 5;
const MOST_KEYS = 24;
/** Elements of a list that are looked at: enough to see whether they are alike. */
const SAMPLES = 4;
const LONGEST_KEY = 40;
/** A shape that is longer than this is no help. */
const LONGEST_SHAPE = 1_000;

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
  return shape.length <= longest ? shape : clip(shape, longest - 1);
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
  return clip(name, LONGEST_KEY);
}

interface Range {
  readonly from: number;
  readonly count: number;
  /** Characters of the whole excerpt, as JSON. */
  readonly limit: number;
}

/** Room for what stands around the value. */
const AROUND = 120;

/** A part of a value that a prompt can hold: elements of a list, characters of a text, or what its shape is. */
export function excerptOf(value: Json, range: Range): JsonObject {
  const room = Math.max(100, range.limit - AROUND);
  if (Array.isArray(value)) return ofList(value, range, room);
  if (typeof value === 'string') return ofText(value, range, room);
  return stringifyJson(value).length <= room ? { value } : tooLarge(value, room, 'give a path into it');
}

function ofList(list: readonly Json[], { from, count }: Range, room: number): JsonObject {
  const wanted = list.slice(from, from + Math.min(count, list.length));
  const shown: Json[] = [];
  let used = 2;
  for (const item of wanted) {
    used += stringifyJson(item).length + 1;
    if (used > room) break;
    shown.push(item);
  }
  const [first] = wanted;
  if (shown.length === 0 && first !== undefined) {
    const hint = `element ${from} alone is too large: give a path into it, such as [${from}].field`;
    return { total: list.length, ...tooLarge(first, room, hint) };
  }
  return { value: shown, ...place(list.length, from, from + shown.length) };
}

function ofText(text: string, { from, count }: Range, room: number): JsonObject {
  let end = Math.min(text.length, from + Math.min(count, room));
  // As JSON a text may be longer than it is: quotes and control characters are written as several.
  while (end - from > 1 && stringifyJson(text.slice(from, end)).length > room)
    end = from + Math.floor((end - from) * 0.8);
  if (end < text.length && isHighSurrogate(text, end - 1) && end - from > 1) end--;
  return { value: text.slice(from, end).toWellFormed(), ...place(text.length, from, end) };
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}

function place(total: number, from: number, end: number): JsonObject {
  if (from === 0 && end >= total) return { total };
  return { total, from, ...(end < total && { next: end }) };
}

function tooLarge(value: Json, room: number, hint: string): JsonObject {
  const shape = shapeOf(value, Math.min(1_000, Math.floor(room / 2)));
  return { shape, size: stringifyJson(value).length, hint };
}
