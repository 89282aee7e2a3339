import { Script } from 'node:vm';
import { jsonrepair } from 'jsonrepair';
import { isRounded } from '../../core/rounded.ts';
import { JsonWalker } from './walker.ts';

export type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly isMended: boolean }
  | { readonly ok: false; readonly problem: string };

/** Reads JSON, and JSON with small mistakes: single quotes, commas too many, comments, a newline inside a string. */
export function parseJson(text: string): Parsed {
  try {
    return { ok: true, value: parseExactly(text), isMended: false };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const mended = error instanceof InexactNumber ? undefined : mend(text);
    return mended ?? { ok: false, problem };
  }
}

class InexactNumber extends Error {}

/** Only few texts hold such a number, and to look at each value by itself takes its time. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** Throws where a number would become another one: a tool must not be called with an identifier that nobody wrote. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (LONG_NUMBER.test(text)) JSON.parse(text, checkNumber);
  return value;
}

function checkNumber(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value === 'number' && isAnother(value, source))
    throw new InexactNumber(
      `${shortened(source)} is more than a number can hold. Write it as text, in quotes`,
    );
  return value;
}

/** One that it was shown itself, in a result, it may well write again. */
function isAnother(value: number, source: string): boolean {
  if (!Number.isFinite(value)) return true;
  return isRounded(source) && String(value) !== source && BigInt(value) !== BigInt(source);
}

function shortened(digits: string): string {
  return digits.length <= 40 ? digits : `${digits.slice(0, 40)}…`;
}

/** Only where the brackets match: `jsonrepair` would also complete a text that was cut, and half would pass for whole. */
function mend(text: string): Parsed | undefined {
  const walker = new JsonWalker();
  walker.push(text);
  if (walker.isOpen || walker.mismatch !== undefined || walker.values.length !== 1) return undefined;
  try {
    return { ok: true, value: parseExactly(repaired(text)), isMended: true };
  } catch (error) {
    return error instanceof InexactNumber ? { ok: false, problem: error.message } : undefined;
  }
}

/** So short a text is mended before a limit for it is set up. */
const SHORT = 200;
/** Milliseconds. Of a text full of stray quotes `jsonrepair` tries each place where a string may end: for hours. */
const LONGEST_REPAIR = 1_000;
const REPAIR = new Script('repair()');

function repaired(text: string): string {
  const repair = () => jsonrepair(text);
  return text.length <= SHORT
    ? repair()
    : (REPAIR.runInNewContext({ repair }, { timeout: LONGEST_REPAIR }) as string);
}
