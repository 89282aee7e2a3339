import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addPeriods,
  countsOf,
  createCounter,
  emptyPeriod,
  statisticsOf,
} from '../../src/history/statistics.ts';
import type { Fact, Outcome } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { Statistics } from '../../src/store/statistics.ts';
import {
  approves,
  asks,
  cancels,
  decides,
  ends,
  fails,
  inDoubt,
  journalFrom,
  journalOf,
  proposes,
  resumed,
  running,
  started,
  starts,
  stateOf,
  succeeds,
  thinks,
} from '../run/facts.ts';

const rated = (rating: number, comment?: string): Fact => ({
  type: 'run_rated',
  data: { rating, outcome: 'answered', ...(comment && { comment }) },
});

function count(...runs: readonly (Fact | number)[][]): Statistics {
  const counter = createCounter();
  for (const facts of runs) addTo(counter, facts);
  return statisticsOf(counter.sums());
}

function addTo(counter: ReturnType<typeof createCounter>, facts: readonly (Fact | number)[]): void {
  const counts = countsOf(journalFrom(facts));
  if (counts !== undefined) counter.add(counts);
}

describe('a rating is the one thing that may follow the end of a run', () => {
  it('and rating again replaces it', () => {
    const facts = [started(), ends, rated(2, 'slow'), rated(4)];
    expect(brokenLaws(journalOf(...facts))).toEqual([]);
    expect(stateOf(...facts).rating).toMatchObject({ rating: 4 });
    expect(stateOf(...facts).rating).not.toHaveProperty('comment');
  });

  it('L2: nothing else may, and no run is rated before its end', () => {
    expect(brokenLaws(journalOf(started(), rated(3)))).toEqual([expect.stringContaining('L2: rated')]);
    expect(brokenLaws(journalOf(started(), ends, rated(3), cancels))).toEqual([
      expect.stringContaining('L2: cancel_requested'),
    ]);
  });

  it('and the days until it is rated do not count as time of the run', () => {
    const facts = [...running([{ id: 't1' }]), starts('t1'), 40, succeeds('t1'), ends];
    const before = stateOf(...facts).activeMs;
    expect(stateOf(...facts, 86_400_000, rated(5)).activeMs).toBe(before);
  });
});

describe('what is counted', () => {
  it('of no runs is nothing, and not a division by zero', () => {
    expect(count()).toMatchObject({
      runs: 0,
      completionRate: null,
      cost: null,
      duration: null,
      satisfaction: null,
      modelCalls: { total: 0, perRun: 0 },
    });
  });

  it('tells the share of answered runs among those that have ended', () => {
    const failed: Fact = { type: 'run_finished', data: { outcome: 'failed' } };
    const { runs, outcomes, completionRate } = count(
      [started(), ends],
      [started(), ends],
      [started(), failed],
      [started(), asks('q1')],
      [started()],
    );
    expect(runs).toBe(5);
    expect(outcomes).toMatchObject({
      answered: 2,
      failed: 1,
      cancelled: 0,
      exhausted: 0,
      waiting: 1,
      open: 1,
    });
    expect(completionRate).toBeCloseTo(2 / 3);
  });

  it('tells which tool fails, by attempts, and which times out', () => {
    const flaky = { id: 't1', operation: 'net.get' };
    const slow = { id: 't2', operation: 'net.post', effect: 'write' as const };
    const lost: Fact = { type: 'task_in_doubt', data: { task: 't2', attempt: 1, cause: 'timeout' } };
    const { tools, timeouts } = count([
      ...running([flaky, slow]),
      starts('t1'),
      fails('t1', 1, { kind: 'timeout', retryable: true }),
      starts('t1', 2),
      succeeds('t1', 2),
      starts('t2'),
      lost,
    ]);
    expect(timeouts).toBe(2);
    expect(tools['net.get']).toEqual({ calls: 2, failed: 1, timeouts: 1, inDoubt: 0, errorRate: 0.5 });
    expect(tools['net.post']).toEqual({ calls: 1, failed: 0, timeouts: 1, inDoubt: 1, errorRate: 1 });
  });

  it('a call that was lost with its driver is in doubt, and no time-out', () => {
    const { tools } = count([
      ...running([{ id: 't1' }]),
      starts('t1'),
      inDoubt('t1'),
      resumed,
      starts('t1', 2),
    ]);
    expect(tools['box.t1']).toMatchObject({ calls: 2, inDoubt: 1, timeouts: 0 });
  });

  it('tells model calls, tokens, cost and the revisions', () => {
    const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, cost: 0.5 };
    const decided: Fact = { type: 'decision_made', data: { decision: 1, ms: 1, usage } };
    const first = [{ id: 't1' }];
    const second = [{ id: 't2' }];
    const revised: Fact = {
      type: 'plan_revised',
      data: {
        version: 2,
        by: 'mind',
        reason: 'r',
        changes: [{ kind: 'add', task: 't2' }],
        removes: [],
        tasks: [{ id: 't2', operation: 'box.t2', args: {} }],
      },
    };
    const counted = count(
      [started(), thinks(1), decided, proposes(first), approves(first), thinks(2), decides(2)],
      [
        ...[started(), thinks(1), decided, proposes(first), approves(first)],
        ...[thinks(2), decides(2), revised, approves(second, 2), ends],
      ],
    );
    expect(counted).toMatchObject({
      modelCalls: { total: 4, perRun: 2 },
      revisions: { total: 1, perRun: 0.5 },
      tokens: { input: 200, output: 40, cachedInput: 80 },
      cost: 1,
    });
  });

  it('tells mean and median of durations, of ended runs only, and the mean rating', () => {
    const lasting = (ms: number, ...more: Fact[]) => [started(), resumed, ms, ends, ...more];
    const counted = count(lasting(10, rated(5)), lasting(20), lasting(90, rated(2)), [
      started(),
      resumed,
      500,
      cancels,
    ]);
    expect(counted.duration).toEqual({ meanMs: 40, medianMs: 20 });
    expect(counted.satisfaction).toEqual({ mean: 3.5, count: 2 });
    expect(count(lasting(10), lasting(20)).duration).toEqual({ meanMs: 15, medianMs: 15 });
  });

  it('is the same in whatever order the runs are read', () => {
    const outcome = fc.constantFrom<Outcome>('answered', 'failed', 'cancelled', 'exhausted');
    const run = fc.record({ outcome, ms: fc.nat(1000), rating: fc.option(fc.integer({ min: 1, max: 5 })) });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 12 }), (runs) => {
        const facts = runs.map(({ outcome, ms, rating }) => [
          started(),
          resumed,
          ms,
          { type: 'run_finished', data: { outcome } } as Fact,
          ...(rating === null ? [] : [rated(rating)]),
        ]);
        expect(count(...facts.toReversed())).toEqual(count(...facts));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a series', () => {
  const HOUR = 3_600_000;
  const withUsage: Fact = {
    type: 'decision_made',
    data: { decision: 1, ms: 1, usage: { inputTokens: 100, outputTokens: 20, cost: 0.5 } },
  };
  /** Runs that started at some hour, counted by the hour or the day. */
  function series(options: Parameters<typeof createCounter>[0], ...runs: readonly (Fact | number)[][]) {
    const counter = createCounter(options);
    for (const facts of runs) addTo(counter, facts);
    return statisticsOf(counter.sums(), options?.every);
  }

  it('tells of each period what became of the runs that started in it, oldest first', () => {
    const flaky = [{ id: 't1', operation: 'net.get' }];
    const { series: periods } = series(
      { every: 'hour' },
      [5 * HOUR, started(), thinks(1), withUsage, ends, rated(4)],
      [2 * HOUR, ...running(flaky), starts('t1'), fails('t1', 1, { kind: 'timeout', retryable: true })],
      [5 * HOUR + 10, started(), resumed, 30, ends],
    );
    expect(periods).toMatchObject([
      { at: 2 * HOUR, outcomes: { open: 1, answered: 0 }, calls: 1, failed: 1, timeouts: 1, cost: null },
      {
        at: 5 * HOUR,
        outcomes: { open: 0, answered: 2 },
        ...{ ms: 30, modelCalls: 1, cost: 0.5, calls: 0, ratings: { sum: 4, count: 1 } },
        tokens: { input: 100, output: 20, cachedInput: 0 },
      },
    ]);
    expect(count([started(), ends])).not.toHaveProperty('series');
  });

  it('has days that begin when the reader says, so that a day is a day where they live', () => {
    const tokyo = 15 * HOUR;
    const { series: periods } = series(
      { every: 'day', from: tokyo },
      [38 * HOUR, started(), ends],
      [39 * HOUR, started(), ends],
    );
    expect(periods?.map(({ at }) => at)).toEqual([tokyo, tokyo + 24 * HOUR]);
  });

  it('adds up to the counts of all, however the periods are put together', () => {
    const hour = fc.nat(60);
    fc.assert(
      fc.property(fc.array(hour, { minLength: 1, maxLength: 10 }), (hours) => {
        const facts = hours.map((at) => [
          at * HOUR,
          started(),
          thinks(1),
          withUsage,
          ends,
          rated(1 + (at % 5)),
        ]);
        const counted = series({ every: 'day' }, ...facts);
        const all = (counted.series ?? []).reduce(addPeriods, emptyPeriod(0));
        expect(all).toMatchObject({
          outcomes: counted.outcomes,
          modelCalls: counted.modelCalls.total,
          tokens: counted.tokens,
          cost: counted.cost,
        });
        expect(all.ratings.sum / all.ratings.count).toBeCloseTo(counted.satisfaction?.mean ?? 0);
      }),
      { numRuns: 50 },
    );
  });
});
