import { isJapanese } from './dictionary.ts';
import { type Value, valuesIn } from './values.ts';
import { type Word, wordsOf } from './words.ts';

export type Language = 'ja' | 'en';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A goal, read: its words, and the values whose form says what they are. */
export interface Goal {
  /** With narrow digits and signs; as long as `raw`, so that places in one are places in the other. */
  readonly text: string;
  readonly raw: string;
  readonly language: Language;
  readonly words: readonly Word[];
  readonly values: readonly Value[];
  /** Words that the form implies: `+` says "add", "where" says "place". */
  readonly implied: readonly Word[];
  /** The day on which the run began, so that "today" stays the same through the run. */
  readonly startedAt: number;
  /** The goal was longer than what was read of it. */
  readonly isCut: boolean;
}

/** No goal that this planner can solve is longer, and a megabyte of text must not cost seconds. */
const LONGEST = 4_000;
const IMPLIED: readonly (readonly [RegExp, string])[] = [
  [/\d\s*\+\s*\d/, 'add'],
  [/\d\s*[-−]\s*\d/, 'subtract'],
  [/\d\s*[*×]\s*\d/, 'multiply'],
  [/\d\s*[/÷]\s*\d/, 'divide'],
  [/\bwhere\b|どこ/i, 'place'],
];

export function readGoal(goal: string, startedAt: number): Goal {
  const cut = goal.slice(0, LONGEST).normalize('NFC');
  const raw = /[\uff61-\uff9f]/.test(cut) ? cut.normalize('NFKC') : cut;
  const text = narrow(raw);
  const values = valuesIn(text, raw);
  const words = wordsOf(text).filter((word) => !values.some((value) => overlaps(value, word)));
  return {
    text,
    raw,
    language: languageOf(goal),
    words,
    values,
    implied: impliedBy(text, values),
    startedAt,
    isCut: goal.length > LONGEST,
  };
}

export function languageOf(goal: string): Language {
  return isJapanese(goal.slice(0, LONGEST)) ? 'ja' : 'en';
}

/** The goal cut where one wish ends and the next begins. Quoted text is never cut. */
export function clausesOf({ text, raw, values }: Goal): string[] {
  const cuts: Span[] = [];
  for (const match of text.matchAll(
    /,?\s+(?:and then|and|then)\s+|[;。\n]\s*|、\s*(?:そして|それから|次に)?|そして|それから/gi,
  )) {
    const span = { start: match.index, end: match.index + match[0].length };
    if (!values.some((value) => overlaps(value, span))) cuts.push(span);
  }
  const starts = [0, ...cuts.map(({ end }) => end)];
  const ends = [...cuts.map(({ start }) => start), raw.length];
  return starts.map((start, index) => raw.slice(start, ends[index]).trim()).filter((clause) => clause !== '');
}

export function overlaps(one: Span, other: Span): boolean {
  return one.start < other.end && other.start < one.end;
}

/** Character by character, as only then the places stay the same. */
function narrow(text: string): string {
  return text.replace(/[\u3000\uff01-\uff5e\u2010-\u2015]/g, (character) => {
    if (character >= '\u2010' && character <= '\u2015') return '-';
    const normal = character.normalize('NFKC');
    return normal.length === 1 ? normal : character;
  });
}

function impliedBy(text: string, values: readonly Value[]): Word[] {
  const implied = IMPLIED.filter(([pattern]) => pattern.test(text)).map(([, word]) => word);
  if (values.some(({ kind }) => kind === 'expression')) implied.push('calculate');
  return implied.flatMap((word) => wordsOf(word)).map((word) => ({ ...word, isSoft: true }));
}
