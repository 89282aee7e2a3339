import { addPeriods, emptyPeriod } from '#dandori/history/statistics.ts';
import { PERIOD_MS, type Period, type PeriodLength } from '#dandori/store/statistics.ts';

/** More columns can't be told apart. */
const MOST = 60;

/** Columns of equal length from the start of the range to now, including those without runs. */
export function columnsOf(series: readonly Period[], { since, every }: Span, now: number): Period[] {
  const period = PERIOD_MS[every];
  // The range "all time" starts with the first run.
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

/** Adds empty columns before the first, so that a single day does not fill the chart. */
export function widened(columns: readonly Period[], least: number): Period[] {
  const [first] = columns;
  if (first === undefined || columns.length >= least) return [...columns];
  const missing = least - columns.length;
  const before = Array.from({ length: missing }, (_, index) =>
    emptyPeriod(first.at - (missing - index) * PERIOD_MS.day),
  );
  return [...before, ...columns];
}

export const RANGES = ['1d', '7d', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];

interface Span {
  /** Milliseconds since 1970, at the start of an hour or day in the reader's time zone. */
  readonly since: number;
  readonly every: PeriodLength;
}

export function spanOf(range: Range, now: number): Span {
  const date = new Date(now);
  if (range === '1d') return { since: date.setMinutes(0, 0, 0) - 23 * PERIOD_MS.hour, every: 'hour' };
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = { '7d': 6, '30d': 29, all: Math.floor(midnight / PERIOD_MS.day) }[range];
  return { since: midnight - days * PERIOD_MS.day, every: 'day' };
}

export interface Label {
  /** Below the chart. */
  readonly short: string;
  /** In the legend and the table. */
  readonly long: string;
}

export function labelsOf(columns: readonly Period[], every: PeriodLength, language: string): Label[] {
  const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric' });
  const both = new Intl.DateTimeFormat(language, {
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
  });
  const whole = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  return columns.map(({ at }) =>
    every === 'hour'
      ? { short: clock.format(at), long: both.format(at) }
      : { short: day.format(at), long: whole.format(at) },
  );
}
