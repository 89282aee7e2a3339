import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/** The maximum number of steps of the native engine over a text. They take a few milliseconds. */
const MOST_STEPS = 2_000_000;
/**
 * The cost of one state of the linear engine, in the units of a check. Repetitions multiply states:
 * `(a{30}){30}` has 900.
 */
const PER_STATE = 300;
/** Text lengths for which the steps are computed in advance. */
const LENGTHS = [16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576];

/**
 * Patterns come from untrusted servers, and one like `(a|a)*$` can block the event loop for years. The native
 * engine is used if the pattern shows that it ends soon. All other texts use RE2, which is linear. Patterns
 * that RE2 does not support (lookaround, backreferences) are checked only on short texts, and accept longer
 * ones. So a pattern gives the same verdict on every machine. `spend` is called with the cost of a test
 * before the test.
 */
export function createPatterns(spend: (units: number) => void) {
  const create = (source: string, flags: string): Pattern => {
    const expression = new RegExp(source, flags);
    const { paths, linear, states, isAnchored } = read(source);
    const steps = (length: number) =>
      paths(length) * (length + source.length) * (isAnchored ? 1 : length + 1);
    const safe = LENGTHS.findLast((length) => steps(length) <= MOST_STEPS) ?? 0;
    // Paid here and not at the first long text: the cost of a check must not depend on earlier checks.
    if (safe < (LENGTHS.at(-1) ?? 0)) spend(PER_STATE * states);
    let engine: RE2JS | 'none' | undefined;
    return {
      test: (text) => {
        if (text.length <= safe) {
          spend(1 + text.length / 16);
          return expression.test(text);
        }
        engine ??= linearEngine(linear);
        if (engine === 'none') return true;
        // For each character, the linear engine follows all states.
        spend(text.length * (1 + Math.max(source.length / 8, states)));
        return engine.matcher(text).find();
      },
      // ajv shares patterns by this text, so different patterns must have different texts.
      toString: () => String(expression),
    };
  };
  // ajv needs this for stand-alone code, which we never generate.
  return Object.assign(create, { code: 'new RegExp' });
}

function linearEngine(source: string | undefined): RE2JS | 'none' {
  if (source === undefined) return 'none';
  // Outside of the `try`: without the package, every pattern would be accepted.
  const { RE2JS: engine } = createRequire(import.meta.url)('re2js') as typeof import('re2js');
  try {
    return engine.compile(source);
  } catch {
    // RE2 allows at most 1,000 repetitions, and lacks some character properties.
    return 'none';
  }
}

interface Read {
  /** The maximum number of ways in which a backtracking engine can go through a text of this length. */
  readonly paths: (length: number) => number;
  /** The same pattern in RE2 syntax; undefined if RE2 has no equivalent. */
  readonly linear: string | undefined;
  /** The number of states that the linear engine needs for it. */
  readonly states: number;
}

const BLANKS =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const ANY = '\\x{0}-\\x{10FFFF}';
const ONE = () => 1;

/** Parses a pattern that the native engine has accepted with the flag `u`. */
function read(source: string): Read & { readonly isAnchored: boolean } {
  const whole = new PatternReader(source).read();
  return { ...whole, isAnchored: source.startsWith('^') && !source.includes('|') };
}

class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Read {
    return this.#choice();
  }

  #choice(): Read {
    const branches = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      branches.push(this.#sequence());
    }
    const [only] = branches;
    if (branches.length === 1 && only !== undefined) return only;
    return {
      paths: (length) => branches.reduce((sum, { paths }) => sum + paths(length), 0),
      linear: joined(branches, '|'),
      states: statesOf(branches),
    };
  }

  #sequence(): Read {
    const terms: Read[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')')
      terms.push(this.#term());
    return {
      paths: (length) => terms.reduce((product, { paths }) => product * paths(length), 1),
      linear: joined(terms, ''),
      states: statesOf(terms),
    };
  }

  #term(): Read {
    const one = this.#atom();
    const [written, digits, comma, upper] =
      /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#source.slice(this.#at, this.#at + 40)) ?? [];
    if (written === undefined) return one;
    this.#at += written.length;
    const [least, most] = bounds(written, { digits, comma, upper });
    const paths = (length: number) => {
      const times = Math.min(most, Math.max(length, least) + 1);
      const inside = one.paths(length);
      return inside <= 1 ? times - least + 1 : 2 * inside ** times;
    };
    return {
      paths,
      linear: one.linear === undefined ? undefined : `(?:${one.linear})${written}`,
      states: one.states * Math.max(1, least, most === Number.POSITIVE_INFINITY ? least + 1 : most),
    };
  }

  #atom(): Read {
    const character = this.#source[this.#at];
    if (character === '(') return this.#group();
    if (character === '[') return single(this.#characterClass());
    if (character === '\\') return this.#escaped();
    this.#at += 1;
    if (character === '.') return single('[^\\n\\r\\x{2028}\\x{2029}]');
    if (character === '^') return single('\\A');
    if (character === '$') return single('\\z');
    return single(literal(this.#wholeCharacter()));
  }

  /** The second half of a surrogate pair, if the code unit just read begins one. */
  #wholeCharacter(): string {
    const point = String.fromCodePoint(this.#source.codePointAt(this.#at - 1) ?? 0);
    this.#at += point.length - 1;
    return point;
  }

  #group(): Read {
    const [opening = '('] =
      /^\((?:\?(?:[:=!]|[a-z-]+:|<[=!]|<[^>]*>))?/.exec(this.#source.slice(this.#at, this.#at + 200)) ?? [];
    this.#at += opening.length;
    const inside = this.#choice();
    this.#at += 1;
    // Newer engines allow flags for a group, as in `(?i:a)`.
    const isUnknown = /^\(\?(?:<?[=!]|[a-z-]+:)/.test(opening);
    return isUnknown || inside.linear === undefined
      ? { ...inside, linear: undefined }
      : { ...inside, linear: `(?:${inside.linear})` };
  }

  #escaped(): Read {
    const next = this.#source[this.#at + 1] ?? '';
    if (/[1-9k]/.test(next)) {
      this.#at += next === 'k' ? (/^\\k<[^>]*>/.exec(this.#source.slice(this.#at))?.[0].length ?? 2) : 2;
      // A backreference compares up to the length of the text.
      return { paths: (length) => length + 1, linear: undefined, states: 1 };
    }
    if (/[bBdDwW]/.test(next)) {
      this.#at += 2;
      return single(`\\${next}`);
    }
    if (next === 's' || next === 'S') {
      this.#at += 2;
      return single(`[${next === 'S' ? '^' : ''}${BLANKS}]`);
    }
    return single(this.#property() ?? literal(this.#escapedCharacter()));
  }

  #property(): string | undefined {
    const [written, negation, name] =
      /^\\([pP])\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}/.exec(
        this.#source.slice(this.#at, this.#at + 80),
      ) ?? [];
    if (written === undefined) return undefined;
    this.#at += written.length;
    return `\\${negation}{${name}}`;
  }

  #escapedCharacter(): string {
    const rest = this.#source.slice(this.#at, this.#at + 14);
    const [pair, high = '', low = ''] =
      /^\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})/.exec(rest) ?? [];
    if (pair !== undefined) {
      this.#at += pair.length;
      return String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16));
    }
    const [coded, braced, four, two] =
      /^\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(rest) ?? [];
    if (coded !== undefined) {
      this.#at += coded.length;
      return String.fromCodePoint(Number.parseInt(braced ?? four ?? two ?? '0', 16));
    }
    const next = this.#source[this.#at + 1] ?? '';
    if (next === 'c') {
      this.#at += 3;
      return String.fromCharCode(this.#source.charCodeAt(this.#at - 1) % 32);
    }
    this.#at += 2;
    return CONTROLS[next] ?? next;
  }

  #characterClass(): string | undefined {
    this.#at += 1;
    const isNegated = this.#source[this.#at] === '^';
    if (isNegated) this.#at += 1;
    let inside = '';
    let isKnown = true;
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']') {
      const [character, next = ''] = [this.#source[this.#at] ?? '', this.#source[this.#at + 1] ?? ''];
      if (character !== '\\') {
        this.#at += 1;
        inside += character === '-' ? '-' : literal(this.#wholeCharacter());
      } else if (/[dDwW]/.test(next)) {
        this.#at += 2;
        inside += `\\${next}`;
      } else if (next === 's') {
        this.#at += 2;
        inside += BLANKS;
      } else if (next === 'S') {
        this.#at += 2;
        isKnown = false;
      } else if (next === 'b') {
        this.#at += 2;
        inside += '\\x{8}';
      } else inside += this.#property() ?? literal(this.#escapedCharacter());
    }
    this.#at += 1;
    if (!isKnown) return undefined;
    if (inside === '') return isNegated ? `[${ANY}]` : `[^${ANY}]`;
    return `[${isNegated ? '^' : ''}${inside}]`;
  }
}

const CONTROLS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  f: '\f',
  v: '\v',
  '0': '\0',
};

function single(linear: string | undefined): Read {
  return { paths: ONE, linear, states: 1 };
}

function statesOf(parts: readonly Read[]): number {
  return parts.reduce((sum, { states }) => sum + states, 1);
}

function joined(parts: readonly Read[], between: string): string | undefined {
  const written = parts.map(({ linear }) => linear);
  return written.includes(undefined) ? undefined : written.join(between);
}

function literal(character: string): string {
  return /^[A-Za-z0-9_]$/.test(character) ? character : `\\x{${character.codePointAt(0)?.toString(16)}}`;
}

function bounds(
  written: string,
  { digits, comma, upper }: Record<'digits' | 'comma' | 'upper', string | undefined>,
): [number, number] {
  if (digits === undefined) {
    if (written.startsWith('?')) return [0, 1];
    return [written.startsWith('+') ? 1 : 0, Number.POSITIVE_INFINITY];
  }
  const least = Number(digits);
  if (comma === '') return [least, least];
  return [least, upper ? Number(upper) : Number.POSITIVE_INFINITY];
}
