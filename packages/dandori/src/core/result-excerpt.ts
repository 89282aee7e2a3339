import type { Json, JsonObject } from '../domain/json.ts';
import { stringifyJson } from '../domain/json-text.ts';
import { shapeOf } from './shape.ts';

export interface Range {
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
