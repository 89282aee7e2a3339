import { isJapanese } from '../model/text.ts';
import { FILLERS } from './answer-phrases.ts';

/** Half-width, lower case, hiragana for katakana, without quotes and without punctuation at the end. */
export function simplified(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\u30a1-\u30f6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .replaceAll(/[\u200b-\u200f]|\ufe0f|\u20e3/g, '')
    .replaceAll(/[’‘]/g, "'")
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s"'“「『(]*(.*?)[\s.!。、,"'”」』~〜…]*$/u, '$1')
    .replace(/^([^(]*)\)$/u, '$1');
}

export function lettersAndDigits(said: string): string {
  return said.replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Whether every word occurs in the label, and they are more than a letter. */
export function isNamed(core: string, label: string): boolean {
  const name = simplified(label);
  const words = contentWords(core);
  const size = words.join('').length;
  const isEnough = size > 1 || (size === 1 && isJapanese(core) && name.startsWith(core));
  const isPlace = words.every((word) => /^\d{1,2}$/.test(word));
  const labelWords = joinedWords(name);
  const japanese = lettersAndDigits(name);
  return (
    isEnough &&
    !isPlace &&
    words.every((word) => (isJapanese(word) ? isMadeOf(word, japanese) : labelWords.has(singular(word))))
  );
}

/** Words without fillers. Japanese stays in one piece, because it has no spaces. */
export function contentWords(core: string): string[] {
  const words =
    core.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー々]+|[\p{L}\p{N}'.]+/gu) ?? [];
  return words.map((word) => word.replace(/\.+$/, '')).filter((word) => !FILLERS.has(word) && word !== '');
}

/** The words of a label, and neighbours written as one: "low-fat" is also "lowfat". */
function joinedWords(name: string): Set<string> {
  const words = name.match(/[\p{L}\p{N}']+/gu) ?? [];
  const joined = words.flatMap((word, index) => [word, `${word}${words[index + 1] ?? ''}`]);
  return new Set(joined.map(singular));
}

function singular(word: string): string {
  return /[^su]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** Whether the word is made of pieces of the label, two letters or more, joined by の or な. */
function isMadeOf(word: string, label: string): boolean {
  const ends = [true];
  let hasPiece = false;
  for (let end = 1; end <= word.length; end++) {
    let isEnd = end > 1 && end < word.length && ends[end - 1] === true && /[のな]/u.test(word[end - 1] ?? '');
    for (let from = 0; from < end && !isEnd; from++) {
      const piece = word.slice(from, end);
      const isPiece = piece.length > 1 || word.length === 1;
      if (ends[from] === true && isPiece && label.includes(piece)) {
        isEnd = true;
        hasPiece = true;
      }
    }
    ends.push(isEnd);
  }
  return hasPiece && ends[word.length] === true;
}
/** Latin words, and pairs of kanji or katakana. Hiragana alone is mostly grammar. */
export function piecesOf(text: string): string[] {
  const words = contentWords(simplified(text)).filter((word) => !isJapanese(word) && word.length > 2);
  const written = text.normalize('NFKC').match(/[\p{Script=Han}\p{Script=Katakana}ー々]{2,}/gu) ?? [];
  const pairs = written.flatMap((run) => Array.from(run.slice(1), (_, index) => run.slice(index, index + 2)));
  return [...words.flatMap((word) => word.split("'")).map(singular), ...pairs];
}
