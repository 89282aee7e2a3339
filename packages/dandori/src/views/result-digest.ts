import { type Json, type JsonObject, stringifyJson } from '../model/json.ts';
import type { Mode } from '../model/settings.ts';
import { clip } from '../model/text.ts';
import type { Stored } from '../run/state/state.ts';

/** A shorter digest is useless. */
const SMALLEST = 160;

const READ_MORE = 'Read more of it with result.read {"task": ';

/** How to read the rest of a result. In modes with Refs it can also be used without being read. */
export function howToReadMore(task: string, mode: Mode): string {
  const byRef = mode === 'adaptive' ? '' : `, or use it by the Ref \${${task}.path}`;
  return `${READ_MORE}"${task}"}${byRef}.`;
}

/** Whether a text may have a digest. A tool can write these words too; then `result.read` is explained early. */
export function hasDigest(text: string): boolean {
  return text.includes(READ_MORE);
}

interface DigestOptions {
  /** Characters of the whole text. */
  readonly limit: number;
  /** A short hint at how to read the rest. */
  readonly more: string;
}

/** A result as a prompt shows it: in full if it is small, otherwise its size, shape and beginning. */
export function resultForPrompt(stored: Stored, { limit, more }: DigestOptions): string {
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

/** The beginning comes first, so that the text still makes sense if it is cut again. */
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
/** The number of list elements to inspect: enough to see whether they have the same shape. */
const SAMPLES = 4;
const LONGEST_KEY = 40;
/** A longer shape does not help the model. */
const LONGEST_SHAPE = 1_000;

/**
 * The shape of a value in one line: `{total: number, rows: [5000 × {id: number, city: string}]}`. It depends
 * only on the value. The work does not grow with the length of lists.
 */
export function shapeOf(value: Json, longest = LONGEST_SHAPE): string {
  // A value with many fields is described less deeply, so that its end is not cut off.
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

/** The key as a path must write it. */
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

/** Characters reserved for the text around the value. */
const AROUND = 120;

/** The part of a value that fits into a prompt: elements of a list, characters of a text, or its shape. */
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
  // JSON escapes make a text longer: quotes and control characters become several characters.
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
