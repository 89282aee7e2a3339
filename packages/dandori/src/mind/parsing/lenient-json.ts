import { Script } from 'node:vm';
import { jsonrepair } from 'jsonrepair';
import { messageOf } from '../../model/error.ts';
import { parseJson } from '../../model/json.ts';
import { clip } from '../../model/text.ts';
import { JsonWalker } from './walker.ts';

type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly isRepaired: boolean }
  | { readonly ok: false; readonly problem: string };

/** Reads JSON, also with small mistakes: single quotes, extra commas, comments, a newline inside a string. */
export function readJson(text: string): Parsed {
  try {
    return { ok: true, value: parseExactly(text), isRepaired: false };
  } catch (error) {
    const problem = messageOf(error);
    const fixed = error instanceof InexactNumber ? undefined : repair(text);
    return fixed ?? { ok: false, problem };
  }
}

class InexactNumber extends Error {}

/** Checking each value is slow, and few texts have such a number. */
const HUGE_NUMBER = /\d[eE]\+?\d{3}|\d{300}/;

/** Throws if a number is too large. It would be read as `null`, which the model did not write. */
export function parseExactly(text: string): unknown {
  const value = parseJson(text);
  if (HUGE_NUMBER.test(text)) JSON.parse(text, checkNumber);
  return value;
}

function checkNumber(_key: string, value: unknown, { source = '1e999' }: { source?: string } = {}): unknown {
  if (typeof value === 'number' && !Number.isFinite(value) && parseJson(source) === null)
    throw new InexactNumber(`${clip(source, 40)} is more than a number can be. Write it as text, in quotes`);
  return value;
}

/**
 * Only if the brackets match: `jsonrepair` would also complete a cut text, and half a plan would pass for a
 * whole one.
 */
function repair(text: string): Parsed | undefined {
  const walker = new JsonWalker();
  walker.push(text);
  if (walker.isOpen || walker.mismatch !== undefined || walker.values.length !== 1) return undefined;
  try {
    return { ok: true, value: parseExactly(repairedText(text)), isRepaired: true };
  } catch (error) {
    return error instanceof InexactNumber ? { ok: false, problem: error.message } : undefined;
  }
}

/** A text this short is repaired without a time limit. */
const SHORT = 200;
/** Milliseconds. On a text full of stray quotes `jsonrepair` can take hours. */
const LONGEST_REPAIR = 1_000;
const REPAIR = new Script('repair()');

function repairedText(text: string): string {
  const repair = () => jsonrepair(text);
  return text.length <= SHORT
    ? repair()
    : (REPAIR.runInNewContext({ repair }, { timeout: LONGEST_REPAIR }) as string);
}

/** Real arguments are less deep. Much deeper ones overflow the stack of recursive code. */
export const DEEPEST = 100;

export const TOO_DEEP = `its JSON is nested more than ${DEEPEST} deep`;

export function isTooDeep(value: unknown, levels = DEEPEST): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  const fields = value as Record<string, unknown>;
  for (const key in fields) if (isTooDeep(fields[key], levels - 1)) return true;
  return false;
}
