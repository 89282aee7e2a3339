import { type Goal, overlaps, type Span } from './goal.ts';
import type { Parameter } from './parameter.ts';
import { stem } from './stem.ts';
import { spaced, type Word } from './words.ts';

/** Words of the goal that belong together and that no tool explains: likely a name. */
export interface Phrase extends Span {
  readonly text: string;
  readonly words: readonly Word[];
  /** `from`, `to`, `at` or nothing, by the preposition before it or the particle after it. */
  readonly role: Role | undefined;
  /** Written like a name: capitals, or a Japanese word that is in no dictionary. */
  readonly isProper: boolean;
}

export type Role = 'from' | 'to' | 'at';

interface Reading {
  readonly isExplained: (word: Word) => boolean;
  readonly used: readonly Span[];
}

export function phrasesOf(goal: Goal, { isExplained, used }: Reading): Phrase[] {
  const phrases: Word[][] = [];
  let last: Word | undefined;
  for (const word of goal.words) {
    const isOpen = !word.isSoft && !isExplained(word) && !used.some((span) => overlaps(span, word));
    const current = phrases.at(-1);
    if (isOpen && last !== undefined && current !== undefined && areJoined(goal, last, word))
      current.push(word);
    else if (isOpen) phrases.push([word]);
    last = isOpen ? word : undefined;
  }
  return phrases
    .filter((words) => !isLabel(goal, words) && !isVerb(goal, words))
    .flatMap((words) => toPhrase(goal, words));
}

/** The phrase that a parameter takes: one in the right role first, then what is written like a name. */
export function phraseFor(parameter: Parameter, phrases: readonly Phrase[]): Phrase | undefined {
  const role = roleOf(parameter);
  if (role === 'from' || role === 'to') return phrases.find((phrase) => phrase.role === role);
  const free = phrases.filter((phrase) => phrase.role !== 'from');
  const inRole = role === undefined ? [] : free.filter((phrase) => phrase.role === role);
  return (
    inRole.find(({ isProper }) => isProper) ?? free.find(({ isProper }) => isProper) ?? inRole[0] ?? free[0]
  );
}

const ROLES: Readonly<Record<Role, ReadonlySet<string>>> = {
  from: new Set(['from', 'origin', 'sourc', 'departur', 'depart', 'start', 'sender']),
  to: new Set(['to', 'destinat', 'target', 'arrival', 'arriv', 'recipient', 'receiver']),
  at: new Set([
    'city',
    'plac',
    'locat',
    'country',
    'reg',
    'region',
    'area',
    'town',
    'station',
    'address',
    'locality',
  ]),
};

/** `from` and `to` are no content words elsewhere, so the parameter's name itself is looked at too. */
export function roleOf({ name, words }: Parameter): Role | undefined {
  const terms = [...spaced(name).split(' ').map(stem), ...words.flatMap(({ meaning }) => meaning ?? [])];
  return (['from', 'to', 'at'] as const).find((role) => terms.some((term) => ROLES[role].has(term)));
}

function toPhrase(goal: Goal, words: readonly Word[]): Phrase[] {
  const first = words[0];
  const end = words.at(-1)?.end;
  if (first === undefined || end === undefined) return [];
  const { start } = first;
  const text = goal.raw.slice(start, end);
  const isJapanese = /[\u3040-\u30ff\u3400-\u9fff]/.test(text);
  const isCapital = /^\p{Lu}/u.test(text) && !/^\W*$/.test(goal.text.slice(0, start));
  const isProper = isJapanese ? words.every(({ meaning }) => meaning === undefined) : isCapital;
  return [{ start, end, text, words, isProper, role: roleAround(goal.text, start, end) }];
}

function roleAround(text: string, start: number, end: number): Role | undefined {
  const before = text.slice(Math.max(0, start - 16), start).toLowerCase();
  const preposition = /\b(from|to|in|at|near|for|around|of)\s+(?:the\s+)?$/.exec(before)?.[1];
  if (preposition === 'from' || preposition === 'to') return preposition;
  if (preposition !== undefined) return 'at';
  const after = text.slice(end, end + 4);
  if (/^(?:から|発)/.test(after)) return 'from';
  if (/^(?:まで|へ|行き|着|に)/.test(after)) return 'to';
  return /^(?:の|で)/.test(after) ? 'at' : undefined;
}

/** Only what stands next to each other; "United States of America" is one name, "milk and eggs" are two. */
function areJoined({ text }: Goal, one: Word, other: Word): boolean {
  const between = text.slice(one.end, other.start);
  if (/^[ \-&.'’]{0,2}$/.test(between)) return true;
  return /^ of (?:the )?$/.test(between) && /^\p{Lu}/u.test(one.text) && /^\p{Lu}/u.test(other.text);
}

/** "IP address" before 203.0.113.7 says what the value is; it is no name itself. */
function isLabel({ values }: Goal, words: readonly Word[]): boolean {
  const last = words.at(-1);
  if (last === undefined || !LABELS.has(last.meaning ?? last.stem)) return false;
  return values.some(({ start }) => start >= last.end && start - last.end <= 2);
}

/** 提案して, "suggest a menu": what is to be done, and not what it is done with. */
function isVerb({ text }: Goal, words: readonly Word[]): boolean {
  const [first, ...others] = words;
  if (first === undefined || others.length > 0) return false;
  const after = text.slice(first.end, first.end + 8);
  if (first.pairs.length > 0) return /^(?:し|する|さ[せれ])/.test(after);
  return /^\W*$/.test(text.slice(0, first.start)) && /^ (?:an?|the|me|my|some|all) /i.test(after);
}

const LABELS = new Set([
  'ip',
  'address',
  'link',
  'url',
  'web',
  'email',
  'date',
  'time',
  'file',
  'directory',
  'path',
  'timezon',
  'number',
]);
