import type { Bar } from './bars.ts';

export interface Row {
  readonly id: string;
  readonly kind: 'mind' | 'people' | 'tasks';
  /** In the order in which they began. */
  readonly bars: readonly Bar[];
}

/**
 * The mind and people have a row each; tasks share as few rows as hold those that went on at the same time. A task
 * stays in its row with all of its attempts and waits.
 */
export function rowsOf(bars: readonly Bar[]): Row[] {
  const mind = bars.filter(({ kind }) => kind === 'decision');
  const people = bars.filter(({ kind, task }) => kind === 'wait' && task === undefined);
  const rows: { bars: Bar[]; end: number }[] = [];
  for (const own of spansOf(bars)) {
    const free = rows.find(({ end }) => end <= own.start);
    const row = free ?? { bars: [], end: 0 };
    if (free === undefined) rows.push(row);
    row.bars.push(...own.bars);
    row.end = own.end;
  }
  return [
    ...(mind.length > 0 ? [{ id: 'mind', kind: 'mind' as const, bars: mind }] : []),
    ...(people.length > 0 ? [{ id: 'people', kind: 'people' as const, bars: people }] : []),
    ...rows.map((row, index) => ({ id: `tasks ${index + 1}`, kind: 'tasks' as const, bars: row.bars })),
  ];
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly bars: readonly Bar[];
}

/** From the first beginning of a task to its last end. */
function spansOf(bars: readonly Bar[]): Span[] {
  const byTask = Map.groupBy(
    bars.filter(({ task }) => task !== undefined),
    ({ task }) => task,
  );
  return [...byTask.values()].map((own) => ({
    start: own[0]?.start ?? 0,
    end: own.reduce((latest, { end }) => Math.max(latest, end ?? Number.POSITIVE_INFINITY), 0),
    bars: own,
  }));
}

export type Direction = 'before' | 'behind' | 'above' | 'below';

/** Where an arrow key leads: along its row, or to what went on at about the same time in the next one. */
export function neighbourBar(rows: readonly Row[], id: string, direction: Direction): Bar | undefined {
  const index = rows.findIndex(({ bars }) => bars.some((bar) => bar.id === id));
  const row = rows[index];
  const place = row?.bars.findIndex((bar) => bar.id === id) ?? -1;
  const here = row?.bars[place];
  if (row === undefined || here === undefined) return undefined;
  if (direction === 'before') return row.bars[place - 1];
  if (direction === 'behind') return row.bars[place + 1];
  const other = rows[direction === 'above' ? index - 1 : index + 1];
  return other?.bars.reduce((best, bar) =>
    Math.abs(bar.start - here.start) < Math.abs(best.start - here.start) ? bar : best,
  );
}

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
