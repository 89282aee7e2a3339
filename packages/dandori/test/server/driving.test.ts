import { describe, expect, it } from 'vitest';
import type { Report } from '../../src/core/report.ts';
import type { RunSummary } from '../../src/dandori.ts';
import { DandoriError } from '../../src/domain/error.ts';
import { createDriving } from '../../src/server/driving.ts';
import { until } from './standing.ts';

/** Drives that end when the test says so. */
function createYard(summaries: readonly Partial<RunSummary>[] = []) {
  const begun: string[] = [];
  const ends = new Map<string, (outcome: Report['outcome'], questions?: { expiresAt?: number }[]) => void>();
  const refusals = new Map<string, () => void>();
  const holds = new Map<string, (isHolding: boolean) => void>();
  const watchers = new Map<string, () => void>();
  const states: string[] = [];
  const driving = createDriving({
    atOnce: 2,
    onState: (run, state) => states.push(`${run} ${state}`),
    dandori: {
      drive: (run, { soon, onHold } = {}) =>
        new Promise((resolve, reject) => {
          begun.push(run);
          refusals.set(run, () => reject(new DandoriError('run-driven-elsewhere', 'It is driven.')));
          holds.set(run, onHold ?? (() => {}));
          const end = (outcome: string, questions: object[] = []) =>
            resolve({ run, outcome, questions } as unknown as Report);
          ends.set(run, end);
          soon?.addEventListener('abort', () => end('open'));
        }),
      watch: (run, changed) => {
        watchers.set(run, changed);
        return () => watchers.delete(run);
      },
      runs: async ({ before } = {}) => (before === undefined ? (summaries as RunSummary[]) : []),
    },
  });
  const hasBegun = (...runs: string[]) =>
    until(() => (JSON.stringify(begun) === JSON.stringify(runs) ? true : undefined));
  return { driving, begun, ends, refusals, holds, watchers, states, hasBegun };
}

describe('driving', () => {
  it('V1: has so many at once, and the next in the order in which they came', async () => {
    const { driving, ends, hasBegun } = createYard();
    for (const run of ['a', 'b', 'c', 'd', 'c']) driving.wake(run);
    expect(driving.count).toEqual({ driving: 2, queued: 2 });
    expect(['a', 'b', 'c', 'e'].map(driving.stateOf)).toEqual(['driving', 'driving', 'queued', 'idle']);
    ends.get('b')?.('answered');
    await hasBegun('a', 'b', 'c');
    ends.get('a')?.('failed');
    await hasBegun('a', 'b', 'c', 'd');
  });

  it('V1: gives the place of a run that only waits for a person to the next one', async () => {
    const { driving, ends, holds, hasBegun } = createYard();
    for (const run of ['a', 'b', 'c', 'd']) driving.wake(run);
    holds.get('a')?.(true);
    await hasBegun('a', 'b', 'c');
    expect(driving.stateOf('a')).toBe('driving');
    // It was answered, and goes on at once; the next one waits for two to end.
    holds.get('a')?.(false);
    ends.get('b')?.('answered');
    await until(() => (driving.stateOf('b') === 'idle' ? true : undefined));
    expect(driving.stateOf('d')).toBe('queued');
    ends.get('c')?.('answered');
    await hasBegun('a', 'b', 'c', 'd');
  });

  it('V2: takes a waiting run up when somebody writes to it, and one that has ended not', async () => {
    const { driving, ends, watchers, hasBegun } = createYard();
    driving.wake('a');
    ends.get('a')?.('waiting');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    watchers.get('a')?.();
    await hasBegun('a', 'a');
    ends.get('a')?.('answered');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    expect(watchers.size).toBe(0);
  });

  it('V2: looks at a run again when a question of it expires', async () => {
    const { driving, ends, hasBegun } = createYard();
    driving.wake('a');
    ends.get('a')?.('waiting', [{ expiresAt: Date.now() + 50 }, {}]);
    await hasBegun('a', 'a');
  });

  it('V2: takes up what another process drove, when that one has said its last word', async () => {
    const { driving, ends, refusals, watchers, hasBegun } = createYard();
    const isIdle = () => until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    driving.wake('a');
    refusals.get('a')?.();
    await isIdle();
    for (let count = 0; count < 5; count++) watchers.get('a')?.();
    await hasBegun('a', 'a');
    // It writes once more while it is looked whether it has gone.
    watchers.get('a')?.();
    refusals.get('a')?.();
    await isIdle();
    await hasBegun('a', 'a', 'a');
    ends.get('a')?.('answered');
    await isIdle();
    expect(watchers.size).toBe(0);
  });

  it('V3: forgets no wake that comes while a run is driven, not even while it ends', async () => {
    const { driving, ends, hasBegun, begun } = createYard();
    driving.wake('a');
    driving.wake('a');
    ends.get('a')?.('exhausted');
    await hasBegun('a', 'a');
    ends.get('a')?.('answered');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    expect(begun).toHaveLength(2);
  });

  it('V4: begins nothing once it is told to stop, and comes back when all have left', async () => {
    const { driving, begun } = createYard();
    for (const run of ['a', 'b', 'c']) driving.wake(run);
    await driving.stop(10_000);
    driving.wake('d');
    expect(begun).toEqual(['a', 'b']);
    expect(driving.count).toEqual({ driving: 0, queued: 0 });
  });

  it('takes up what has not ended, the oldest first', async () => {
    const yard = createYard([
      { run: '4', status: 'answered' },
      { run: '3', status: 'open', conversation: 'c1' },
      { run: '2', status: 'waiting' },
      { run: '1', status: 'open' },
    ]);
    await yard.driving.takeUp();
    await yard.hasBegun('1', '2');
    yard.ends.get('1')?.('answered');
    await yard.hasBegun('1', '2', '3');
  });
});
