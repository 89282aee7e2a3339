import { isJapanese } from '../model/text.ts';
import { meaningOf, stem } from './dictionary.ts';

/** Where and how often a term appears, in one document and in all of them. */
interface Occurrence {
  /** The count in this document. An important position may count more than once. */
  readonly frequency: number;
  /** The number of documents that contain it. */
  readonly spread: number;
  readonly documents: number;
  /** The length of this document, relative to the mean length. */
  readonly length: number;
}

/**
 * The relevance of a term for a document. It is higher for a rare term, slightly higher for a repeated one,
 * and higher in a short document.
 */
export function bm25({ frequency, spread, documents, length }: Occurrence): number {
  const rarity = Math.log(1 + (documents - spread + 0.5) / (spread + 0.5));
  return (rarity * frequency * 2.2) / (frequency + 1.2 * (0.4 + 0.6 * length));
}

const STOP = new Set(
  `a an the of in on at for to from by with and or is are was were be been it its this that these those what which who
   when how do does can could would should will may must me my i you your we our us they please tell let there here
   want need as about into if then than some any so not no also has have had up out per via using use used given
   provide provides returns return based`.split(/\s+/),
);
const JAPANESE_RUN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+/gu;
const LONGEST_WORD = 6;

/**
 * The search terms of a text: stems of words, pairs of Japanese characters (Japanese has no spaces), and
 * `~meaning` if the dictionary knows a word. So 天気 finds `get_weather`. The terms depend only on the text: a
 * segmenter would give other results in another version of Node.
 */
export function termsIn(text: string): string[] {
  const plain = spaced(text.normalize('NFKC'));
  const terms: string[] = [];
  for (const [run] of plain.matchAll(JAPANESE_RUN)) terms.push(...pairsIn(run), ...meaningsIn(run));
  for (const [word] of plain.replaceAll(JAPANESE_RUN, ' ').matchAll(/[\p{L}\p{N}]+/gu)) {
    const lower = word.toLowerCase();
    if (STOP.has(lower) || (lower.length === 1 && !isJapanese(lower) && !/\p{N}/u.test(lower))) continue;
    const key = stem(lower);
    terms.push(key);
    const meaning = meaningOf(key);
    if (meaning !== undefined) terms.push(`~${meaning.name}`);
  }
  return terms;
}

/** Splits `getCurrentTime`, `HTTPRequest`, `get_current_time` and `time.get-current` into words. */
function spaced(text: string): string {
  return text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll('_', ' ');
}

function pairsIn(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  const pairs = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
  // Pairs such as ます appear in any sentence.
  return pairs.filter((pair) => !/^\p{Script=Hiragana}+$/u.test(pair));
}

/**
 * Finds the longest dictionary word at each position. A single character is a word only if no other kanji is
 * next to it.
 */
function meaningsIn(run: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < run.length; ) {
    const length = wordAt(run, at);
    const meaning = length === 0 ? undefined : meaningOf(run.slice(at, at + length));
    if (meaning !== undefined) found.push(`~${meaning.name}`);
    at += Math.max(1, length);
  }
  return found;
}

function wordAt(run: string, at: number): number {
  for (let length = Math.min(LONGEST_WORD, run.length - at); length > 0; length--) {
    if (meaningOf(run.slice(at, at + length)) === undefined) continue;
    const isAlone = !isHan(run[at - 1]) && !isHan(run[at + length]);
    if (length > 1 || isAlone) return length;
  }
  return 0;
}

function isHan(character: string | undefined): boolean {
  return character !== undefined && /\p{Script=Han}/u.test(character);
}
