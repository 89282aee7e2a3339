import { resolve } from './chain.ts';
import { type Draft, emptyDraft, type Problem, type Situation, type Step } from './draft.ts';
import { type Goal, overlaps, type Span } from './goal.ts';
import { explains, isNameLike, rank, type ToolCard } from './ranking.ts';
import { agreement, type Word } from './words.ts';

/** A tool that may be what the goal wants, with the plan that leads to it. */
export interface Candidate {
  readonly card: ToolCard;
  readonly draft: Draft;
  readonly outcome: Step | 'later' | undefined;
  readonly problems: readonly Problem[];
  /** How much of the goal the plan accounts for, from 0 to 1. */
  readonly coverage: number;
  readonly score: number;
  /** Words and values of the goal that nothing in the plan accounts for. */
  readonly leftOver: readonly string[];
  /** A word of the goal stands in the tool's name or in its description, or a value's form asks for such a tool. */
  readonly hasEvidence: boolean;
}

const MOST_CANDIDATES = 12;

/**
 * The tool whose plan accounts for most of the goal. The best match of words alone would stop too early: for the
 * weather at the place of an address, the tool that finds places has more of the words.
 */
export function candidatesFor(goal: Goal, situation: Situation, base: Draft): Candidate[] {
  return rank(goal, situation.index, MOST_CANDIDATES)
    .map(({ card }, place) => candidate(card, { goal, situation, base, place }))
    .sort((one, other) => other.score - one.score);
}

/** Whether a plan may be carried out without asking anybody. */
export function isConvincing({ card, coverage, hasEvidence, draft }: Candidate, goal: Goal): boolean {
  if (!hasEvidence) return false;
  if (card.tool.effect === 'read') return coverage >= 0.5;
  // Nothing is changed on a guess: each word of the goal is accounted for and the tool's name says what was asked.
  // "Delete everything" names nothing, and a call without arguments could well delete everything.
  const isNothingNamed = card.parameters.length > 0 && draft.used.length === 0;
  const isSweeping = goal.words.some(({ meaning }) => meaning === 'all');
  return coverage > 0.99 && isNamed(card, goal) && !isNothingNamed && !isSweeping;
}

/** The goal has a word of the tool's name and, where the tool changes something, the word for the change. */
export function isNamed({ nameWords, tool }: ToolCard, { words }: Goal): boolean {
  const hasWord = (own: Word) => words.some((word) => !word.isSoft && agreement(word, own) >= 0.8);
  const actions = nameWords.filter(({ meaning }) => meaning !== undefined && ACTIONS.has(meaning));
  if (tool.effect !== 'read' && actions.length > 0) return actions.every(hasWord);
  return nameWords.some(hasWord);
}

const ACTIONS = new Set([
  'add',
  'remov',
  'updat',
  'creat',
  'writ',
  'send',
  'convert',
  'translat',
  'reservat',
]);

interface Trying {
  readonly goal: Goal;
  readonly situation: Situation;
  readonly base: Draft;
  readonly place: number;
}

function candidate(card: ToolCard, { goal, situation, base, place }: Trying): Candidate {
  const draft: Draft = { ...emptyDraft(), steps: [...base.steps] };
  const { outcome, problems } = resolve(card, { ...situation, goal, draft, isStrict: false });
  const cards = draft.cards.includes(card) ? draft.cards : [...draft.cards, card];
  const isOpen = draft.isOpen || problems.some(({ reason }) => reason !== 'missing');
  const { covered, total, points, leftOver } = account(goal, { cards, draft, isOpen });
  const isImpossible = outcome === undefined && !isOpen;
  const cost =
    0.1 * (draft.steps.length - base.steps.length) +
    0.3 * draft.guesses +
    0.001 * place +
    (isImpossible ? 0.5 : 0);
  return {
    card,
    draft,
    outcome,
    problems,
    coverage: total === 0 ? 0 : covered / total,
    score: points - cost,
    leftOver,
    hasEvidence: evidence(goal, cards, draft),
  };
}

interface Accounting {
  readonly cards: readonly ToolCard[];
  readonly draft: Draft;
  readonly isOpen: boolean;
}

/** Each word and each value of the goal is either explained by a tool, used as an argument, or left over. */
function account(
  goal: Goal,
  { cards, draft, isOpen }: Accounting,
): { covered: number; total: number; points: number; leftOver: string[] } {
  let covered = 0;
  let total = 0;
  let points = 0;
  const leftOver: string[] = [];
  const use = (span: Span) =>
    Math.max(0, ...draft.used.map((used) => (overlaps(used, span) ? (used.isGuess === true ? 0.5 : 1) : 0)));
  const mayHold = hope(goal, cards, isOpen);
  for (const word of goal.words) {
    const weight = word.isSoft ? 0.3 : 1;
    const explained = Math.max(0, ...cards.map((card) => explains(card, word)));
    const quality = Math.max(use(word), explained);
    const hoped = explained < 0.4 && mayHold(word) ? 0.5 : 0;
    const isCovered = explained >= 0.4 || hoped > 0;
    total += word.isSoft && !isCovered ? 0.1 : weight;
    covered += isCovered ? weight : weight * use(word);
    if (!isCovered && !word.isSoft && use(word) === 0) leftOver.push(word.text);
    points += (word.isSoft && explained >= 0.9 ? 0.7 : weight) * Math.max(quality, hoped);
  }
  for (const value of goal.values) {
    if (value.isOperand) continue;
    total++;
    if (use(value) === 0) leftOver.push(String(value.value));
    else {
      covered++;
      points++;
    }
  }
  points += 0.3 * sum(goal.implied.map((word) => Math.max(0, ...cards.map((card) => explains(card, word)))));
  return { covered, total, points, leftOver };
}

/**
 * A result that is still to come may hold words that nothing explains yet: names, and in a database also the common
 * nouns that tables are called after.
 */
function hope(goal: Goal, cards: readonly ToolCard[], isOpen: boolean): (word: Word) => boolean {
  if (!isOpen) return () => false;
  const isData = readsData(cards) && speaksOfData(goal, cards);
  return (word) => !word.isSoft && (isData || isNameLike(word));
}

function readsData(cards: readonly ToolCard[]): boolean {
  return cards.some(({ parameters }) => parameters.some(({ kind }) => kind === 'sql'));
}

/** "List …" or "… in the database": without such a word, unknown words are no reason to look into a database. */
function speaksOfData(goal: Goal, cards: readonly ToolCard[]): boolean {
  const isKnown = (word: Word) => cards.some((card) => explains(card, word) >= 0.45);
  const open = goal.words.filter((word) => !word.isSoft && !isKnown(word)).length;
  return (
    open <= 3 &&
    goal.words.some((word) => isKnown(word) && word.meaning !== undefined && DATA.has(word.meaning))
  );
}

const DATA = new Set(['list', 'databas', 'tabl', 'row', 'count', 'number', 'query', 'column', 'schema']);

function evidence(goal: Goal, cards: readonly ToolCard[], draft: Draft): boolean {
  const strong = goal.words.some(
    (word) => !word.isSoft && cards.some((card) => explains(card, word) >= 0.45),
  );
  const telling = goal.values.some(
    (value) => !['number', 'quoted'].includes(value.kind) && draft.used.some((used) => overlaps(used, value)),
  );
  return strong || telling || (draft.isOpen && readsData(cards) && speaksOfData(goal, cards));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
