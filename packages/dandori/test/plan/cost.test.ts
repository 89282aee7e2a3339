import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/model/event.ts';
import { decide } from '../../src/run/decide.ts';
import { fails, type Planned, running, starts, stateOf, succeeds } from '../run/facts.ts';

const dear = (...ids: string[]): Planned[] => ids.map((id) => ({ id, cost: 0.1 }));
const now = (...facts: Fact[]) => decide(stateOf(...facts), 0).filter(({ type }) => type !== 'wake_at');

describe('what tools cost', () => {
  it('is counted when a call starts, so that calls at once cannot overrun the limit together', () => {
    const facts = running(dear('a', 'b', 'c', 'd'), { limits: { cost: 0.3 } });
    expect(now(...facts)).toEqual([
      { type: 'start_task', task: 'a' },
      { type: 'start_task', task: 'b' },
      { type: 'start_task', task: 'c' },
    ]);
    const begun = [...facts, starts('a'), starts('b'), starts('c')];
    expect(stateOf(...begun).usage.cost).toBe(0.3);
    expect(now(...begun)).toEqual([]);
  });

  it('ends the run as exhausted where the rest cannot be paid for, and what is free goes on before', () => {
    const facts = running([...dear('a', 'b'), { id: 'free' }], { limits: { cost: 0.1 } });
    expect(now(...facts)).toEqual([
      { type: 'start_task', task: 'a' },
      { type: 'start_task', task: 'free' },
    ]);
    const rest = [...facts, starts('a'), succeeds('a'), starts('free'), succeeds('free')];
    expect(now(...rest)).toMatchObject([
      {
        type: 'finish',
        ending: {
          outcome: 'exhausted',
          missing: [
            { code: 'limit', params: { limit: 'cost', most: 0.1 } },
            { code: 'task', params: { task: 'b', name: 'box.b', status: 'not_done' } },
          ],
        },
      },
    ]);
  });

  it('is counted for each attempt, and not for a call that was never sent', () => {
    const facts = running(dear('a'), { limits: { cost: 0.25 }, task: { backoff: 0 } });
    const unsent = fails('a', 1, { kind: 'unavailable', retryable: true });
    expect(stateOf(...facts, starts('a'), unsent).usage.cost).toBe(0);
    const failed = (attempt: number) => fails('a', attempt, { retryable: true });
    const twice = [...facts, starts('a'), failed(1), starts('a', 2), failed(2)];
    expect(stateOf(...twice).usage.cost).toBe(0.2);
    expect(now(...twice)).toMatchObject([{ type: 'think', purpose: 'conclude' }]);
  });
});

describe('a retry', () => {
  it('is started by its rank, like everything else', () => {
    const facts = running(
      [
        { id: 'a', rank: 1 },
        { id: 'b', rank: 9 },
        { id: 'c', rank: 5 },
      ],
      { concurrency: 1, task: { backoff: 0 } },
    );
    const again = fails('a', 1, { retryable: true });
    const order = [...facts, starts('a'), again];
    expect(now(...order)).toEqual([{ type: 'start_task', task: 'b' }]);
    expect(now(...order, starts('b'), succeeds('b'))).toEqual([{ type: 'start_task', task: 'c' }]);
    expect(now(...order, starts('b'), succeeds('b'), starts('c'), succeeds('c'))).toEqual([
      { type: 'start_task', task: 'a' },
    ]);
  });
});
