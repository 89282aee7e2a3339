interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * Patterns come from servers that nobody has checked, and one like `(a+)+$` can stop the event loop for years. Such a
 * pattern accepts every text; so does any pattern for a text that is too long to be worth the risk.
 */
export const createPattern = Object.assign(
  (source: string, flags: string): Pattern => {
    const expression = new RegExp(source, flags);
    const isRisky = hasNestedRepetition(source);
    return {
      test: (text) => isRisky || text.length > MAX_TESTED || expression.test(text),
      // ajv shares patterns by this text: two that look the same here would be taken for one.
      toString: () => String(expression),
    };
  },
  // ajv writes this into the code that it generates for stand-alone use, which we never do.
  { code: 'new RegExp' },
);

const MAX_TESTED = 10_000;

/** A repeated group that repeats something inside: the shape behind nearly all catastrophic patterns. */
function hasNestedRepetition(source: string): boolean {
  const groups: boolean[] = [];
  let inClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (inClass) inClass = character !== ']';
    else if (character === '[') inClass = true;
    else if (character === '(') groups.push(false);
    else if (character === ')') {
      const repeatsInside = groups.pop() === true;
      const isRepeated = /^(?:[*+]|\{\d+,)/.test(source.slice(at + 1, at + 8));
      if (repeatsInside && isRepeated) return true;
      if ((repeatsInside || isRepeated) && groups.length > 0) groups[groups.length - 1] = true;
    } else if (
      character === '*' ||
      character === '+' ||
      (character === '{' && /^\{\d+,/.test(source.slice(at)))
    ) {
      if (groups.length > 0) groups[groups.length - 1] = true;
    }
  }
  return false;
}
