import { describe, expect, it } from 'vitest';
import {
  addPeriods,
  createCounter,
  emptyPeriod,
  statisticsOf,
} from '../../../dandori/src/history/statistics.ts';
import type { Period } from '../../../dandori/src/store/statistics.ts';
import { figuresOf } from '../../src/dashboard/figures.ts';
import { texts } from '../../src/texts/dashboard.ts';
import { words } from '../../src/texts/words.ts';

const wording = { say: texts.en, statuses: words.en.statuses, language: 'en' };
const none = statisticsOf(createCounter().sums());
const day: Period = {
  ...emptyPeriod(0),
  outcomes: { answered: 3, failed: 1, cancelled: 0, exhausted: 0, waiting: 1, paused: 0, open: 1 },
  ms: 8_000,
  revisions: 3,
  calls: 10,
  failed: 1,
  inDoubt: 1,
  ratings: { sum: 9, count: 2 },
};

describe('the figures', () => {
  it('are complete, each with a name and a value per column', () => {
    const charts = figuresOf(none, [emptyPeriod(0), emptyPeriod(1)], wording);
    expect(charts.map(({ id }) => id)).toEqual([
      ...['runs', 'completion', 'revisions', 'model-calls', 'tokens'],
      ...['cost', 'errors', 'timeouts', 'duration', 'satisfaction'],
    ]);
    for (const { title, about, series } of charts) {
      expect(title && about).toBeTruthy();
      for (const { values } of series) expect(values).toHaveLength(2);
    }
  });

  it('are empty without runs, not zero', () => {
    const charts = new Map(figuresOf(none, [emptyPeriod(0)], wording).map((chart) => [chart.id, chart]));
    for (const id of ['completion', 'cost', 'errors', 'duration', 'satisfaction']) {
      expect(charts.get(id)?.figure).toBe('–');
      expect(charts.get(id)?.series[0]?.values).toEqual([null]);
    }
  });

  it('are shares of ended runs, calls and ratings', () => {
    const charts = new Map(
      figuresOf(none, [day, addPeriods(day, day)], wording).map((chart) => [chart.id, chart]),
    );
    const values = (id: string) => charts.get(id)?.series[0]?.values;
    expect(values('completion')).toEqual([0.75, 0.75]);
    expect(values('revisions')).toEqual([0.5, 0.5]);
    expect(values('errors')).toEqual([0.2, 0.2]);
    expect(values('duration')).toEqual([2_000, 2_000]);
    expect(values('satisfaction')).toEqual([4.5, 4.5]);
    expect(charts.get('runs')?.series.map(({ values: [first] }) => first)).toEqual([3, 1, 0, 0, 2]);
  });
});
