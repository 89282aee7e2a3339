import { type Every, PERIOD_MS } from '#dandori/history/statistics.ts';

export const RANGES = ['1d', '7d', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];

export interface Span {
  /** Milliseconds since 1970; hours and days begin where the reader's do. */
  readonly since: number;
  readonly every: Every;
}

/** What the server is asked for. */
export function spanOf(range: Range, now: number): Span {
  const date = new Date(now);
  if (range === '1d') return { since: date.setMinutes(0, 0, 0) - 23 * PERIOD_MS.hour, every: 'hour' };
  const midnight = new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = { '7d': 6, '30d': 29, all: Math.floor(midnight / PERIOD_MS.day) }[range];
  return { since: midnight - days * PERIOD_MS.day, every: 'day' };
}
