import { decodedUri } from '../../model/text.ts';

/** Characters shown before and after a value. */
const AROUND = 80;
/** Characters of a text in which encoded values are looked for. */
const LONGEST_DECODED = 100_000;

/**
 * Where a text contains a value, with the words around it; undefined if it does not. Case, width, and white
 * space do not matter, nor does the form: percent signs, base64, separators in numbers, the order in a date.
 */
export function placeIn(text: string, value: string): string | undefined {
  const wanted = plain(value).trim();
  if (wanted.length < 2) return undefined;
  const from = plain(text);
  return (
    around(from, wanted) ??
    around(from, plain(decodedPercent(value)).trim()) ??
    around(plain(decoded(text)), wanted) ??
    sameNumberIn(from, wanted)
  );
}

/** The host of a URL or the domain of an address, if the value is one. It is what the value is aimed at. */
export function hostIn(value: string): string | undefined {
  const [, host] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/@\s]*@)?|[^@\s/]+@)([^/:?#\s]+)/i.exec(value) ?? [];
  return host;
}

function around(from: string, wanted: string): string | undefined {
  const at = wanted.length < 2 ? -1 : from.indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - AROUND);
  const end = Math.min(from.length, at + wanted.length + AROUND);
  return `${start > 0 ? '…' : ''}${from.slice(start, end)}${end < from.length ? '…' : ''}`;
}

function plain(text: string): string {
  return text.normalize('NFKC').replaceAll(String.raw`\n`, ' ').replaceAll(/\s+/g, ' ').toLowerCase();
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

/** `1,200.00` is 1200, and `15.05.2024` is `2024-05-15`. */
function sameNumberIn(from: string, wanted: string): string | undefined {
  const form = numberForm(wanted);
  if (form === undefined) return undefined;
  for (const [found] of from.slice(0, LONGEST_DECODED).matchAll(/\d[\d.,/’' -]*\d|\d/g))
    if (numberForm(found) === form) return around(from, found);
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
