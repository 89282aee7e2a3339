import * as z from 'zod';
import { type Json, json, valueAt } from '../model/json.ts';

/** A page of a value. */
export interface ResultRange {
  /** Keys and indexes to the value within the result. */
  readonly path: readonly (string | number)[];
  readonly offset: number;
  /** The unit is list elements, object fields, or thousands of characters of a text. */
  readonly limit: number;
}

const kind = z.enum(['list', 'object', 'text']);
const total = z.number().int().describe('Elements, fields, or characters');

/** An element of a list or a field of an object. A large value is replaced by its description. */
const partItem = z
  .object({ key: z.union([z.string(), z.number()]) })
  .and(z.union([z.object({ value: json }), z.object({ kind, total })]));
type PartItem = z.infer<typeof partItem>;

export const resultPartSchema = z.union([
  z.object({ kind: kind.exclude(['text']), total, items: z.array(partItem).readonly() }),
  z.object({ kind: z.literal('text'), total, text: z.string() }),
  z.object({ kind: z.literal('plain'), value: json }),
]);
export type ResultPart = z.infer<typeof resultPartSchema>;

/** A nested value up to this many characters of JSON is included in full. */
const WHOLE = 4_000;
/** Characters of a text per unit of `limit`. */
const LINE = 1_000;

/** Undefined if the path leads to nothing. */
export function partAt(result: Json, { path, offset, limit }: ResultRange): ResultPart | undefined {
  const value = valueAt(result, path);
  if (value === undefined) return undefined;
  if (typeof value === 'string') {
    const text = value.slice(offset, offset + limit * LINE).toWellFormed();
    return { kind: 'text', total: value.length, text };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'plain', value };
  const entries: [string | number, Json][] = Array.isArray(value)
    ? value.slice(offset, offset + limit).map((item, index) => [offset + index, item])
    : Object.entries(value).slice(offset, offset + limit);
  return {
    kind: Array.isArray(value) ? 'list' : 'object',
    total: Array.isArray(value) ? value.length : Object.keys(value).length,
    items: entries.map(([key, item]) => itemOf(key, item)),
  };
}

function itemOf(key: string | number, value: Json): PartItem {
  if (typeof value === 'string')
    return value.length <= WHOLE ? { key, value } : { key, kind: 'text', total: value.length };
  if (typeof value !== 'object' || value === null || isSmall(value)) return { key, value };
  return Array.isArray(value)
    ? { key, kind: 'list', total: value.length }
    : { key, kind: 'object', total: Object.keys(value).length };
}

/** Measures a value without serializing all of a large one. */
function isSmall(value: Json, room = { left: WHOLE }): boolean {
  room.left -= typeof value === 'string' ? value.length + 3 : 6;
  if (room.left < 0) return false;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((item) => isSmall(item, room));
  return Object.entries(value).every(([key, item]) => {
    room.left -= key.length;
    return isSmall(item, room);
  });
}
