import type { Json } from './json.ts';

/**
 * Work that untrusted input causes: an expression of a plan, a schema of a server. It is counted and not
 * timed, so that a replay stops where the live run stopped, on every machine.
 */
export interface Work {
  left: number;
}

/** Thrown when the budget is used up. The message says what took too much. */
export class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

export function spend(work: Work, units: number, what: () => string): void {
  work.left -= units;
  // Written so that NaN fails too.
  if (!(work.left >= 0)) throw new TooMuchWork(what());
}

/** This many characters cost as much as one value. */
const CHARACTERS = 16;
/** A value of this depth can be walked and serialised without overflowing the stack. */
const DEEPEST = 1_000;

export function ofText(length: number, characters = CHARACTERS): number {
  return Math.ceil(length / characters);
}

/**
 * Spends one unit for each value that serialising this one would visit. A shared value counts each time it
 * appears, although it is in memory only once.
 */
export function weigh(value: Json, work: Work, what: () => string, characters = CHARACTERS): void {
  const walk = (one: Json, depth: number): void => {
    spend(work, 1, what);
    if (typeof one === 'string') spend(work, ofText(one.length, characters), what);
    if (typeof one !== 'object' || one === null) return;
    if (depth > DEEPEST) throw new TooMuchWork(`it is nested more than ${DEEPEST} deep`);
    if (Array.isArray(one)) {
      for (const item of one) walk(item, depth + 1);
      return;
    }
    for (const key in one) {
      if (!Object.hasOwn(one, key)) continue;
      spend(work, ofText(key.length, characters), what);
      walk(one[key] as Json, depth + 1);
    }
  };
  walk(value, 0);
}

/** Counts the letters of a text without building a list. */
export function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0; at < text.length; at++) {
    letters += 1;
    if ((text.codePointAt(at) ?? 0) > 0xffff) at += 1;
  }
  return letters;
}
