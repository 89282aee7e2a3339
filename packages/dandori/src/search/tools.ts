import { isObject, type Json } from '../model/json.ts';
import { isOwnTool } from '../model/own-tools.ts';
import type { OrderRule } from '../model/settings.ts';
import type { Tool } from '../model/tool.ts';
import { bm25, termsIn } from './terms.ts';

/** How much a word counts, by where it appears. */
const WEIGHT = { name: 3, title: 2, server: 1.5, parameter: 1, description: 1, parameterDescription: 0.3 };
const LONGEST_DESCRIPTION = 1_500;
const MOST_PARAMETERS = 40;
/** A tool gets this share of the best score of its server, because tools of one server are used together. */
const NEIGHBOUR = 0.15;

interface Card {
  readonly tool: Tool;
  readonly length: number;
}

/** Maps words to tools; built once per set of tools. A search visits only tools with one of its words. */
interface ToolIndex {
  readonly cards: readonly Card[];
  readonly meanLength: number;
  readonly postings: ReadonlyMap<string, readonly { readonly card: number; readonly frequency: number }[]>;
}

interface Found {
  readonly tool: Tool;
  readonly score: number;
}

const indexes = new WeakMap<ReadonlyMap<string, Tool>, ToolIndex>();

/**
 * Leaves out our own tools, which are not meant to be found. The index is cached by map: a toolbox returns
 * the same map while nothing changes.
 */
export function toolIndexOf(tools: ReadonlyMap<string, Tool>): ToolIndex {
  const kept = indexes.get(tools);
  if (kept !== undefined) return kept;
  const postings = new Map<string, { card: number; frequency: number }[]>();
  const cards = [...tools.values()]
    .filter((tool) => !isOwnTool(tool))
    .map((tool, card): Card => {
      const terms = weightedTerms(tool);
      let length = 0;
      for (const [term, frequency] of terms) {
        length += frequency;
        const posting = postings.get(term);
        if (posting === undefined) postings.set(term, [{ card, frequency }]);
        else posting.push({ card, frequency });
      }
      return { tool, length };
    });
  const total = cards.reduce((sum, { length }) => sum + length, 0);
  const index = { cards, postings, meanLength: total / Math.max(1, cards.length) };
  indexes.set(tools, index);
  return index;
}

/** The tools that match a text, best first. The order is the same on every machine. */
export function searchTools(text: string, { cards, postings, meanLength }: ToolIndex): Found[] {
  const scores = new Map<number, number>();
  // A word counts once: repeating it in a goal adds nothing.
  for (const term of new Set(termsIn(text))) {
    const posting = postings.get(term) ?? [];
    // Many words share a meaning, so it says less than the word itself.
    const weight = term.startsWith('~') ? 0.6 : 1;
    for (const { card, frequency } of posting) {
      const length = (cards[card]?.length ?? 0) / Math.max(1, meanLength);
      const score = bm25({ frequency, spread: posting.length, documents: cards.length, length });
      scores.set(card, (scores.get(card) ?? 0) + weight * score);
    }
  }
  const found = [...scores].flatMap(([card, score]) => {
    const tool = cards[card]?.tool;
    return tool === undefined ? [] : [{ tool, score }];
  });
  return withNeighbours(found).sort(
    (one, other) => other.score - one.score || (one.tool.name < other.tool.name ? -1 : 1),
  );
}

function withNeighbours(found: readonly Found[]): Found[] {
  const best = new Map<string, number>();
  for (const { tool, score } of found) best.set(tool.server, Math.max(score, best.get(tool.server) ?? 0));
  return found.map(({ tool, score }) => ({ tool, score: score + NEIGHBOUR * (best.get(tool.server) ?? 0) }));
}

/** The tools to describe for this goal, at most `limit`, with those that must be called before them. */
export function chooseTools(
  goal: string,
  tools: ReadonlyMap<string, Tool>,
  { limit, order }: { readonly limit: number; readonly order: readonly OrderRule[] },
): string[] {
  const chosen = new Set<string>();
  const take = (name: string): void => {
    if (chosen.size >= limit || chosen.has(name) || !tools.has(name)) return;
    chosen.add(name);
    for (const { before, after } of order) if (after === name) take(before);
  };
  for (const { tool } of searchTools(goal, toolIndexOf(tools))) {
    if (chosen.size >= limit) break;
    take(tool.name);
  }
  return [...chosen].sort();
}

function weightedTerms({ name, server, title, description, inputSchema }: Tool): Map<string, number> {
  const terms = new Map<string, number>();
  const put = (text: string, weight: number): void => {
    for (const term of termsIn(text)) terms.set(term, (terms.get(term) ?? 0) + weight);
  };
  put(name.startsWith(`${server}.`) ? name.slice(server.length + 1) : name, WEIGHT.name);
  put(title ?? '', WEIGHT.title);
  put(server, WEIGHT.server);
  put(description.slice(0, LONGEST_DESCRIPTION), WEIGHT.description);
  for (const [parameter, schema] of parametersOf(inputSchema).slice(0, MOST_PARAMETERS)) {
    put(parameter, WEIGHT.parameter);
    put(descriptionIn(schema).slice(0, LONGEST_DESCRIPTION), WEIGHT.parameterDescription);
  }
  return terms;
}

/** Schemas are untrusted and may have any shape. */
function parametersOf({ properties }: Tool['inputSchema']): [string, Json][] {
  return isObject(properties) ? Object.entries(properties) : [];
}

function descriptionIn(schema: Json): string {
  return isObject(schema) && typeof schema.description === 'string' ? schema.description : '';
}
