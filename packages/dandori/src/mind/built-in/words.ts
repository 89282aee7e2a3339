import { type Meaning, meaningOf, stem } from '../../core/dictionary.ts';
import { isJapanese } from '../../core/language.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A word with content, and where it stands. */
export interface Word extends Span {
  readonly text: string;
  readonly stem: string;
  /** Undefined where the dictionary does not have it, as with a name. */
  readonly meaning: Meaning | undefined;
}

const STOP = new Set(
  `a an the of in on at for to from by with and or is are was were be been being it its this that these those what
   which who whom whose when why how do does did done can could would should will shall may might must me my i i'm you
   your we our us they their them he she his her please tell give let know there here want need like as about into if
   then than just some any so not no yes also too very much many has have had don't up out off per via using
   何 誰 私 僕 次 下 願 方 事 物 中 こと もの それ これ`.split(/\s+/),
);
const HIRAGANA = /\p{Script=Hiragana}/u;
/** Made when it is first used: it takes 20 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Words in text order, at most `limit`. */
export function wordsOf(text: string, limit = 200): Word[] {
  const words: Word[] = [];
  for (const { segment, start } of segmentsOf(text.replaceAll('_', ' '))) {
    const key = stem(segment);
    const meaning = meaningOf(key);
    const isEmpty = STOP.has(segment.toLowerCase().replace(/['’]s$/, '')) || STOP.has(key);
    if (isEmpty || (meaning === undefined && isGrammar(text, segment, start))) continue;
    words.push({ text: segment, start, end: start + segment.length, stem: key, meaning });
    if (words.length === limit) break;
  }
  return words;
}

/** `getCurrentTime`, `get_current_time` and `time.get-current` as text with spaces. */
export function spaced(identifier: string): string {
  return identifier.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-./:]+/g, ' ');
}

/** How well two words agree: 1 the same, 0.8 the same meaning. */
export function agreement(one: Word, other: Word): number {
  if (one.stem === other.stem) return 1;
  return one.meaning !== undefined && one.meaning === other.meaning ? 0.8 : 0;
}

export function isSaid(word: Word, by: readonly Word[]): boolean {
  return by.some((other) => agreement(word, other) > 0);
}

/** Says little about what is wanted: `show`, `now`. */
export function isSoft({ meaning }: Word): boolean {
  return meaning?.kind === 'soft';
}

export function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** The segmenter cuts ニューヨーク and たまご in two: katakana is kept together, and so is an object in hiragana. */
const OBJECT = String.raw`(?<=^|[\s、。のとやはがにで])\p{Script=Hiragana}{2,}(?=を)`;
const RUNS = new RegExp(
  String.raw`[\p{Script=Katakana}ー]+|${OBJECT}|(?:(?!${OBJECT})[^\p{Script=Katakana}ー])+`,
  'gu',
);

function* segmentsOf(text: string): Iterable<{ segment: string; start: number }> {
  for (const { 0: run, index: start } of text.matchAll(RUNS)) {
    if (/^[\p{Script=Katakana}\p{Script=Hiragana}ー]+$/u.test(run)) {
      yield { segment: run, start };
      continue;
    }
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
    for (const { segment, index } of segmenter.segment(run))
      if (/\p{L}/u.test(segment)) yield { segment, start: start + index };
  }
}

/**
 * Of the words that no dictionary has, those that are no names: endings and particles in hiragana, unless they are an
 * object (りんごを); verbs, which hiragana follows that is no particle (書いて); what counts (3個).
 */
function isGrammar(text: string, segment: string, start: number): boolean {
  if (!isJapanese(segment)) return false;
  const next = text[start + segment.length] ?? '';
  if (/^\p{Script=Hiragana}+$/u.test(segment)) return segment.length < 2 || next !== 'を';
  const isInflected = HIRAGANA.test(next) && !'をはがのにでとへもやかま'.includes(next);
  return isInflected || HIRAGANA.test(segment) || (segment.length === 1 && /\d/.test(text[start - 1] ?? ''));
}
