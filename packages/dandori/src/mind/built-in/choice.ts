import type { Span } from './goal.ts';
import { agreement, spaced, type Word, wordsOf } from './words.ts';

export type Choice =
  | { readonly kind: 'one'; readonly index: number; readonly spans: readonly Span[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly indexes: readonly number[] };

/** Which of several values the goal speaks of: `products` for 商品. */
export function choose(values: readonly string[], words: readonly Word[]): Choice {
  const scored = values.map((value, index) => ({ index, ...likeness(wordsOf(spaced(value), 12), words) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  if (best === 0) return { kind: 'none' };
  const winners = scored.filter(({ score }) => score > best - 0.01);
  const [first] = winners;
  const isOne = new Set(winners.map(({ index }) => values[index])).size === 1;
  if (first === undefined || !isOne) return { kind: 'several', indexes: winners.map(({ index }) => index) };
  return { kind: 'one', index: first.index, spans: first.spans };
}

/** `products` is nearer to "products" than `product_prices` is: what the goal does not say counts against it. */
function likeness(own: readonly Word[], words: readonly Word[]): { score: number; spans: Span[] } {
  let sum = 0;
  const spans: Span[] = [];
  for (const word of own) {
    const best = words.reduce<{ word: Word | undefined; value: number }>(
      (found, other) =>
        agreement(word, other) > found.value ? { word: other, value: agreement(word, other) } : found,
      { word: undefined, value: 0 },
    );
    sum += best.value;
    if (best.word !== undefined) spans.push({ start: best.word.start, end: best.word.end });
  }
  return { score: own.length === 0 ? 0 : sum * (0.5 + (0.5 * spans.length) / own.length), spans };
}
