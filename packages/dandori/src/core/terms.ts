import { meaningOf, stem } from './dictionary.ts';
import { isJapanese } from './language.ts';

const STOP = new Set(
  `a an the of in on at for to from by with and or is are was were be been it its this that these those what which who
   when how do does can could would should will may must me my i you your we our us they please tell let there here
   want need as about into if then than some any so not no also has have had up out per via using use used given
   provide provides returns return based`.split(/\s+/),
);
const JAPANESE_RUN = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+/gu;
const LONGEST_WORD = 6;

/**
 * What a text is found by: stems of words, pairs of Japanese characters (words are not set apart there), and `~meaning`
 * where the dictionary knows a word, so that 天気 finds `get_weather`. Depends on nothing but the text: a segmenter
 * would cut otherwise in another version of Node.
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

/** `getCurrentTime`, `HTTPRequest`, `get_current_time` and `time.get-current` as text with spaces. */
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
  // の後 or ます stand in any sentence.
  return pairs.filter((pair) => !/^\p{Script=Hiragana}+$/u.test(pair));
}

/** The longest word of the dictionary at each place. One character alone is a word only where no other kanji is beside it. */
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
