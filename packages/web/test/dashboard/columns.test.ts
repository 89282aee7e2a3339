import { describe, expect, it } from 'vitest';
import { emptyPeriod } from '../../../dandori/src/history/statistics.ts';
import type { Period } from '../../../dandori/src/store/statistics.ts';
import { columnsOf, spanOf, widened } from '../../src/dashboard/columns.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date(2026, 10, 16, 14, 20).getTime();
const period = (at: number, answered = 1): Period => ({
  ...emptyPeriod(at),
  outcomes: { ...emptyPeriod(at).outcomes, answered },
});
const answered = (columns: readonly Period[]) => columns.map(({ outcomes }) => outcomes.answered);

describe('the columns of a chart', () => {
  it('are the hours of a day and the days of a week or month, up to now', () => {
    for (const [range, count] of [
      ['1d', 24],
      ['7d', 7],
      ['30d', 30],
    ] as const)
      expect(columnsOf([], spanOf(range, NOW), NOW)).toHaveLength(count);
  });

  it("start at midnight in the reader's time zone", () => {
    const midnight = new Date(2026, 10, 16).getTime();
    expect(columnsOf([], spanOf('7d', NOW), NOW).at(-1)?.at).toBe(midnight);
    expect((midnight - spanOf('all', NOW).since) % DAY).toBe(0);
    expect(spanOf('1d', NOW).since).toBe(new Date(2026, 10, 15, 15).getTime());
  });

  it('include periods without runs', () => {
    const span = spanOf('7d', NOW);
    const columns = columnsOf([period(span.since + DAY), period(span.since + 3 * DAY, 2)], span, NOW);
    expect(answered(columns)).toEqual([0, 1, 0, 2, 0, 0, 0]);
  });

  it('span several days for a long time, without losing runs', () => {
    const span = spanOf('all', NOW);
    const first = NOW - 400 * DAY;
    const columns = columnsOf([period(first), period(first + DAY), period(NOW - HOUR, 5)], span, NOW);
    expect(columns.length).toBeLessThanOrEqual(60);
    expect(columns[0]).toMatchObject({ at: first, outcomes: { answered: 2 } });
    expect(columns.at(-1)?.outcomes.answered).toBe(5);
  });

  it('are at least a week of days', () => {
    const span = spanOf('all', NOW);
    const columns = widened(columnsOf([period(NOW - HOUR)], span, NOW), 7);
    expect(answered(columns)).toEqual([0, 0, 0, 0, 0, 0, 1]);
  });
});
