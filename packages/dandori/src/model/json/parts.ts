import { type Json, type JsonObject, stringifyJson } from '../json.ts';
import { slices } from '../text.ts';

/** Characters of one part of a large JSON text. */
const PART = 64 * 1_024;
/** Characters that one character takes in JSON at most, as `\u001f` does. */
const MOST_OF_CHARACTER = 6;

/**
 * The text that `stringifyJson` writes, in parts: a large value is never in memory as one text. No part ends
 * within a surrogate pair.
 */
export function* jsonParts(value: Json): Generator<string> {
  if (typeof value === 'string' && value.length > PART) yield* partsOfText(value);
  else if (typeof value !== 'object' || value === null || weightOf(value, PART) < PART)
    yield stringifyJson(value);
  else if (Array.isArray(value)) yield* partsOfList(value);
  else yield* partsOfObject(value);
}

function* partsOfText(text: string): Generator<string> {
  yield '"';
  for (const part of slices(text, PART)) yield stringifyJson(part).slice(1, -1);
  yield '"';
}

/** Small items that follow each other are written together. */
function* partsOfList(items: readonly Json[]): Generator<string> {
  let start = 0;
  let weight = 0;
  let before = '[';
  for (const [index, item] of items.entries()) {
    const added = weightOf(item, PART);
    if (weight > 0 && weight + added >= PART) {
      yield before + stringifyJson(items.slice(start, index)).slice(1, -1);
      before = ',';
      start = index;
      weight = 0;
    }
    if (added < PART) weight += added;
    else {
      yield before;
      yield* jsonParts(item);
      before = ',';
      start = index + 1;
    }
  }
  if (weight > 0) yield before + stringifyJson(items.slice(start)).slice(1, -1);
  yield ']';
}

function* partsOfObject(value: JsonObject): Generator<string> {
  let text = '{';
  let before = '';
  for (const key in value) {
    const item = value[key] as Json;
    text += `${before}${stringifyJson(key)}:`;
    before = ',';
    if (weightOf(item, PART) < PART) text += stringifyJson(item);
    else {
      yield text;
      text = '';
      yield* jsonParts(item);
    }
    if (text.length >= PART) {
      yield text;
      text = '';
    }
  }
  yield `${text}}`;
}

/** About the length of a value as JSON. Stops counting at `most`. */
function weightOf(value: Json, most: number): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  let weight = 2;
  if (Array.isArray(value))
    for (let index = 0; index < value.length && weight < most; index++)
      weight += weightOf(value[index] as Json, most - weight);
  else
    for (const key in value) {
      if (weight >= most) break;
      weight += key.length + 3 + weightOf(value[key] as Json, most - weight);
    }
  return weight;
}

/** Whether a value is longer than `limit` characters as JSON. */
export function isLongerThan(limit: number, value: Json): boolean {
  if (typeof value === 'string' && value.length * MOST_OF_CHARACTER + 2 <= limit) return false;
  let length = 0;
  for (const part of jsonParts(value)) {
    length += part.length;
    if (length > limit) return true;
  }
  return false;
}
