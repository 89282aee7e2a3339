import { isIP } from 'node:net';
import { numberFrom } from '../../model/json/numbers.ts';
import { isJapanese, type Language } from '../../model/text.ts';
import { type Meaning, meaningOf, stem } from '../../search/dictionary.ts';

/** A parsed goal: its words, and the values that are recognizable by their form. */
export interface Goal {
  /**
   * With half-width digits and signs. It has the same length as `raw`, so that positions are valid in both.
   */
  readonly text: string;
  readonly raw: string;
  readonly language: Language;
  readonly words: readonly Word[];
  readonly values: readonly Value[];
  /** Whether the goal is an order. Otherwise nothing is changed. */
  readonly isOrder: boolean;
}

/** No goal that this planner can solve is longer, and a megabyte of text must not take seconds. */
const LONGEST = 4_000;

export function readGoal(goal: string, language: Language): Goal {
  const raw = goal.slice(0, LONGEST);
  const text = raw.replace(/[\uff01-\uff5e\u3000]/g, (wide) => wide.normalize('NFKC'));
  const values = valuesIn(text, raw);
  return {
    text,
    raw,
    language,
    words: wordsOf(text).filter((word) => !values.some((value) => overlaps(value, word))),
    values,
    isOrder: goal.length <= LONGEST && isOrder(text, values),
  };
}

/**
 * Whether the goal is an order, which a change requires. The planner knows words and no grammar. Anything
 * that could invert the meaning (a negation, a condition, a question, a report) means no, and nothing is
 * changed.
 */
function isOrder(text: string, values: readonly Value[]): boolean {
  // Quoted text is data and does not say what to do.
  const quoted = values.filter(({ kind }) => kind === 'quoted');
  const own = quoted.reduce(
    (rest, { start, end }) => rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end),
    text,
  );
  return !TURNING.test(own) && (REQUEST.test(own) || !(QUESTION.test(own) || REPORT.test(own)));
}

const TURNING =
  /\b(?:not?|never|none|nothing|without|except|but|instead|rather|unless|if|whether|until|avoid|stop|undo|cancel|keep|cannot)\b|n['’]t\b|\bdont\b|ない|なく|なかっ|ません|ぬよう|ずに|以外|除い|除く|除き|もし|なら|たら|場合|まで待|やめ|止め|取り消|禁止|だけど|けれど|しかし/i;
const REQUEST =
  /^\W*(?:please\s+)?(?:can|could|would|will) you\b|\bi(?:'d| would)? (?:like|want|need) (?:you )?to\b|[てで](?:くれ|もらえ|いただけ|頂け|くださ|下さ|ほしい|欲しい)/i;
const QUESTION =
  /[?？]|^\W*(?:how|why|should|shall|did|do|does|what|which|when|who|where|is|are|was|were|has|have|can|may|must)\b|(?:べき|方法|か)[。.\s]*$/i;
const REPORT =
  /\b(?:i|we|he|she|they|you|it|was|were|has been|have been|already)\b|(?:した|された|ている|ていた|済み|予定)[。.!！\s]*$/i;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A content word and its position. */
export interface Word extends Span {
  readonly text: string;
  readonly stem: string;
  /** Undefined if the dictionary does not contain it, as with a name. */
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
/** Created on first use, because that takes 20 ms. */
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

/** Splits `getCurrentTime`, `get_current_time` and `time.get-current` into words. */
export function spaced(identifier: string): string {
  return identifier.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[_\-./:]+/g, ' ');
}

/** How well two words match: 1 for the same word, 0.8 for the same meaning. */
export function agreement(one: Word, other: Word): number {
  if (one.stem === other.stem) return 1;
  return one.meaning !== undefined && one.meaning === other.meaning ? 0.8 : 0;
}

export function isSaid(word: Word, by: readonly Word[]): boolean {
  return by.some((other) => agreement(word, other) > 0);
}

/** Whether a word says little about the goal: `show`, `now`. */
export function isSoft({ meaning }: Word): boolean {
  return meaning?.kind === 'soft';
}

export function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** The segmenter splits ニューヨーク and たまご. Katakana is kept together, and so is an object in hiragana. */
const OBJECT = String.raw`(?<=^|[\s、。のとやはがにで])\p{Script=Hiragana}{2,}(?=を)`;
const RUNS = new RegExp(
  String.raw`[\p{Script=Katakana}ー]+|${OBJECT}|(?:(?!${OBJECT})[^\p{Script=Katakana}ー])+`,
  'gu',
);

/**
 * Text in which a word is a run of letters and digits, also for the segmenter, which takes 20 ms to create. The signs
 * that are missing here can be inside a word: `user's`, `example.com`.
 */
const PLAIN_ASCII = /^[\s!-&(-+\-/0-9<-^`-~]*$/;

function* segmentsOf(text: string): Iterable<{ segment: string; start: number }> {
  for (const { 0: run, index: start } of text.matchAll(RUNS)) {
    if (/^[\p{Script=Katakana}\p{Script=Hiragana}ー]+$/u.test(run)) {
      yield { segment: run, start };
      continue;
    }
    if (!/\p{L}/u.test(run)) continue;
    if (PLAIN_ASCII.test(run)) {
      for (const { 0: segment, index } of run.matchAll(/[A-Za-z0-9]+/g))
        if (/[A-Za-z]/.test(segment)) yield { segment, start: start + index };
      continue;
    }
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' });
    for (const { segment, index } of segmenter.segment(run))
      if (/\p{L}/u.test(segment)) yield { segment, start: start + index };
  }
}

/**
 * Unknown words that are not names: endings and particles in hiragana, unless they are an object (りんごを);
 * verbs, which are followed by hiragana other than a particle (書いて); and counters (3個).
 */
function isGrammar(text: string, segment: string, start: number): boolean {
  if (!isJapanese(segment)) return false;
  const next = text[start + segment.length] ?? '';
  if (/^\p{Script=Hiragana}+$/u.test(segment)) return segment.length < 2 || next !== 'を';
  const isInflected = HIRAGANA.test(next) && !'をはがのにでとへもやかま'.includes(next);
  return isInflected || HIRAGANA.test(segment) || (segment.length === 1 && /\d/.test(text[start - 1] ?? ''));
}

export type ValueKind = (typeof FORMS)[number][0];

/** A part of the goal that is recognizable by its form alone. */
export interface Value extends Span {
  readonly kind: ValueKind;
  readonly value: string | number | bigint;
}

const OPERAND = String.raw`(?:(?:sqrt|abs|sin|cos|tan|log|exp|round|floor|ceil)?\(|[-−])*\d+(?:[.,]\d+)*%?\)*`;

/**
 * The most specific forms come first. Matched text is hidden from later forms, so that a date is not a
 * subtraction.
 */
const FORMS = [
  ['quoted', /"[^"]+"|“[^”]+”|「[^」]+」|『[^』]+』|`[^`]+`|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])/gu],
  ['url', /\bhttps?:\/\/[^\s"'<>「」、。]+[^\s"'<>「」、。.,;:!?)]/gi],
  ['email', /[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/g],
  ['ip', /(?<![\w.:])[0-9a-f.:]{2,44}[0-9a-f](?!\w)/gi],
  ['timezone', /(?<![\w/])(?:[A-Za-z]{2,20}(?:\/[A-Za-z_+\-0-9]{2,30}){1,2}|UTC|GMT)(?![\w/])/g],
  ['date', /(?<!\d)\d{4}[-/年]\d{1,2}[-/月]\d{1,2}(?:日|(?!\d))/g],
  ['time', /(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?![\d:])/g],
  [
    'path',
    /(?<![\w/.])(?:(?:~|\.{1,2})?\/[\w.\-/]*[\w/]|[\w-]+\.(?:txt|md|json|ya?ml|csv|xml|html?|pdf|docx?|xlsx?|png|jpe?g|svg|zip|ts|js|py|log|db)\b)/gi,
  ],
  ['code', /(?<![\w.-])(?:#(?=\w)|(?=[A-Z][\w-]*\d))[\w-]+(?![\w.])/g],
  ['expression', new RegExp(`(?<![\\w.])${OPERAND}(?:\\s?[-+*/^×÷−]\\s?${OPERAND})*(?![\\w.]*[a-z])`, 'gi')],
  ['number', /(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*[A-Za-z])/g],
] as const;

/** `raw` has the same length as `goal` and keeps the user's characters, which quoted text must preserve. */
function valuesIn(goal: string, raw: string): Value[] {
  const values: Value[] = [];
  let open = goal;
  for (const [kind, form] of FORMS)
    for (const { 0: found, index: start } of open.matchAll(form)) {
      const end = start + found.length;
      const text = kind === 'quoted' ? raw.slice(start, end) : found;
      const value = READERS[kind] === undefined ? text : READERS[kind](text);
      if (value === undefined) continue;
      values.push({ kind, value, start, end });
      open = open.slice(0, start) + '\u0001'.repeat(end - start) + open.slice(end);
    }
  return values.sort((one, other) => one.start - other.start);
}

/** The time zone whose last part is this city. */
export function zoneOfCity(city: string): string | undefined {
  const english = CITIES.includes(city) ? CITIES[CITIES.indexOf(city) + 1] : city;
  const ending = `/${english?.toLowerCase().replaceAll(' ', '_')}`;
  return ZONES.find((zone) => zone.toLowerCase().endsWith(ending));
}

const ZONES = ['UTC', 'GMT', ...Intl.supportedValuesOf('timeZone')];
/** Japanese names of some cities, which zone names don't contain. */
const CITIES = '東京 tokyo ロンドン london パリ paris ニューヨーク new_york ソウル seoul 北京 shanghai'.split(
  ' ',
);

const READERS: Partial<Record<ValueKind, (found: string) => string | number | bigint | undefined>> = {
  quoted: (found) => found.slice(1, -1),
  ip: (found) => (isIP(found) === 0 ? undefined : found),
  timezone: (found) => ZONES.find((zone) => zone.toLowerCase() === found.toLowerCase()),
  date: (found) =>
    found.replace(/日$/, '').replace(/\D(\d+)/g, (_, digits: string) => `-${digits.padStart(2, '0')}`),
  expression: asExpression,
  number: (found) => numberFrom(found.replaceAll(',', '')),
};

/** Requires an operator and matching brackets. `03-1234-5678` is a telephone number. */
function asExpression(found: string): string | undefined {
  const hasWork = /[\d)%]\s?[-+*/^×÷−]|[a-z]\(/i.test(found) && !/(?<![\d.,])0\d/.test(found);
  if (!hasWork || found.split('(').length !== found.split(')').length) return undefined;
  return found.replace(/,(?=\d{3})/g, '').replace(/[×÷−]/g, (sign) => ({ '×': '*', '÷': '/' })[sign] ?? '-');
}
