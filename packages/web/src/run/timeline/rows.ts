import type { Bar } from './bars.ts';

export interface Row {
  readonly id: string;
  readonly kind: 'model' | 'user' | 'tasks';
  /** By start. */
  readonly bars: readonly Bar[];
}

/**
 * The model and the user have one row each. Tasks share as few rows as possible; a task stays in its row with all of
 * its attempts and waits.
 */
export function rowsOf(bars: readonly Bar[]): Row[] {
  const model = bars.filter(({ kind }) => kind === 'decision');
  const user = bars.filter(({ kind, task }) => kind === 'wait' && task === undefined);
  const rows: { bars: Bar[]; end: number }[] = [];
  for (const own of spansOf(bars)) {
    const free = rows.find(({ end }) => end <= own.start);
    const row = free ?? { bars: [], end: 0 };
    if (free === undefined) rows.push(row);
    row.bars.push(...own.bars);
    row.end = own.end;
  }
  return [
    ...(model.length > 0 ? [{ id: 'model', kind: 'model' as const, bars: model }] : []),
    ...(user.length > 0 ? [{ id: 'user', kind: 'user' as const, bars: user }] : []),
    ...rows.map((row, index) => ({ id: `tasks ${index + 1}`, kind: 'tasks' as const, bars: row.bars })),
  ];
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly bars: readonly Bar[];
}

/** The time from the first start to the last end of each task. */
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

/** The target of an arrow key: along the row, or the nearest in time in the next row. */
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

/** A bar in pixels, or several that are too small to be told apart. */
export interface Drawn {
  readonly bar: Bar;
  readonly left: number;
  readonly width: number;
  /** How many bars it stands for. */
  readonly count: number;
}

interface Window {
  readonly pixelOf: (time: number) => number;
  readonly now: number;
  readonly from: number;
  readonly to: number;
}

const LEAST = 3;

/** The visible bars of a row. Their number is limited by the pixels, not by the tasks. */
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
        // Of several, one that did not succeed is shown.
        bar: before.bar.how === 'succeeded' ? bar : before.bar,
        left: before.left,
        width: right - before.left,
        count: before.count + 1,
      };
    else drawn.push({ bar, left, width: right - left, count: 1 });
  }
  return drawn;
}
