import { isOwnTool } from '../../model/own-tools.ts';
import { isJapanese } from '../../model/text.ts';
import type { Tool } from '../../model/tool.ts';
import { bm25 } from '../../search/terms.ts';
import { type Parameter, parametersOf } from './arguments.ts';
import { type Goal, isSoft, spaced, type Word, wordsOf } from './goal.ts';
import { type Property, promisedBy } from './properties.ts';

/** What is known about a tool, computed once per set of tools. */
export interface ToolCard {
  readonly tool: Tool;
  readonly nameWords: readonly Word[];
  readonly parameters: readonly Parameter[];
  readonly requiresNothing: boolean;
  readonly outputs: readonly Property[];
  /** Term → weight of the best place where it appears: 1 in the name, less in the description. */
  readonly terms: ReadonlyMap<string, number>;
}

export interface ToolIndex {
  readonly cards: readonly ToolCard[];
  /** Term → number of tools that contain it. */
  readonly spread: ReadonlyMap<string, number>;
  readonly meanLength: number;
}

const indexes = new WeakMap<ReadonlyMap<string, Tool>, ToolIndex>();

/**
 * The toolbox returns the same map until something changes, so 527 tools are indexed once and not at each
 * turn.
 */
export function indexOf(tools: ReadonlyMap<string, Tool>): ToolIndex {
  const kept = indexes.get(tools);
  if (kept !== undefined) return kept;
  // The planner has results and tools in memory, so it needs no own tools.
  const cards = [...tools.values()].filter((tool) => !isOwnTool(tool)).map(cardOf);
  const spread = new Map<string, number>();
  for (const { terms } of cards)
    for (const term of terms.keys()) spread.set(term, (spread.get(term) ?? 0) + 1);
  const total = cards.reduce((sum, { terms }) => sum + terms.size, 0);
  const index = { cards, spread, meanLength: total / Math.max(1, cards.length) };
  indexes.set(tools, index);
  return index;
}

/**
 * The tools that match the goal's words, best first. This is BM25 with the place of a word instead of its
 * frequency.
 */
export function rank({ words, values }: Goal, index: ToolIndex, limit: number): ToolCard[] {
  // A word counts once, so repeating it has no effect.
  const distinct = [...new Map(words.map((word) => [word.stem, word])).values()];
  const kinds = new Set<string>(values.map(({ kind }) => kind).filter((kind) => kind !== 'number'));
  const scoreOf = (card: ToolCard): number => {
    // "What is 100 + 200?" has no word for a calculator, but its form asks for one.
    const isFormed = card.parameters.some(({ kind, isRequired }) => isRequired && kinds.has(kind));
    let score = isFormed ? 6 : 0;
    for (const word of distinct)
      score +=
        (isSoft(word) ? 0.3 : 1) * Math.max(...termsOf(word).map((term) => termScore(card, term, index)));
    return score;
  };
  return index.cards
    .map((card) => ({ card, score: scoreOf(card) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ card }) => card);
}

/**
 * How well a tool explains a word, from 0 to 1. A word that looks like a name, or means a change, must be in
 * the tool's own name. A description that mentions 東京 or "writing" is not enough.
 */
export function explains({ terms }: ToolCard, word: Word): number {
  const [same = 0, meant = 0] = termsOf(word).map((term) => terms.get(term) ?? 0);
  const quality = Math.max(same, 0.9 * meant);
  const isNameLike =
    word.meaning === undefined && (isJapanese(word.text) || /^\p{Lu}\p{Ll}/u.test(word.text));
  return quality < 0.6 && (isNameLike || word.meaning?.kind === 'change') ? 0 : quality;
}

export function speaksOf(card: ToolCard, word: Word): boolean {
  return explains(card, word) >= 0.4;
}

function cardOf(tool: Tool): ToolCard {
  const terms = new Map<string, number>();
  const put = (words: readonly Word[], place: number): void => {
    for (const term of words.flatMap(termsOf)) terms.set(term, Math.max(terms.get(term) ?? 0, place));
  };
  const isPrefixed = tool.name.startsWith(`${tool.server}.`);
  const nameWords = wordsOf(spaced(isPrefixed ? tool.name.slice(tool.server.length + 1) : tool.name), 12);
  const parameters = parametersOf(tool);
  const outputs = promisedBy(tool, nameWords);
  put(nameWords, 1);
  put(wordsOf(spaced(tool.title ?? ''), 12), 0.9);
  put(wordsOf(spaced(tool.server), 8), 0.7);
  put(wordsOf(withoutExamples(tool.description.slice(0, 800)), 80), 0.5);
  for (const { words, description } of parameters.slice(0, 20)) {
    put(words, 0.65);
    put(wordsOf(withoutExamples(description), 20), 0.42);
  }
  for (const { words } of outputs.slice(0, 30)) put(words, 0.4);
  const requiresNothing = parameters.every(({ isRequired }) => !isRequired);
  return { tool, nameWords, parameters, requiresNothing, outputs, terms };
}

/** Removes examples such as "e.g. Tokyo". They are possible values and don't describe the tool. */
function withoutExamples(text: string): string {
  return text.replace(
    /"[^"\n]{0,80}"|“[^”\n]{0,80}”|\([^()]{0,80}(?:\.\.\.|…|など|etc\.?)\)|(?:\be\.g\.|\bsuch as\b|\bfor example\b|例えば|例[:：])[^;。\n]{0,80}/gi,
    ' ',
  );
}

function termsOf({ stem, meaning }: Word): string[] {
  return meaning === undefined ? [stem] : [stem, `~${meaning.name}`];
}

function termScore({ terms }: ToolCard, term: string, { cards, spread, meanLength }: ToolIndex): number {
  return bm25({
    frequency: 3 * (terms.get(term) ?? 0),
    spread: spread.get(term) ?? 1,
    documents: cards.length,
    length: terms.size / Math.max(1, meanLength),
  });
}
