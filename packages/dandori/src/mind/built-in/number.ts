import type { Json } from '../../domain/json.ts';
import type { Span } from './goal.ts';
import type { Parameter } from './parameter.ts';
import { open, type Taken, type Taking } from './taken.ts';
import { agreement, type Word } from './words.ts';

/** "3 days", "limit 5": a number beside the parameter's word is clear; any other is only the next one in order. */
export function fromNumber(parameter: Parameter, taking: Taking): Taken | undefined {
  const numbers = open(taking).filter(({ kind, value }) => kind === 'number' && fitsNumber(parameter, value));
  const beside = numbers.find((number) =>
    taking.goal.words.some(
      (word) => isBeside(word, number) && (names(parameter, word) || counts(parameter, word)),
    ),
  );
  const found = beside ?? numbers[0];
  return found === undefined
    ? undefined
    : { value: found.value, spans: [found], certainty: beside === undefined ? 'guess' : 'sure' };
}

function fitsNumber({ kind, schema }: Parameter, value: Json): boolean {
  if (typeof value !== 'number' || (kind === 'integer' && !Number.isInteger(value))) return false;
  const isAbove = typeof schema.minimum !== 'number' || value >= schema.minimum;
  return isAbove && (typeof schema.maximum !== 'number' || value <= schema.maximum);
}

function names({ words }: Parameter, word: Word): boolean {
  if (words.some((own) => agreement(own, word) >= 0.8)) return true;
  return (
    /^(?:top|first|last)$/.test(word.stem) &&
    words.some(({ stem }) => /^(?:limit|count|number|max|top|n)$/.test(stem))
  );
}

/** "2 eggs": a quantity is the number beside what is counted. */
function counts({ words }: Parameter, word: Word): boolean {
  return word.meaning === undefined && words.some(({ meaning }) => meaning === 'quantity');
}

function isBeside(word: Span, number: Span): boolean {
  const gap = word.start >= number.end ? word.start - number.end : number.start - word.end;
  return gap >= 0 && gap <= 2;
}

export function fromNumbers(taking: Taking): Taken | undefined {
  const spans = open(taking).filter(({ kind }) => kind === 'number');
  return spans.length === 0
    ? undefined
    : { value: spans.map(({ value }) => value), spans, certainty: 'guess' };
}
