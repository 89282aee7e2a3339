import type { Settings } from './settings.ts';

export type Language = NonNullable<Settings['language']>;

/** The inputs that determine the language of a run. */
export interface Speaking {
  readonly goal: string;
  readonly settings: Settings;
  /** Of the user's last answer that tells it. */
  readonly spoken?: Language | undefined;
}

/** The language of a run: of the user's last answer, otherwise the configured one, otherwise that of its goal. */
export function languageOf({ goal, settings, spoken }: Speaking): Language {
  return spoken ?? settings.language ?? languageOfGoal(goal);
}

let last: { readonly goal: string; readonly language: Language } | undefined;

/** Each call of a run asks for the language of the same goal, and reading a Japanese goal can take longer than the call. */
function languageOfGoal(goal: string): Language {
  if (last?.goal !== goal) last = { goal, language: languageIn(goal) };
  return last.language;
}

export function isJapanese(text: string): boolean {
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text);
}

/**
 * The language that a text is written in. Japanese that an English text quotes or names does not make it
 * Japanese: "What does 「牛乳」 mean?", "Remove 牛乳 from my kitchen".
 */
export function languageIn(text: string): Language {
  if (!isJapanese(text)) return 'en';
  const own = text.replaceAll(QUOTED, ' ').replace(/^([\x20-\x7e]{3,}:)[\s\S]*$/, '$1');
  const english = own.match(/\p{Script=Latin}{2,}/gu) ?? [];
  const japanese = own.match(JAPANESE_RUN) ?? [];
  const isEnglish =
    english.length > Math.max(1, japanese.length) && ENGLISH_GRAMMAR.test(own) && !JAPANESE_GRAMMAR.test(own);
  return isEnglish ? 'en' : 'ja';
}

const QUOTED = /「[^」]*」|『[^』]*』|“[^”]*”|"[^"]*"|(?<=\s|^)'[^']*'|`[^`]*`/g;
const JAPANESE_RUN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+/gu;
const ENGLISH_GRAMMAR =
  /\b(?:the|an?|is|are|was|does|do|did|what|how|which|who|where|when|why|i|my|me|you|your|to|of|in|for|from|with|and|or|please|can|could|it|this|that|on|by|at|not|all|into|as|about|there)\b/i;
/** A particle after a Latin word. */
const JAPANESE_GRAMMAR = /[\p{Script=Latin}\d)]\s*(?:を|は|が|の|に|で|と|へ|も|から|まで|って|という|な)/u;

/** The language of a message. Undefined if a short word or a number does not tell it: "OK", "2". */
export function spokenLanguage(text: string): Language | undefined {
  if (isJapanese(text)) return languageIn(text);
  return (text.match(/\p{Script=Latin}{2,}/gu) ?? []).length > 1 ? 'en' : undefined;
}

/** The candidate that a misspelt name most likely means. Undefined if none is close enough to suggest. */
export function nearest(name: string, names: Iterable<string>): string | undefined {
  // The names are iterated twice, and an iterator such as `map.keys()` works only once.
  const candidates = [...names];
  const wanted = name.toLowerCase();
  let best: string | undefined;
  // Part of the name must match: a single letter is one edit away from any other letter.
  let bestDistance = Math.min(Math.max(1, Math.floor(wanted.length / 3)) + 1, wanted.length);
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  const twins = sameLastPart(wanted, candidates);
  // If only one other server has a `find`, `weather.find` more likely means that than another tool of
  // `weather`.
  return twins.length === 1 && bestDistance > 2 ? twins[0] : (best ?? twins[0]);
}

/** One letter added, removed or changed, or two letters swapped. */
export function isOneLetterOff(a: string, b: string): boolean {
  return editDistance(a.toLowerCase(), b.toLowerCase(), 2) === 1;
}

/** `read_file` most likely means `files.read_file`, even if the prefix is long. */
export function sameLastPart(wanted: string, candidates: readonly string[]): string[] {
  const last = wanted.slice(wanted.lastIndexOf('.') + 1).toLowerCase();
  return candidates.filter((candidate) => candidate.toLowerCase().endsWith(`.${last}`));
}

/** Restricted Damerau–Levenshtein. Returns `limit` as soon as the distance cannot be below it. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, at(beforeLast, j - 2) + 1);
      }
      row.push(distance);
      smallest = Math.min(smallest, distance);
    }
    if (smallest >= limit) return limit;
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}

/**
 * At most `length` characters of a text, then "…". Never splits a surrogate pair, because some providers
 * refuse half of one.
 */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const MOST_IN_A_PATH = 12;

/** `a → b → … (5) → z`: the tasks of a path, of a long one only the beginning and the end. */
export function pathText(ids: readonly string[], between: string): string {
  return shortPath(ids).join(between);
}

/** `['a', 'b', '… (5)', 'z']` */
export function shortPath(ids: readonly string[]): string[] {
  if (ids.length <= MOST_IN_A_PATH) return [...ids];
  const left = ids.length - MOST_IN_A_PATH + 1;
  return [...ids.slice(0, MOST_IN_A_PATH - 2), `… (${left})`, ...ids.slice(-1)];
}

/** `a, b or c` */
export function oneOf(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Columns of a text in a terminal: East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += /\p{Mn}/u.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return columns;
}

/** Rounds, so that three times $0.1 is $0.3 and not slightly above a limit. */
export function dollars(sum: number): number {
  return Number(sum.toFixed(9));
}

// Characters that change the direction of all text after them. Marks that affect a single letter are kept.
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Shows direction-changing characters as a visible sign, so that a call reads as it really is. */
export function withVisibleTurns(text: string): string {
  return text.replaceAll(TURNS, '\ufffd');
}

/** Splits a text into slices of about `length` characters, none of which ends within a surrogate pair. */
export function* slices(text: string, length: number): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + length;
    if (/[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield text.slice(start, end);
  }
}

/** A token is about four letters, or one Japanese character. */
export function roughTokens(text: string): number {
  const wide = text.match(/[\u0250-\uffff]/g)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wide;
}

/** `12.3 kB` */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes < 1_000_000 ? [bytes / 1_000, 'kB'] : [bytes / 1_000_000, 'MB'];
  return `${size.toFixed(1)} ${unit}`;
}

/** A text with its `%` escapes decoded, or as it is if they are not valid. */
export function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const TAGS = {
  result: /<(?=\s*\/?\s*result)/gi,
  note: /<(?=\s*\/?\s*note)/gi,
  memory: /<(?=\s*\/?\s*memory)/gi,
  conversation: /<(?=\s*\/?\s*conversation)/gi,
} as const;

/** The text without this tag. A text that could close its own tag in a prompt could pretend to be the user. */
export function withoutTag(tag: keyof typeof TAGS, text: string): string {
  return text.includes('<') ? text.replaceAll(TAGS[tag], '&lt;') : text;
}
