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
 * Why a large text from a server is not parsed; undefined if it can be. `JSON.parse` can't be stopped: 60 MB with
 * millions of different names or levels take ten seconds and more. This takes a fifth of a second.
 */
export function unreadable(text: string): TransportProblem | undefined {
  if (text.length < LARGE) return undefined;
  const seen = new Uint8Array(BITS / 8);
  let names = 0;
  let depth = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      start = at + 1;
      end = endOfString(text, start);
      if (end === -1) return undefined;
      at = end;
    } else if (character === COLON) {
      const hash = hashOf(text, start, end);
      const [place, bit] = [hash >>> 3, 1 << (hash & 7)];
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
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (end - 1 - escapes >= start && text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}

function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR) ^ (hash >>> 15);
  return (hash >>> 0) % BITS;
}
