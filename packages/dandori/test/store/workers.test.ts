import { describe, expect, it } from 'vitest';
import { type WorkerNow, warningsAbout } from '../../src/store/dispatcher/worker-overview.ts';

const worker = (name: string, config: string): WorkerNow => ({
  name,
  config,
  isThis: false,
  role: 'work',
  version: '1',
  startedAt: 0,
  leaseUntil: null,
  isAlive: true,
  clockOffsetMs: 0,
  runs: [],
  driving: 0,
});

describe('a warning about processes that differ', () => {
  it('names those that are unlike most, so that an operator knows which to look at', () => {
    const three = [worker('a', 'x'), worker('b', 'y'), worker('c', 'x')];
    expect(warningsAbout(three)).toEqual([{ kind: 'config', workers: ['b'] }]);
    expect(warningsAbout(three.slice(0, 2))).toEqual([{ kind: 'config', workers: ['a', 'b'] }]);
    expect(warningsAbout([worker('a', 'x'), worker('c', 'x')])).toEqual([]);
  });
});
