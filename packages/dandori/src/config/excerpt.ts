import type { Place } from './place.ts';

/** Longer lines (a JSON file without line breaks) are cut to this much around the place. */
const WIDTH = 100;
const BEFORE = 60;

/** The line of a place with a caret line under it, as compilers show it. */
export function excerpt({ line, column, length, text }: Place): string {
  const start = text.length <= WIDTH ? 0 : Math.max(0, Math.min(column - 1 - BEFORE, text.length - WIDTH));
  const end = start + WIDTH;
  const head = start > 0 ? '…' : '';
  const shown = `${head}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
  const number = String(line);
  const before = head + text.slice(start, column - 1);
  const marked = text.slice(column - 1, Math.min(column - 1 + length, end));
  const carets = '^'.repeat(Math.max(1, displayWidth(marked)));
  return `  ${number} | ${printable(shown)}\n  ${' '.repeat(number.length)} | ${blank(before)}${carets}`;
}

/** A file may come from anywhere; what it holds must not steer the terminal that it is shown in. */
export function printable(text: string): string {
  return text.replace(CONTROL, '·');
}

// Everything that moves the cursor or turns the direction of writing; tabs and line breaks may stay.
const CONTROL = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Japanese letters are two columns wide; without this the caret would stand too far left. */
function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

function blank(text: string): string {
  return [...text].map((character) => (character === '\t' ? '\t' : ' '.repeat(widthOf(character)))).join('');
}

function widthOf(character: string): number {
  if (WIDE.test(character)) return 2;
  return /\p{Mn}/u.test(character) ? 0 : 1;
}
