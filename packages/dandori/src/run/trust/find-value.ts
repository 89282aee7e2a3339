import { asText, isObject, type Json, stringifyJson } from '../../model/json.ts';
import { decodedUri } from '../../model/text.ts';

/** Characters shown before and after a value, at most. */
const AROUND = 80;
/** Texts of a result in which the sentence with the value is looked for. */
const MOST_TEXTS = 10_000;
/** Characters of a text in which encoded values are looked for. */
const LONGEST_DECODED = 100_000;

/** Where a result contains a value: the sentence in one of its texts; undefined if it does not. */
export function sentenceIn(result: Json, value: string): string | undefined {
  const found = placeIn(stringifyJson(result), value);
  if (found === undefined) return undefined;
  for (const text of textsIn(result, { left: MOST_TEXTS })) {
    const sentence = placeIn(text, value);
    if (sentence !== undefined) return sentence;
  }
  return found;
}

function* textsIn(value: Json, room: { left: number }): Iterable<string> {
  if (room.left-- <= 0) return;
  if (isObject(value) || Array.isArray(value))
    for (const item of Object.values(value)) yield* textsIn(item, room);
  else yield asText(value);
}

/**
 * Where a text contains a value, with the sentence around it; undefined if it does not. Case, width, and white
 * space do not matter, nor does the form: percent signs, base64, separators in numbers, the order in a date, a code in
 * groups.
 */
export function placeIn(text: string, value: string, isWhole = false): string | undefined {
  const wanted = plain(value).trim();
  if (wanted.length < 2) return undefined;
  return (
    around(text, wanted, isWhole) ??
    around(text, plain(decoded(value)).trim(), isWhole) ??
    around(decoded(text), wanted, isWhole) ??
    sameNumberIn(text, wanted) ??
    inGroups(text, wanted, isWhole)
  );
}

/**
 * As `placeIn`, but not if the value is only a part of a longer one: `/home/ann` is not in `/home/ann/tmp`, and
 * `ann@home.example` is not in `joann@home.example`.
 */
export function hasWhole(text: string, value: string): boolean {
  return placeIn(text, value, true) !== undefined;
}

/** The host of a URL or the domain of an address, if the value is one. It is what the value is aimed at. */
export function hostIn(value: string): string | undefined {
  const address = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?|[^@\s/]+@)([^/:?#\s]+)/i;
  const [, host] = address.exec(value) ?? address.exec(decodedPercent(value)) ?? [];
  return host;
}

function around(text: string, wanted: string, isWhole = false): string | undefined {
  const shown = spaced(text);
  const from = shown.toLowerCase();
  let at = wanted.length < 2 ? -1 : from.indexOf(wanted);
  while (isWhole && at >= 0 && isPart(from, at, at + wanted.length)) at = from.indexOf(wanted, at + 1);
  if (at < 0) return undefined;
  // A few letters have another length in lower case.
  const words = shown.length === from.length ? shown : from;
  const end = at + wanted.length;
  const before = words.slice(Math.max(0, at - AROUND), at);
  const after = words.slice(end, end + AROUND);
  return `${startOf(before, at > AROUND)}${words.slice(at, end)}${endOf(after, words.length > end + AROUND)}`;
}

/** Japanese has no spaces between words, so its letters end a value. */
const LETTER = String.raw`[\p{N}_]|(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー])\p{L}`;
const GOES_ON_BEFORE = new RegExp(String.raw`(?:${LETTER}|[@./\\%+~-])$`, 'u');
const GOES_ON_AFTER = new RegExp(String.raw`^[@./\\%+~:?#&=-]*(?:${LETTER})`, 'u');

/** Whether a path, an address or a word goes on before or after this place. */
function isPart(text: string, at: number, end: number): boolean {
  return (
    GOES_ON_BEFORE.test(text.slice(0, at).slice(-1)) || GOES_ON_AFTER.test(text.slice(end, end + AROUND))
  );
}

/** From the beginning of the sentence, or of a word. */
function startOf(before: string, isCut: boolean): string {
  const [, sentence] = /^.*(?:[.!?] |[。！？])(.*)$/.exec(before) ?? [];
  if (sentence !== undefined) return sentence;
  return isCut ? `…${before.replace(/^\S* (?=.)/, '')}` : before;
}

/** Up to the end of the sentence, or of a word. */
function endOf(after: string, isCut: boolean): string {
  const [sentence] = /^.*?(?:[.!?](?= |$)|[。！？])/.exec(after) ?? [];
  if (sentence !== undefined) return sentence;
  return isCut ? `${after.replace(/(?<=.) \S*$/, '')}…` : after;
}

function plain(text: string): string {
  return spaced(text).toLowerCase();
}

function spaced(text: string): string {
  return text.normalize('NFKC').replaceAll(String.raw`\n`, ' ').replaceAll(/\s+/g, ' ');
}

/** The text with percent signs and base64 decoded. */
function decoded(text: string): string {
  const some = text.slice(0, LONGEST_DECODED);
  return decodedPercent(some).replaceAll(/[A-Za-z0-9+/_-]{8,}={0,2}/g, (word) => decodedBase64(word) ?? word);
}

function decodedPercent(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodedUri);
}

/** Undefined if it is no text. */
function decodedBase64(word: string): string | undefined {
  try {
    const binary = atob(word.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Letters and digits of which at least one is a digit. */
const CODE = /^(?=.*\d)[\p{L}\d]{8,64}$/u;

/** `GB33 BUKB 2020 1555 5555 55` is GB33BUKB20201555555555. */
function inGroups(text: string, wanted: string, isWhole: boolean): string | undefined {
  const code = wanted.replaceAll(/[ +-]/g, '');
  if (!CODE.test(code)) return undefined;
  const groups = [...code].join('[ -]?');
  const pattern = isWhole ? String.raw`(?<!\d[ -]?)${groups}(?![ -]?\d)` : groups;
  const [found] = new RegExp(pattern, 'u').exec(plain(text)) ?? [];
  return found === undefined ? undefined : around(text, found, isWhole);
}

/** `1,200.00` is 1200, and `15.05.2024` is `2024-05-15`. */
function sameNumberIn(text: string, wanted: string): string | undefined {
  const form = numberForm(wanted);
  if (form === undefined) return undefined;
  const from = plain(text);
  for (const [found] of from.slice(0, LONGEST_DECODED).matchAll(/\d[\d.,/’' -]*\d|\d/g))
    if (numberForm(found) === form) return around(text, found);
  return undefined;
}

function numberForm(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text) ?? [];
  if (year !== undefined) return `${year}-${Number(month)}-${Number(day)}`;
  const [, first, second, last] = /^(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})$/.exec(text) ?? [];
  if (last !== undefined) return `${last}-${Number(second)}-${Number(first)}`;
  const bare = text.replaceAll(/[,’' ](?=\d{3}(?:\D|$))/g, '');
  return /^\d+(?:\.\d+)?$/.test(bare) && bare.length > 1 ? String(Number(bare)) : undefined;
}
