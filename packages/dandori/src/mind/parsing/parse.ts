import { Script } from 'node:vm';
import { jsonrepair } from 'jsonrepair';
import { parseJson } from '../../model/json.ts';
import { JsonWalker } from './walker.ts';

type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly isMended: boolean }
  | { readonly ok: false; readonly problem: string };

/** Reads JSON, and JSON with small mistakes: single quotes, commas too many, comments, a newline inside a string. */
export function readJson(text: string): Parsed {
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
const HUGE_NUMBER = /\d[eE]\+?\d{3}|\d{300}/;

/** Throws where a number is more than any can be: `null`, as it would be read, is not what the model wrote. */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  if (HUGE_NUMBER.test(text)) JSON.parse(text, checkNumber);
  return value;
}

function checkNumber(_key: string, value: unknown, { source = '1e999' }: { source?: string } = {}): unknown {
  if (typeof value === 'number' && !Number.isFinite(value) && parseJson(source) === null)
    throw new InexactNumber(`${shortened(source)} is more than a number can be. Write it as text, in quotes`);
  return value;
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

/** No arguments are deeper, and much deeper ones overflow the stack of whatever walks through them. */
export const DEEPEST = 100;

export const TOO_DEEP = `its JSON is nested more than ${DEEPEST} deep`;

export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isTooDeep(item, levels - 1));
}
