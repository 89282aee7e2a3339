import { jsonrepair } from 'jsonrepair';
import { JsonWalker } from './walker.ts';

export type Parsed =
  | { readonly ok: true; readonly value: unknown; readonly isMended: boolean }
  | { readonly ok: false; readonly problem: string };

/** Reads JSON, and JSON with small mistakes: single quotes, commas too many, comments, a newline inside a string. */
export function parseJson(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text), isMended: false };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return mend(text) ?? { ok: false, problem };
  }
}

/** Only where the brackets match: `jsonrepair` would also complete a text that was cut, and half would pass for whole. */
function mend(text: string): Parsed | undefined {
  const walker = new JsonWalker();
  walker.push(text);
  if (walker.isOpen || walker.mismatch !== undefined || walker.values.length !== 1) return undefined;
  try {
    return { ok: true, value: JSON.parse(jsonrepair(text)), isMended: true };
  } catch {
    return undefined;
  }
}
