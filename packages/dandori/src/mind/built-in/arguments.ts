import { cityForZone } from './cities.ts';
import { coerced } from './coercion.ts';
import { overlaps } from './goal.ts';
import { fromNumber, fromNumbers } from './number.ts';
import type { Parameter } from './parameter.ts';
import { type Phrase, phraseFor, phrasesOf, roleOf } from './phrase.ts';
import { clear, open, type Taken, type Taking } from './taken.ts';
import { localZone, zoneOfCity } from './values.ts';
import { agreement, wordsOf } from './words.ts';

/** Undefined where the goal does not hold it. An optional parameter is filled only where that is clearly meant. */
export function take(parameter: Parameter, taking: Taking): Taken | undefined {
  const written = assigned(parameter, taking) ?? byKind(parameter, taking);
  if (written !== undefined)
    return parameter.isRequired || written.certainty === 'sure' || isFor(parameter, written, taking)
      ? written
      : undefined;
  return parameter.isRequired ? fallback(parameter) : undefined;
}

/** Where a tool requires nothing, what the goal names can only be meant for its optional parameters. */
function isFor({ kind }: Parameter, { certainty }: Taken, { requiresNothing }: Taking): boolean {
  return (
    requiresNothing && certainty === 'likely' && (kind === 'name' || kind === 'names' || kind === 'search')
  );
}

/** `city=Paris`, `limit: 5`: the plainest way to say it always works. */
function assigned(parameter: Parameter, { goal }: Taking): Taken | undefined {
  if (parameter.name.length > 60) return undefined;
  const name = parameter.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`(?<![\\w])${name}\\s?[=:]\\s?("[^"]*"|[^\\s,;、。]+)`, 'i').exec(goal.text);
  if (match === null) return undefined;
  const start = match.index + match[0].length - (match[1]?.length ?? 0);
  const end = match.index + match[0].length;
  const value = coerced(parameter, goal.raw.slice(start, end).replace(/^"|"$/g, ''));
  return value === undefined ? undefined : clear(value, { start: match.index, end });
}

function byKind(parameter: Parameter, taking: Taking): Taken | undefined {
  switch (parameter.kind) {
    case 'enum':
      return fromChoices(parameter, taking);
    case 'boolean':
      return fromFlag(parameter, taking);
    case 'integer':
    case 'number':
      return fromNumber(parameter, taking);
    case 'numbers':
      return fromNumbers(taking);
    case 'names':
      return fromPhrases(taking);
    case 'timezone':
      return fromValue(parameter, taking) ?? fromCity(taking);
    case 'date':
    case 'moment':
      return fromValue(parameter, taking) ?? fromDay(parameter, taking);
    case 'search':
      return fromQuoted(taking) ?? fromRemainder(taking);
    case 'text':
      return fromQuoted(taking);
    case 'identifier':
      return fromQuoted(taking) ?? fromCode(taking);
    case 'name':
      return fromQuoted(taking) ?? fromName(parameter, taking);
    case 'sql':
      return fromStatement(taking);
    case 'unknown':
      return undefined;
    default:
      return fromValue(parameter, taking);
  }
}

function fromValue({ kind }: Parameter, taking: Taking): Taken | undefined {
  const found = open(taking).find((value) => value.kind === kind);
  return found === undefined ? undefined : clear(found.value, found);
}

function fromQuoted(taking: Taking): Taken | undefined {
  const found = open(taking).find(({ kind }) => kind === 'quoted');
  return found === undefined ? undefined : clear(found.value, found);
}

/** Somebody who writes SQL means it. */
function fromStatement({ goal }: Taking): Taken | undefined {
  const match = /\bSELECT\s[^\u3040-\u30ff\u3400-\u9fff]+?\sFROM\s[^\u3040-\u30ff\u3400-\u9fff;]+/i.exec(
    goal.text,
  );
  if (match === null) return undefined;
  const span = { start: match.index, end: match.index + match[0].length };
  return clear(goal.raw.slice(span.start, span.end).trim(), span);
}

function fromChoices({ choices }: Parameter, { goal }: Taking): Taken | undefined {
  for (const choice of choices) {
    const words = wordsOf(String(choice).replace(/[_-]/g, ' '), 6);
    const found = words.map((word) => goal.words.find((other) => agreement(word, other) >= 0.8));
    const spans = found.filter((word) => word !== undefined);
    if (spans.length > 0 && spans.length === words.length) return { value: choice, spans, certainty: 'sure' };
  }
  return undefined;
}

/** A flag is set where the goal has all words of its name. */
function fromFlag({ words }: Parameter, { goal }: Taking): Taken | undefined {
  const found = words
    .filter(({ isSoft }) => !isSoft)
    .map((word) => goal.words.find(({ stem }) => stem === word.stem));
  const spans = found.filter((word) => word !== undefined);
  const first = spans[0];
  if (first === undefined || spans.length < found.length) return undefined;
  const isNegated = /\b(?:not|no|without|don't)\s+$/i.test(goal.text.slice(0, first.start));
  return { value: !isNegated, spans, certainty: 'sure' };
}

function fromPhrases(taking: Taking): Taken | undefined {
  const quoted = open(taking).filter(({ kind }) => kind === 'quoted');
  if (quoted.length > 0) return { value: quoted.map(({ value }) => value), spans: quoted, certainty: 'sure' };
  const phrases = phrasesOf(taking.goal, taking);
  if (phrases.length === 0) return undefined;
  const certainty = phrases.every(isLikeName) ? 'likely' : 'guess';
  return { value: phrases.map(({ text }) => text), spans: phrases, certainty };
}

function fromName(parameter: Parameter, taking: Taking): Taken | undefined {
  const phrase = phraseFor(parameter, phrasesOf(taking.goal, taking));
  if (phrase === undefined) return undefined;
  const role = roleOf(parameter);
  const isInRole = role !== undefined && phrase.role === role && isLikeName(phrase);
  return {
    value: phrase.text,
    spans: [phrase],
    certainty: isInRole ? 'sure' : isLikeName(phrase) ? 'likely' : 'guess',
  };
}

function isLikeName({ isProper, words }: Phrase): boolean {
  return isProper || words.every(({ meaning }) => meaning === undefined);
}

function fromCity(taking: Taking): Taken | undefined {
  for (const phrase of phrasesOf(taking.goal, taking)) {
    const zone = zoneOfCity(cityForZone(phrase.text) ?? phrase.text);
    if (zone !== undefined) return clear(zone, phrase);
  }
  return undefined;
}

function fromDay({ kind }: Parameter, { goal }: Taking): Taken | undefined {
  for (const [meaning, days] of [
    ['today', 0],
    ['tomorrow', 1],
    ['yesterday', -1],
  ] as const) {
    const word = goal.words.find((other) => other.meaning === meaning);
    if (word === undefined) continue;
    const day = new Date(goal.startedAt + days * 86_400_000);
    const value = kind === 'moment' ? day.toISOString() : day.toLocaleDateString('sv-SE');
    return clear(value, word);
  }
  return undefined;
}

/** Everything from the first to the last word that the tool's own words do not account for. */
function fromRemainder(taking: Taking): Taken | undefined {
  const phrases = phrasesOf(taking.goal, taking);
  const [first, last] = [phrases[0], phrases.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const value = taking.goal.raw.slice(first.start, last.end).slice(0, 300);
  return {
    value,
    spans: [{ start: first.start, end: last.end }],
    certainty: phrases.every(isLikeName) ? 'likely' : 'guess',
  };
}

/** Something like `A-1042` or `#17`. */
function fromCode({ goal, used }: Taking): Taken | undefined {
  for (const match of goal.text.matchAll(/(?<![\w.])#?(?=[\w-]*\d)[A-Za-z0-9][\w-]{0,63}(?![\w.])/g)) {
    const span = { start: match.index, end: match.index + match[0].length };
    if (!used.some((other) => overlaps(other, span))) return clear(match[0].replace(/^#/, ''), span);
  }
  return undefined;
}

/** What needs no word in the goal: a default, the only choice, the zone of this machine. */
function fallback({ kind, schema, choices }: Parameter): Taken | undefined {
  if (schema.default !== undefined) return { value: schema.default, spans: [], certainty: 'sure' };
  const [only, ...others] = choices;
  if (only !== undefined && others.length === 0) return { value: only, spans: [], certainty: 'sure' };
  return kind === 'timezone' ? { value: localZone(), spans: [], certainty: 'sure' } : undefined;
}
