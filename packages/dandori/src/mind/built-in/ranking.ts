import type { Tool } from '../../domain/tool.ts';
import type { Goal } from './goal.ts';
import { type OutputProperty, outputsOf } from './output.ts';
import { type Parameter, parametersOf } from './parameter.ts';
import { spaced, type Word, wordsOf } from './words.ts';

/** What is known about a tool, made once for a set of tools. */
export interface ToolCard {
  readonly tool: Tool;
  readonly nameWords: readonly Word[];
  readonly parameters: readonly Parameter[];
  readonly outputs: readonly OutputProperty[];
  /** Term → how telling the best place is where it stands: 1 in the name, less in the description. */
  readonly places: ReadonlyMap<string, number>;
  readonly frequencies: ReadonlyMap<string, number>;
  readonly length: number;
}

export interface ToolIndex {
  readonly cards: readonly ToolCard[];
  readonly byName: ReadonlyMap<string, ToolCard>;
  /** Term → in how many tools it stands. */
  readonly spread: ReadonlyMap<string, number>;
  readonly meanLength: number;
}

const indexes = new WeakMap<ReadonlyMap<string, Tool>, ToolIndex>();

/** The toolbox hands out the same map while nothing has changed, so 527 tools are read once and not at each turn. */
export function indexOf(tools: ReadonlyMap<string, Tool>): ToolIndex {
  const kept = indexes.get(tools);
  if (kept !== undefined) return kept;
  const cards = [...tools.values()].map(cardOf);
  const spread = new Map<string, number>();
  for (const { places } of cards)
    for (const term of places.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  const total = cards.reduce((sum, { length }) => sum + length, 0);
  const byName = new Map(cards.map((card) => [card.tool.name, card]));
  const index = { cards, byName, spread, meanLength: total / Math.max(1, cards.length) };
  indexes.set(tools, index);
  return index;
}

/** The tools that the goal's words speak of, best first (BM25 with weighted fields). */
export function rank(goal: Goal, index: ToolIndex, limit: number): { card: ToolCard; score: number }[] {
  // A word counts once: a goal that repeats itself a thousand times says no more.
  const words = [...new Map([...goal.words, ...goal.implied].map((word) => [word.stem, word])).values()];
  const kinds = new Set<string>(
    goal.values.map(({ kind }) => kind).filter((kind) => kind !== 'number' && kind !== 'quoted'),
  );
  return index.cards
    .map((card) => ({ card, score: scoreOf(card, words, index) + formBonus(card, kinds) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit);
}

/**
 * How well a word is explained by a tool, from 0 to 1. What looks like a name is explained only where it stands in the
 * tool's own name: that a description mentions 東京 does not make 東京 a word for weather.
 */
export function explains(card: ToolCard, word: Word): number {
  const quality = qualityOf(card, word);
  return quality < 0.6 && isNameLike(word) ? 0 : quality;
}

export function isNameLike({ text, meaning, pairs }: Word): boolean {
  return meaning === undefined && (pairs.length > 0 || /^\p{Lu}\p{Ll}/u.test(text));
}

function qualityOf({ places }: ToolCard, word: Word): number {
  const same = places.get(word.stem) ?? 0;
  const meant = word.meaning === undefined ? 0 : 0.9 * (places.get(`~${word.meaning}`) ?? 0);
  const found = word.pairs.filter((pair) => places.has(pair));
  const part =
    found.length < word.pairs.length || found.length === 0
      ? 0
      : 0.8 * Math.max(...found.map((pair) => places.get(pair) ?? 0));
  return Math.max(same, meant, part);
}

function cardOf(tool: Tool): ToolCard {
  const places = new Map<string, number>();
  const frequencies = new Map<string, number>();
  let length = 0;
  const put = (words: readonly Word[], place: number): void => {
    for (const word of words) {
      length += place;
      for (const term of termsOf(word)) {
        places.set(term, Math.max(places.get(term) ?? 0, place));
        frequencies.set(term, (frequencies.get(term) ?? 0) + 3 * place);
      }
    }
  };
  const ownName = tool.name.startsWith(`${tool.server}.`)
    ? tool.name.slice(tool.server.length + 1)
    : tool.name;
  const nameWords = wordsOf(spaced(ownName), 12);
  const parameters = parametersOf(tool);
  const outputs = outputsOf(tool);
  put(nameWords, 1);
  put(wordsOf(spaced(tool.title ?? ''), 12), 0.9);
  put(wordsOf(spaced(tool.server), 8), 0.7);
  put(wordsOf(withoutExamples(tool.description.slice(0, 800).normalize('NFKC')), 80), 0.5);
  for (const { words, description } of parameters.slice(0, 20)) {
    put(words, 0.65);
    put(wordsOf(withoutExamples(description), 20), 0.42);
  }
  for (const { words } of outputs.slice(0, 30)) put(words, 0.4);
  return { tool, nameWords, parameters, outputs, places, frequencies, length };
}

/** An example is a value that somebody may want, and no word for what the tool does: "e.g. Tokyo". */
function withoutExamples(text: string): string {
  return text
    .replace(/"[^"\n]{0,80}"|“[^”\n]{0,80}”/g, ' ')
    .replace(/\([^()]{0,80}(?:\.\.\.|…|など|etc\.?)\)/g, ' ')
    .replace(/(?:\be\.g\.|\bsuch as\b|\bfor example\b|例えば|例[:：])[^;。\n]{0,80}/gi, ' ');
}

function termsOf({ stem, meaning, pairs }: Word): string[] {
  return meaning === undefined ? [stem, ...pairs] : [stem, `~${meaning}`];
}

function scoreOf(card: ToolCard, words: readonly Word[], index: ToolIndex): number {
  let score = 0;
  for (const word of words) {
    const best = Math.max(...termsOf(word).map((term) => termScore(card, term, index)));
    score += word.isSoft ? best * 0.3 : best;
  }
  return score;
}

function termScore(
  { frequencies, length }: ToolCard,
  term: string,
  { cards, spread, meanLength }: ToolIndex,
): number {
  const frequency = frequencies.get(term);
  if (frequency === undefined) return 0;
  const within = spread.get(term) ?? 1;
  const rarity = Math.log(1 + (cards.length - within + 0.5) / (within + 0.5));
  return (rarity * frequency * 2.2) / (frequency + 1.2 * (0.4 + (0.6 * length) / Math.max(1, meanLength)));
}

/** "What is 100 + 200?" has no word for a calculator; its form asks for one. */
function formBonus({ parameters }: ToolCard, kinds: ReadonlySet<string>): number {
  return parameters.some(({ kind, isRequired }) => isRequired && kinds.has(kind)) ? 1.5 : 0;
}
