import { respelled } from './spelling.ts';
import { UNIT } from './units.ts';

/** The user's words in a form that is easy to match: half-width, lower case, numbers as digits, no final mark. */
export function normalised(goal: string): string {
  const text = goal
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[“”"「」『』]/g, ' ')
    .replaceAll(/[‘’]/g, "'")
    .replace(/[\s。.?!]+$/, '')
    .trim();
  return withDigits(respelled(text));
}

/** 1,200 → 1200, 28万 → 280000, 三百五十 → 350, "two hundred and five" → 205, "a dozen" → 12. */
function withDigits(text: string): string {
  return japaneseNumbers(englishNumbers(text.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')))
    .replaceAll(new RegExp(`(\\d+)(${UNIT}|個|本|杯)半`, 'g'), '$1.5$2')
    .replaceAll(/(大さじ|小さじ|カップ)(\d+(?:\.\d+)?)(?:杯)?/g, '$2$1')
    .replaceAll(
      /\b(second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth) power\b/g,
      (_, word) => `${ORDINALS.indexOf(word) + 1}th power`,
    );
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ');

const KANJI = '〇一二三四五六七八九';
const COUNTED =
  'つ|個|本|人|枚|冊|杯|割|倍|乗|日|時|分|週|年|か月|ヶ月|カ月|月|匹|台|円|回|袋|箱|丁|歳|点|種類|番目|パック|缶|玉|切れ|グラム|キロ|リットル|メートル|房|束|斤|膳|合|杯分|人分|人前|足|引|た|か|わ|の';

function japaneseNumbers(text: string): string {
  return text
    .replaceAll(
      new RegExp(
        `(?<![一二三四五六七八九十百千万億\\d第])(?!十分(?![間後前]))([一二三四五六七八九十百千]+)(?=${COUNTED}|[万億]|\\s*[+*/×÷-]|(?<=[十百千].?)(?:は|を|に|と|で|から|$))`,
        'g',
      ),
      (found) => String(kanjiValue(found)),
    )
    .replaceAll(/(\d+)千(\d{1,3}(?!\d))?/g, (_, digits, rest) =>
      String(Number(digits) * 1000 + Number(rest ?? 0)),
    )
    .replaceAll(/(\d+(?:\.\d+)?)億(?:(\d+(?:\.\d+)?)万)?(\d+)?/g, (_, oku, man, rest) =>
      String(Number(oku) * 1e8 + Number(man ?? 0) * 1e4 + Number(rest ?? 0)),
    )
    .replaceAll(/(\d+(?:\.\d+)?)万(?!年)(\d+)?/g, (_, man, rest) =>
      String(Math.round(Number(man) * 1e4 + Number(rest ?? 0))),
    );
}

function kanjiValue(text: string): number {
  let [total, digit] = [0, 0];
  for (const letter of text) {
    const power = { 十: 10, 百: 100, 千: 1000 }[letter];
    if (power === undefined) digit = digit * 10 + KANJI.indexOf(letter);
    else {
      total += (digit || 1) * power;
      digit = 0;
    }
  }
  return total + digit;
}

const SMALL =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const WORD = `(?:${[...SMALL, ...TENS, 'hundred', 'thousand', 'million', 'dozen'].join('|')})`;
const SPOKEN = new RegExp(
  `\\b(?:(?<half>half )?an? (?=hundred|thousand|million|dozen))?${WORD}(?:(?:-|\\s+(?:and\\s+)?)${WORD})*\\b(?<andHalf>\\s+and a half)?`,
  'g',
);

function englishNumbers(text: string): string {
  return text
    .replaceAll(/(\d+(?:\.\d+)?)\s+(thousand|million|dozen)\b/g, (_, digits, word) =>
      String(Number(digits) * (SCALES[word] ?? 1)),
    )
    .replaceAll(/(?<=\d)k\b(?!\s*g)/g, '000')
    .replaceAll(SPOKEN, (found, ...rest) => {
      const groups = rest.at(-1) as Record<string, string | undefined>;
      const before = text.slice(0, Number(rest.at(-3)));
      // "the low-fat one" is no number.
      if (
        /^one$/.test(found) &&
        /\b(?:which|that|this|the|no|any|every|each|other|[a-z]+est|fat)\s*$/.test(before)
      )
        return found;
      const value = spokenValue(found.replace(/\s+and a half$/, '')) * (groups.half === undefined ? 1 : 0.5);
      return String(value + (groups.andHalf === undefined ? 0 : 0.5));
    })
    .replaceAll(/(\d+) and a half\b/g, (_, digits) => `${digits}.5`)
    .replaceAll(/\bhalf an? (?=hour|kilo|litre|liter|pound|mile|day|dozen)/g, '0.5 ')
    .replaceAll(/\ba couple of\b/g, '2');
}

const SCALES: Readonly<Record<string, number>> = { thousand: 1000, million: 1_000_000, dozen: 12 };

function spokenValue(text: string): number {
  let [total, part] = [0, 0];
  for (const word of text.split(/[\s-]+/)) {
    if (word === 'hundred') part = (part || 1) * 100;
    else if (SCALES[word] !== undefined) {
      total += (part || 1) * SCALES[word];
      part = 0;
    } else if (TENS.includes(word)) part += (TENS.indexOf(word) + 2) * 10;
    else if (SMALL.includes(word)) part += SMALL.indexOf(word);
  }
  return total + part;
}
