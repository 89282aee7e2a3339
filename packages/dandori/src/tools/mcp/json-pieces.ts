import { type Json, type JsonObject, parseJson, setMember } from '../../model/json.ts';
import { endOfString } from './json-limits.ts';

/** Bytes that are decoded and parsed at once. */
const PIECE = 64 * 1_024;

const QUOTE = 34;
const COMMA = 44;
const LIST = 91;
const LIST_END = 93;
const OBJECT = 123;
const OBJECT_END = 125;

/** A list or object that is too large for one piece, and has been parsed up to `from`. */
interface Large {
  readonly value: Json[] | JsonObject;
  /** Where the members begin that have not been parsed. */
  from: number;
  /** Where the current member begins. */
  member: number;
  /** Whether its last member was large, and so has been parsed already. */
  isAfterLarge: boolean;
  /** Whether a comma came last. */
  needsMember: boolean;
}

/**
 * Parses a large text from its UTF-8 bytes as `parseJson` does, with the same value or a `SyntaxError`. It decodes a
 * piece at a time. As a whole, the text would take up to two bytes per character beside the value. It does not recurse,
 * because the text may be nested very deeply.
 */
export function parsePieces(bytes: Buffer, piece = PIECE): Json {
  const codeAt = (at: number) => bytes[at] ?? 0;
  const quoteFrom = (from: number) => bytes.indexOf(QUOTE, from);
  const above: Large[] = [];
  let large: Large | undefined;
  /** Where the lists and objects begin that are open within the current member, and their members. */
  const opened: number[] = [];
  const members: number[] = [];
  /** How many of them have become large. */
  let base = 0;

  /** The largest open lists and objects become large, until less than a piece is left. */
  const descend = (at: number) => {
    while (large !== undefined && opened.length > base && at - large.from >= piece) {
      if (large.isAfterLarge) throw unexpected();
      if (large.member > large.from) {
        addMembers(bytes, large, large.member - 1);
        continue;
      }
      const start = opened[base] as number;
      const value: Json[] | JsonObject = bytes[start] === LIST ? [] : {};
      addLarge(large, value, bytes.toString('utf8', large.member, start));
      above.push(large);
      large = begun(value, start + 1);
      large.member = members[base] as number;
      base += 1;
    }
  };

  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at];
    if (code === QUOTE) {
      at = endOfString(at + 1, codeAt, quoteFrom);
      if (at === -1) throw unexpected();
    } else if (code === LIST || code === OBJECT) {
      if (large === undefined) {
        if (!isBlank(bytes, 0, at)) break;
        large = begun(code === LIST ? [] : {}, at + 1);
      } else {
        opened.push(at);
        members.push(at + 1);
      }
    } else if (large === undefined) continue;
    else if (code === COMMA) {
      if (opened.length > base) {
        members[members.length - 1] = at + 1;
        descend(at);
      } else {
        if (large.isAfterLarge) endLarge(bytes, large, at);
        else if (at - large.from >= piece) addMembers(bytes, large, at);
        large.member = at + 1;
      }
    } else if (code === LIST_END || code === OBJECT_END) {
      if (opened.length > base) {
        opened.pop();
        members.pop();
        descend(at);
        continue;
      }
      if ((code === LIST_END) !== Array.isArray(large.value)) throw unexpected();
      addLast(bytes, large, at);
      const outer = above.pop();
      if (outer === undefined) {
        if (!isBlank(bytes, at + 1, bytes.length)) throw unexpected();
        return large.value;
      }
      large = outer;
      large.from = at + 1;
      large.isAfterLarge = true;
      base -= 1;
      opened.pop();
      members.pop();
    }
  }
  // Neither a list nor an object, or not complete.
  return parseJson(bytes.toString());
}

function begun(value: Json[] | JsonObject, from: number): Large {
  return { value, from, member: from, isAfterLarge: false, needsMember: false };
}

/** Parses the members up to a comma. */
function addMembers(bytes: Buffer, large: Large, comma: number): void {
  if (add(bytes, large, comma) === 0) throw unexpected();
  large.from = comma + 1;
  large.needsMember = true;
}

/** Parses the members up to the end. */
function addLast(bytes: Buffer, large: Large, end: number): void {
  if (large.isAfterLarge) endLarge(bytes, large, end);
  else if (add(bytes, large, end) === 0 && large.needsMember) throw unexpected();
}

/** Nothing may be between a large member and the comma or end after it. */
function endLarge(bytes: Buffer, large: Large, end: number): void {
  if (!isBlank(bytes, large.from, end)) throw unexpected();
  large.isAfterLarge = false;
  large.needsMember = true;
  large.from = end + 1;
}

/** Adds the members between two places, and returns their number. */
function add(bytes: Buffer, { value, from }: Large, end: number): number {
  const found = parseJson(within(bytes, from, end, Array.isArray(value)));
  if (Array.isArray(value)) {
    const items = found as Json[];
    for (let index = 0; index < items.length; index++) value.push(items[index] as Json);
    return items.length;
  }
  const entries = Object.entries(found as JsonObject);
  for (const [key, item] of entries) setMember(value, key, item);
  return entries.length;
}

/** The text between two places in brackets, which are written over what is there: joining texts would copy them. */
function within(bytes: Buffer, from: number, end: number, isList: boolean): string {
  const before = bytes[from - 1] as number;
  const after = bytes[end] as number;
  bytes[from - 1] = isList ? LIST : OBJECT;
  bytes[end] = isList ? LIST_END : OBJECT_END;
  try {
    return bytes.toString('utf8', from - 1, end + 1);
  } finally {
    bytes[from - 1] = before;
    bytes[end] = after;
  }
}

/** Adds an empty large member. `head` is what is before it: its key, if the outer one is an object. */
function addLarge({ value }: Large, member: Json, head: string): void {
  if (Array.isArray(value)) {
    parseJson(`[${head}[]]`);
    value.push(member);
    return;
  }
  const [key = ''] = Object.keys(parseJson(`{${head}[]}`) as JsonObject);
  setMember(value, key, member);
}

function isBlank(bytes: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const code = bytes[at];
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return false;
  }
  return true;
}

function unexpected(): SyntaxError {
  return new SyntaxError();
}
