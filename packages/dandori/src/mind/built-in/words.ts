import { isEmptyJapanese, japaneseWordAt, meaningOf } from './dictionary.ts';
import { stem } from './stem.ts';

/** A word with content, and where it stands. */
export interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly stem: string;
  readonly meaning: string | undefined;
  /** Character pairs of a Japanese word that is in no dictionary, as it may be a part of a longer one elsewhere. */
  readonly pairs: readonly string[];
  /** Says little about what is wanted: `show`, `all`, `now`. */
  readonly isSoft: boolean;
}

const STOP = new Set(
  `a an the of in on at for to from by with and or is are was were be been being it its this that these those what
   which who whom whose when where why how do does did done can could would should will shall may might must me my
   i you your we our us they their them he she his her please tell give let know there here want need like as about
   into if then than just some any so not no yes also too very much many has have had s t m re ll d up out off per
   via using there's what's it's i'm let's`.split(/\s+/),
);

const RUN =
  /[\u3040-\u30ff\u3400-\u9fff々〆]+|(?:(?![\u3040-\u30ff\u3400-\u9fff々〆])[\p{L}\p{M}\p{N}'’])+/gu;

/** Words in text order, at most `limit`: a goal may be a megabyte long. */
export function wordsOf(text: string, limit = 200): Word[] {
  const words: Word[] = [];
  for (const match of text.matchAll(RUN)) {
    const run = match[0];
    if (/^[\u3040-\u30ff\u3400-\u9fff々〆]/.test(run))
      japaneseWords(text, { from: match.index, to: match.index + run.length }, words);
    else if (/\p{L}/u.test(run)) latinWord(run, match.index, words);
    if (words.length >= limit) break;
  }
  return words.slice(0, limit);
}

/** `getCurrentTime`, `get_current_time` and `time.get-current` as text with spaces. */
export function spaced(identifier: string): string {
  return identifier
    .normalize('NFKC')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-./:]+/g, ' ');
}

/** How well two words agree: 1 the same, 0.8 the same meaning, less for a shared part of a Japanese word. */
export function agreement(one: Word, other: Word): number {
  if (one.stem === other.stem) return 1;
  if (one.meaning !== undefined && one.meaning === other.meaning) return 0.8;
  const shared = one.pairs.filter((pair) => other.pairs.includes(pair)).length;
  return shared === 0 ? 0 : (0.6 * shared) / Math.max(one.pairs.length, other.pairs.length);
}

function latinWord(run: string, start: number, words: Word[]): void {
  const text = run.replace(/^['’]+|['’]+$/g, '');
  if (text === '' || STOP.has(text.toLowerCase())) return;
  words.push(word(text, start + run.indexOf(text), stem(text)));
}

function japaneseWords(text: string, { from, to }: { from: number; to: number }, words: Word[]): void {
  let position = from;
  while (position < to) {
    if (isCounter(text, position)) {
      position++;
      continue;
    }
    const known = japaneseWordAt(text, position);
    const found = known === '' ? unknownRun(text, position, to) : known;
    const isContent = known === '' ? isNoun(text, position, found) : !isEmptyJapanese(known);
    if (isContent) words.push(word(found, position, found));
    position += Math.max(1, found.length);
  }
}

/** 3個, 2本: what is counted with says nothing about what is counted. */
function isCounter(text: string, position: number): boolean {
  return (
    /[個本枚件人匹台冊杯袋缶箱つ円回度歳日月年時分秒]/.test(text[position] ?? '') &&
    /\d/.test(text[position - 1] ?? '')
  );
}

/** Kanji, katakana or hiragana up to where the script changes or a known word begins. */
function unknownRun(text: string, from: number, to: number): string {
  const script = scriptOf(text[from]);
  let end = from + 1;
  while (
    end < to &&
    scriptOf(text[end]) === script &&
    (script === 'katakana' || japaneseWordAt(text, end) === '')
  ) {
    if (script === 'hiragana' && /[をはがのにでとへも]/.test(text[from] ?? '')) break;
    if (script === 'hiragana' && text[end] === 'を') break;
    end++;
  }
  return text.slice(from, end);
}

/**
 * Hiragana is mostly grammar; it is taken for a noun only as the object before を (りんごを). A single kanji before
 * other hiragana than a particle is the beginning of a verb (見て, 書いて).
 */
function isNoun(text: string, start: number, run: string): boolean {
  const next = text[start + run.length] ?? '';
  const script = scriptOf(run[0]);
  if (script === 'hiragana') return run.length >= 2 && next === 'を' && isBoundary(text[start - 1]);
  if (script === 'kanji' && run.length === 1)
    return scriptOf(next) !== 'hiragana' || /[をはがのにでとへも]/.test(next);
  return true;
}

function isBoundary(before: string | undefined): boolean {
  return before === undefined || /[\s、。,.・のをはがにでとやも「」]/.test(before);
}

/** By code and not by pattern: it is asked for every character. */
function scriptOf(character: string | undefined): 'kanji' | 'katakana' | 'hiragana' | 'other' {
  const code = character?.charCodeAt(0) ?? 0;
  if (code >= 0x3041 && code <= 0x309f) return 'hiragana';
  if (code >= 0x30a0 && code <= 0x30ff) return 'katakana';
  return (code >= 0x3400 && code <= 0x9fff) || code === 0x3005 || code === 0x3006 ? 'kanji' : 'other';
}

function word(text: string, start: number, key: string): Word {
  const meaning = meaningOf(key);
  const pairs = meaning === undefined && scriptOf(text[0]) !== 'other' ? pairsOf(text) : [];
  return {
    text,
    start,
    end: start + text.length,
    stem: key,
    meaning: meaning?.name,
    pairs,
    isSoft: meaning?.isSoft ?? false,
  };
}

function pairsOf(text: string): string[] {
  const count = Math.min(Math.max(1, text.length - 1), 40);
  return Array.from({ length: count }, (_, index) => text.slice(index, index + 2));
}
