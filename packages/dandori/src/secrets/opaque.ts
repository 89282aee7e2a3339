import { escapeMarks, mapTexts, REDACTED, replaceMarks } from '../model/redact.ts';

/** Characters that Unicode reserves for use inside a program. Text from outside may still contain them. */
const [OPAQUE, END, FILLING, FOREIGN] = ['\uFDD0', '\uFDD1', '\uFDDC', '\uFDEF'];
/** Longer than any secret, so that a slice of a secret is a partial token and is noticed. */
const TOKEN_LENGTH = 2_048;
const FIRST_DIGIT = 0xfdd2;
/** All numbers have the same length, so that tokens sort in the same order with every nonce. */
const NUMBER_LENGTH = 6;
const PIECE = /[\uFDD0-\uFDDC]/;
const RESERVED = /[\uFDD0-\uFDDC\uFDEF]/g;
const WRITTEN = /\uFDEF([A-MZ])/g;

/**
 * Sealed values while expressions work on them (X3 of `model/redact`). During the work a mark is a token. If a text
 * looks like a mark afterwards, an expression built it, and it is escaped. A result or an expression cannot forge a
 * token: reserved characters from outside are encoded, and every token contains the nonce.
 */
export interface Opaque {
  hide<T>(value: T): T;
  /** `cut` is called if an expression has split a secret. */
  reveal<T>(value: T, cut?: () => void): T;
}

/**
 * `nonceOf` gives decimal digits that no author of a plan or a result can know. It is called only when a mark
 * is found, because making the tokens is slow.
 */
export function createOpaque(nonceOf: () => string): Opaque {
  const marks: string[] = [];
  let tokens: { readonly ending: string; readonly pattern: RegExp } | undefined;
  const tokenOf = (mark: string) => {
    tokens ??= tokensOf(nonceOf());
    const index = marks.indexOf(mark) === -1 ? marks.push(mark) - 1 : marks.indexOf(mark);
    return `${OPAQUE}${digitsOf(String(index).padStart(NUMBER_LENGTH, '0'))}${tokens.ending}`;
  };
  const markOf = (digits: string) =>
    marks[Number([...digits].map((digit) => digit.charCodeAt(0) - FIRST_DIGIT).join(''))];
  return {
    hide: (value) => mapTexts(value, (text) => replaceMarks(text.replace(RESERVED, toForeign), tokenOf)),
    reveal: (value, cut) =>
      mapTexts(value, (text) => {
        const escaped = escapeMarks(text);
        const whole =
          tokens !== undefined && PIECE.test(escaped)
            ? escaped.replace(tokens.pattern, (found, digits: string) => markOf(digits) ?? found)
            : escaped;
        if (tokens !== undefined && PIECE.test(whole)) {
          cut?.();
          return whole.replace(new RegExp(`${PIECE.source}+`, 'g'), REDACTED);
        }
        return whole.includes(FOREIGN) ? whole.replace(WRITTEN, fromForeign) : whole;
      }),
  };
}

function tokensOf(nonce: string): { readonly ending: string; readonly pattern: RegExp } {
  const ending = `${digitsOf(nonce)}${FILLING.repeat(TOKEN_LENGTH)}${END}`;
  const pattern = new RegExp(`${OPAQUE}([\uFDD2-\uFDDB]{${NUMBER_LENGTH}})${ending}`, 'g');
  return { ending, pattern };
}

function digitsOf(decimal: string): string {
  return [...decimal].map((digit) => String.fromCharCode(FIRST_DIGIT + Number(digit))).join('');
}

const FIRST_LETTER = 0x41;

function toForeign(char: string): string {
  const letter = char === FOREIGN ? 'Z' : String.fromCharCode(FIRST_LETTER + char.charCodeAt(0) - 0xfdd0);
  return FOREIGN + letter;
}

function fromForeign(_: string, letter: string): string {
  return letter === 'Z' ? FOREIGN : String.fromCharCode(letter.charCodeAt(0) - FIRST_LETTER + 0xfdd0);
}
