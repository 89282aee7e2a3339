import { TransportProblem } from './transport.ts';

/** A shorter text is parsed in a moment, whatever it holds. */
const LARGE = 1_000_000;
/** `JSON.parse` takes about a microsecond for each name that it has not seen, and keeps them all. */
const MOST_NAMES = 500_000;
/** Far more than a result may have, and parsed in a moment. */
const DEEPEST = 10_000;
const MANY_NAMES = 'the result has more than 500,000 different names';
const MANY_LEVELS = 'the result has more than 10,000 levels';

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
/** `[` and `{`, `]` and `}`: they differ from each other in one bit. */
const OPENING = 91;
const CLOSING = 93;
const BRACE = 32;

/** Bits for the hashes of names. Two names that share a bit count as one, which is rare with so many bits. */
const BITS = 2 ** 24;
/** Odd, and not known to a server. */
const FACTOR = (Math.floor(Math.random() * 2 ** 31) << 1) | 1;

/**
 * Why a large text from a server is not parsed; undefined if it can be. Works on the text or on its bytes.
 * `JSON.parse` can't be stopped: 60 MB with millions of different names or levels take ten seconds and more. This
 * takes a fifth of a second.
 */
export function whyNotParsed(json: string | Uint8Array): TransportProblem | undefined {
  if (json.length < LARGE) return undefined;
  return typeof json === 'string'
    ? surveyed(
        json.length,
        (at) => json.charCodeAt(at),
        (from) => json.indexOf('"', from),
      )
    : surveyed(
        json.length,
        (at) => json[at] ?? 0,
        (from) => json.indexOf(QUOTE, from),
      );
}

type CodeAt = (at: number) => number;
type QuoteFrom = (from: number) => number;

function surveyed(length: number, codeAt: CodeAt, quoteFrom: QuoteFrom): TransportProblem | undefined {
  const seen = new Uint8Array(BITS / 8);
  let names = 0;
  let depth = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < length; at++) {
    const character = codeAt(at);
    if (character === QUOTE) {
      start = at + 1;
      end = endOfString(start, codeAt, quoteFrom);
      if (end === -1) return undefined;
      at = end;
    } else if (character === COLON) {
      const hash = hashOf(start, end, codeAt);
      const place = hash >>> 3;
      const bit = 1 << (hash & 7);
      const known = seen[place] ?? 0;
      if ((known & bit) !== 0) continue;
      seen[place] = known | bit;
      names += 1;
      if (names > MOST_NAMES) return new TransportProblem('too_large', MANY_NAMES);
    } else if ((character & ~BRACE) === OPENING) {
      depth += 1;
      if (depth > DEEPEST) return new TransportProblem('too_large', MANY_LEVELS);
    } else if ((character & ~BRACE) === CLOSING) depth -= 1;
  }
  return undefined;
}

/** The place of the quote that ends a string, or -1. */
export function endOfString(start: number, codeAt: CodeAt, quoteFrom: QuoteFrom): number {
  for (let end = quoteFrom(start); end !== -1; end = quoteFrom(end + 1)) {
    let escapes = 0;
    while (end - 1 - escapes >= start && codeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

function hashOf(start: number, end: number, codeAt: CodeAt): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ codeAt(at), FACTOR) ^ (hash >>> 15);
  return (hash >>> 0) % BITS;
}
