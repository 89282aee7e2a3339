import * as z from 'zod';
import { isWrittenAsDecimal, numberOf } from './json/numbers.ts';

/** An integer beyond ±(2^53 − 1) is a bigint, so that 64-bit identifiers stay exact. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * Checks only that there is a value. The value has just come from `parseJson`, so checking it again would
 * cost as much as the parse and find nothing.
 */
export const json = z.custom<Json>((value) => value !== undefined);
export const jsonObject = z.custom<JsonObject>(isObject, 'must be an object');

/** An object with members: neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject;
export function isObject(value: unknown): value is Record<string, unknown>;
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object, or an empty one instead of anything else. */
export function asObject(value: Json | undefined): JsonObject;
export function asObject(value: unknown): Record<string, unknown>;
export function asObject(value: unknown): object {
  return isObject(value) ? value : {};
}

/**
 * Numbers that `JSON.parse` reads differently from the journal: 16 digits and more, an exponent (`1e999`,
 * `1e20`), and −0. Matches only where a value can begin, so that digits inside texts rarely match.
 */
const UNUSUAL_NUMBER = /(?:^|[[,: \n\r\t])(?:-?\d{16}|-?\d[\d.]*[eE]|-0(?:\.0+)?(?![\d.]))/;

/**
 * `JSON.parse` with exact integers and without numbers that JSON cannot write. A number that overflows
 * (`1e999`) becomes null, as in `JSON.stringify`. `stringifyJson` writes the result so that it parses to the
 * same value. Throws a `SyntaxError` for invalid JSON.
 */
export function parseJson(text: string): Json {
  if (!isUnusual(text)) return JSON.parse(text) as Json;
  // Only checks the text. The value is dropped before the exact one is made, because both may be large.
  JSON.parse(text);
  return parseExactly(text);
}

/** The value at a path, or undefined if there is none. */
export function valueAt(value: Json, path: readonly (string | number)[]): Json | undefined;
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown;
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let here = value;
  for (const part of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return undefined;
    here = (here as Record<string | number, unknown>)[part];
  }
  return here;
}

/** Whether a text may contain a number that `JSON.parse` reads differently from the journal. */
export function isUnusual(text: string): boolean {
  return UNUSUAL_NUMBER.test(text);
}

/** `JSON.stringify`, with a bigint as its digits. Throws for a circular value and for too many levels. */
export function stringifyJson(value: unknown, indent = 0): string {
  // A program may define `toJSON` on bigints for its own purposes.
  if (!('toJSON' in BigInt.prototype)) {
    try {
      return JSON.stringify(value, null, indent);
    } catch (error) {
      // The message is the only hint to the cause: the engines set no code.
      const { message = '' } = error instanceof TypeError ? error : {};
      if (/circular|cyclic/i.test(message)) throw new TypeError('it contains itself', { cause: error });
      if (!message.includes('BigInt')) throw error;
    }
  }
  return write(value, '', { step: ' '.repeat(indent), margin: '', above: new Set() }) as string;
}

/**
 * Returns a copy of any value as the journal would read it back. NaN and Infinity become null, −0 becomes 0,
 * and a Date becomes a text. Members without a value are dropped, and large integers become bigints. Throws
 * as `stringifyJson` does.
 */
export function normalise(value: unknown): Json {
  if (typeof value === 'string') return value;
  // A function, a symbol or undefined has no text.
  return parseJson((stringifyJson(value) as string | undefined) ?? 'null');
}

/** A copy as the journal would read it back, of a value whose type JSON keeps: plain objects and lists. */
export function jsonCopy<T>(value: T): T {
  return normalise(value) as T;
}

/** Whether `normalise` would leave a value unchanged. False for a value that is deeper than `levels`. */
export function isNormal(value: unknown, levels = 1_000): value is Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isSafeInteger(value) ? !Object.is(value, -0) : isWrittenAsDecimal(value);
    case 'bigint':
      return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER;
    case 'object':
      return value === null || (levels > 0 && isNormalObject(value, levels - 1));
    default:
      return false;
  }
}

function isNormalObject(value: object, levels: number): boolean {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item !== 'string' && !isNormal(item, levels)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key in value) {
    const item = (value as JsonObject)[key];
    if (typeof item !== 'string' && !isNormal(item, levels)) return false;
  }
  return true;
}

interface Level {
  readonly value: Json[] | JsonObject;
  key: string | undefined;
}

/**
 * Parses a text that `JSON.parse` has accepted, so it only needs to split tokens. It is slower, and used only
 * for texts with unusual numbers. It does not recurse, because the text may be nested very deeply.
 */
function parseExactly(text: string): Json {
  const levels: Level[] = [];
  let level: Level | undefined;
  let whole: Json = null;
  const put = (value: Json) => {
    if (level === undefined) whole = value;
    else if (Array.isArray(level.value)) level.value.push(value);
    else {
      setMember(level.value, level.key ?? '', value);
      level.key = undefined;
    }
  };
  const open = (value: Json[] | JsonObject) => {
    put(value);
    level = { value, key: undefined };
    levels.push(level);
  };
  for (let at = 0; at < text.length; ) {
    let end = at + 1;
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        open({});
        break;
      case 0x5b: // [
        open([]);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        levels.pop();
        level = levels.at(-1);
        break;
      case 0x22: {
        end = endOfString(text, at);
        const token = text.slice(at, end);
        // A long slice keeps the whole text alive. A parsed copy does not.
        const isCopied = token.length > 12 || token.includes('\\');
        const string = isCopied ? (JSON.parse(token) as string) : token.slice(1, -1);
        if (level !== undefined && level.key === undefined && !Array.isArray(level.value)) level.key = string;
        else put(string);
        break;
      }
      case 0x2c: // ,
      case 0x3a: // :
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        break;
      default: {
        while (isOfWord(text.charCodeAt(end))) end += 1;
        const word = text.slice(at, end);
        put(word === 'null' ? null : word === 'true' ? true : word === 'false' ? false : numberOf(word));
      }
    }
    at = end;
  }
  return whole;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === 0x5c) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
}

/** `+ - .`, digits and letters: the characters of literals and numbers. */
function isOfWord(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    (code >= 0x61 && code <= 0x7a) ||
    code === 0x2e ||
    code === 0x2d ||
    code === 0x2b ||
    code === 0x45
  );
}

/** An assignment to `__proto__` would change what the object inherits. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
}

interface Writing {
  readonly step: string;
  readonly margin: string;
  readonly above: Set<object>;
}

/** Writes what `JSON.stringify` writes, and bigints too. Undefined for a value that JSON cannot express. */
function write(given: unknown, key: string, writing: Writing): string | undefined {
  const value = typeof given === 'object' ? plain(given, key) : given;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const { step, margin, above } = writing;
  if (above.has(value)) throw new TypeError('it contains itself');
  above.add(value);
  const inner = { step, margin: margin + step, above };
  const isList = Array.isArray(value);
  const before = step === '' ? '' : `\n${inner.margin}`;
  let text = '';
  if (isList) {
    for (let index = 0; index < value.length; index++)
      text += `${index === 0 ? '' : ','}${before}${write(value[index], String(index), inner) ?? 'null'}`;
  } else {
    for (const name of Object.keys(value)) {
      const member = write((value as Record<string, unknown>)[name], name, inner);
      if (member === undefined) continue;
      text += `${text === '' ? '' : ','}${before}${JSON.stringify(name)}:${step === '' ? '' : ' '}${member}`;
    }
  }
  above.delete(value);
  const end = text === '' || step === '' ? '' : `\n${margin}`;
  return isList ? `[${text}${end}]` : `{${text}${end}}`;
}

/** What JSON writes for an object: the result of its `toJSON`, or the primitive that it wraps. */
function plain(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const given: unknown = typeof toJSON === 'function' ? toJSON.call(value, key) : value;
  const isBox =
    given instanceof Number || given instanceof String || given instanceof Boolean || given instanceof BigInt;
  return isBox ? given.valueOf() : given;
}

function canonical(value: Json): Json {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null || isCanonical(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, canonical(item)]),
  );
}

/** Whether the keys of plain values are in order, as in most arguments of tools. */
function isCanonical(value: JsonObject): boolean {
  const keys = Object.keys(value);
  return keys.every((key, index) => key >= (keys[index - 1] ?? '') && typeof value[key] !== 'object');
}

/** The value of a JSON text. Undefined if it is no JSON. */
export function parsedJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** A string as it is, and any other value as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** A JSON text that is the same for equal values, whatever the order of their keys. */
export function canonicalJson(value: Json): string {
  return stringifyJson(canonical(value));
}

/** Whether two values are equal as JSON. The order of keys does not matter. */
export function sameJson(one: Json, other: Json): boolean {
  return canonicalJson(one) === canonicalJson(other);
}
