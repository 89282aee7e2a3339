import { addPeriods, emptyPeriod, PERIOD_MS, type Period } from '#dandori/history/statistics.ts';
import type { Span } from './range.ts';

/** More than these nobody can tell apart. */
const MOST = 60;

/** A column for each stretch of time, also where nothing was run, from the first to now; of equal length. */
export function columnsOf(series: readonly Period[], { since, every }: Span, now: number): Period[] {
  const period = PERIOD_MS[every];
  // For all time the first run is the beginning.
  const from = now - since > MOST * period ? (series[0]?.at ?? now) : since;
  const width = period * Math.max(1, Math.ceil((now - from) / period / MOST));
  const count = Math.max(1, Math.ceil((now - from + 1) / width));
  const columns = Array.from({ length: count }, (_, index) => emptyPeriod(from + index * width));
  for (const one of series) {
    const index = Math.floor((one.at - from) / width);
    const column = columns[index];
    if (column !== undefined) columns[index] = addPeriods(column, one);
  }
  return columns;
}

/** Not less than a week of days, so that one day alone does not fill the picture. */
export function widened(columns: readonly Period[], least: number): Period[] {
  const [first] = columns;
  if (first === undefined || columns.length >= least) return [...columns];
  const missing = least - columns.length;
  const before = Array.from({ length: missing }, (_, index) =>
    emptyPeriod(first.at - (missing - index) * PERIOD_MS.day),
  );
  return [...before, ...columns];
}
