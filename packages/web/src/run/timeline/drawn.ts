import type { Bar } from './bars.ts';

/** A bar with its place in pixels; or many that are too small to be told apart. */
export interface Drawn {
  readonly bar: Bar;
  readonly left: number;
  readonly width: number;
  /** How many it stands for. */
  readonly count: number;
}

interface Window {
  /** Pixels of a time. */
  readonly pixelOf: (time: number) => number;
  readonly now: number;
  readonly from: number;
  readonly to: number;
}

const LEAST = 3;

/** Of a row, what is in sight: never more than there are pixels, however many tasks it has. */
export function drawnBars(bars: readonly Bar[], { pixelOf, now, from, to }: Window): Drawn[] {
  const drawn: Drawn[] = [];
  for (const bar of bars) {
    const left = pixelOf(bar.start);
    const right = Math.max(pixelOf(bar.end ?? now), left + LEAST);
    if (left > to) break;
    if (right < from) continue;
    const before = drawn.at(-1);
    const isSmall = right - left <= LEAST && before !== undefined && before.width <= 3 * LEAST;
    if (isSmall && left < before.left + before.width)
      drawn[drawn.length - 1] = {
        // Of many the one that one would look for.
        bar: before.bar.how === 'succeeded' ? bar : before.bar,
        left: before.left,
        width: right - before.left,
        count: before.count + 1,
      };
    else drawn.push({ bar, left, width: right - left, count: 1 });
  }
  return drawn;
}
