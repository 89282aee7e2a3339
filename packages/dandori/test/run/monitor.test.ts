import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/model/failure.ts';
import { backoff } from '../../src/model/settings.ts';
import type { Effect } from '../../src/model/tool.ts';
import { judge } from '../../src/run/monitor.ts';
import { SETTINGS } from './facts.ts';

const verdict = (effect: Effect, failure: Partial<Failure>, attempts = 1) =>
  judge({ effect, attempts, failure: { kind: 'tool_error', message: '', ...failure }, settings: SETTINGS });

describe('a new try', () => {
  it.each<[string, Effect, Partial<Failure>, number, object]>([
    ['a read that may work later', 'read', { retryable: true }, 1, { kind: 'retry', delay: 100 }],
    ['with a longer wait each time', 'read', { retryable: true }, 2, { kind: 'retry', delay: 200 }],
    ['not more often than allowed', 'read', { retryable: true }, 3, { kind: 'stop' }],
    ['not where it cannot help', 'read', {}, 1, { kind: 'stop' }],
    [
      'an idempotent call carries the same key',
      'idempotent',
      { retryable: true },
      1,
      { kind: 'retry', delay: 100 },
    ],
    ['never a write that may have happened', 'write', { retryable: true }, 1, { kind: 'stop' }],
    ['never a destructive one', 'destructive', { retryable: true, kind: 'timeout' }, 1, { kind: 'stop' }],
    [
      'a write that was never sent',
      'write',
      { retryable: true, kind: 'unavailable' },
      1,
      { kind: 'retry', delay: 100 },
    ],
    [
      'not before the server says',
      'read',
      { retryable: true, retryAfter: 5_000 },
      1,
      { kind: 'retry', delay: 5_000 },
    ],
  ])('%s', (_, effect, failure, attempts, expected) => {
    expect(verdict(effect, failure, attempts)).toEqual(expected);
  });

  it('waits a minute at most', () => {
    expect(backoff(100, 50)).toBe(60_000);
    expect(backoff(0, 5_000)).toBe(0);
  });
});
