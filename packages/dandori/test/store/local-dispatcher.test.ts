import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/index.ts';
import { DandoriError } from '../../src/model/error.ts';
import { PATIENCE } from '../../src/store/dispatcher/dispatcher.ts';
import { createLocalDispatcher } from '../../src/store/dispatcher/local.ts';
import type { RunSummary } from '../../src/store/journal.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { until } from '../server/standing.ts';

/** Drives that end when the test says so. */
function createYard(summaries: readonly Partial<RunSummary>[] = []) {
  const begun: string[] = [];
  const ends = new Map<string, (outcome: string, wakeAt?: number) => void>();
  const refusals = new Map<string, () => void>();
  const holds = new Map<string, (isHolding: boolean) => void>();
  const watchers = new Map<string, () => void>();
  const states: string[] = [];
  const dispatcher = createLocalDispatcher({
    clock: systemClock,
    journal: {
      watch: (run, changed) => {
        watchers.set(run, changed);
        return () => watchers.delete(run);
      },
      list: async ({ before } = {}) => (before === undefined ? (summaries as RunSummary[]) : []),
    },
  });
  const driving = dispatcher.work(
    (run, { soon, onHold, onPark }) =>
      new Promise((resolve, reject) => {
        begun.push(run);
        refusals.set(run, () => reject(new DandoriError('run-driven-elsewhere', 'It is driven.')));
        holds.set(run, onHold);
        const end = (outcome: string, wakeAt?: number) => {
          onPark(wakeAt);
          resolve({ isOpen: ['open', 'waiting'].includes(outcome) });
        };
        ends.set(run, end);
        soon.addEventListener('abort', () => end('open'));
      }),
    { atOnce: 2, onState: (run, state) => states.push(`${run} ${state}`) },
  );
  const hasBegun = (...runs: string[]) =>
    until(() => (JSON.stringify(begun) === JSON.stringify(runs) ? true : undefined));
  return { driving, begun, ends, refusals, holds, watchers, states, hasBegun };
}

describe('driving', () => {
  it('D4: has so many at once, and the next in the order in which they came', async () => {
    const { driving, ends, hasBegun } = createYard();
    for (const run of ['a', 'b', 'c', 'd', 'c']) driving.take(run);
    expect(driving.count).toEqual({ driving: 2, queued: 2, retrying: 0 });
    expect(['a', 'b', 'c', 'e'].map(driving.stateOf)).toEqual(['driving', 'driving', 'queued', 'idle']);
    ends.get('b')?.('answered');
    await hasBegun('a', 'b', 'c');
    ends.get('a')?.('failed');
    await hasBegun('a', 'b', 'c', 'd');
  });

  it('D4: gives the place of a run that only waits for a person to the next one', async () => {
    const { driving, ends, holds, hasBegun } = createYard();
    for (const run of ['a', 'b', 'c', 'd']) driving.take(run);
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

  it('V1: drives a waiting run after a write to it, but not a run that has ended', async () => {
    const { driving, ends, watchers, hasBegun } = createYard();
    driving.take('a');
    ends.get('a')?.('waiting');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    watchers.get('a')?.();
    await hasBegun('a', 'a');
    ends.get('a')?.('answered');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    expect(watchers.size).toBe(0);
  });

  it('V1: looks at a run again when a question of it expires', async () => {
    const { driving, ends, hasBegun } = createYard();
    driving.take('a');
    ends.get('a')?.('waiting', Date.now() + 50);
    await hasBegun('a', 'a');
  });

  it('V1: drives a run of another process once that process is silent', async () => {
    const { driving, ends, refusals, watchers, hasBegun } = createYard();
    const isIdle = () => until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    driving.take('a');
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

  it('D1: forgets no wake that comes while a run is driven, not even while it ends', async () => {
    const { driving, ends, hasBegun, begun } = createYard();
    driving.take('a');
    driving.take('a');
    ends.get('a')?.('exhausted');
    await hasBegun('a', 'a');
    ends.get('a')?.('answered');
    await until(() => (driving.stateOf('a') === 'idle' ? true : undefined));
    expect(begun).toHaveLength(2);
  });

  it('D6: begins nothing once it is told to stop, and comes back when all have left', async () => {
    const { driving, begun } = createYard();
    for (const run of ['a', 'b', 'c']) driving.take(run);
    await driving.stop(10_000);
    driving.take('d');
    expect(begun).toEqual(['a', 'b']);
    expect(driving.count).toEqual({ driving: 0, queued: 0, retrying: 0 });
  });

  it('V2: drives runs that have not ended, the oldest first', async () => {
    const yard = createYard([
      { run: '4', status: 'answered' },
      { run: '3', status: 'open', conversation: 'c1' },
      { run: '2', status: 'waiting' },
      { run: '1', status: 'open' },
    ]);
    await yard.driving.begin();
    await yard.hasBegun('1', '2');
    yard.ends.get('1')?.('answered');
    await yard.hasBegun('1', '2', '3');
  });
});

/** Drives that end at once, in the way that `faults` says, on a clock that is moved by hand. */
function createTroubledYard(faults: Record<string, (time: number) => Error | undefined>) {
  const clock = createStepClock();
  const tries: string[] = [];
  const troubles: string[] = [];
  const watchers = new Map<string, () => void>();
  const listed: { summaries: Partial<RunSummary>[]; error?: Error | undefined } = { summaries: [] };
  const counts = new Map<string, number>();
  const dispatcher = createLocalDispatcher({
    clock,
    journal: {
      watch: (run, changed) => {
        watchers.set(run, changed);
        return () => watchers.delete(run);
      },
      async list({ before } = {}) {
        if (listed.error !== undefined) throw listed.error;
        return before === undefined ? (listed.summaries as RunSummary[]) : [];
      },
    },
  });
  const driving = dispatcher.work(
    async (run) => {
      tries.push(run);
      const count = (counts.get(run) ?? 0) + 1;
      counts.set(run, count);
      // What it wrote before it failed touches it, as a journal would say.
      watchers.get(run)?.();
      const error = faults[run]?.(count);
      if (error !== undefined) throw error;
      return { isOpen: false };
    },
    { atOnce: 2, onTrouble: ({ run, retryIn }) => troubles.push(`${run ?? 'list'} ${retryIn}`) },
  );
  return { driving, clock, tries, troubles, listed, watchers };
}

const full = () => new DandoriError('journal-unwritable', 'The disk is full.');
const refused = () => new DandoriError('run-driven-elsewhere', 'It is driven.');

describe('driving in trouble', () => {
  it('D5: tries again, later each time, and holds up no other run', async () => {
    const yard = createTroubledYard({ a: (time) => (time <= 12 ? full() : undefined) });
    yard.driving.take('a');
    yard.driving.take('b');
    await yard.clock.advance(0);
    expect(yard.tries).toEqual(['a', 'b']);
    expect(yard.driving.stateOf('a')).toBe('retrying');
    expect(yard.driving.count).toEqual({ driving: 0, queued: 0, retrying: 1 });
    await yard.clock.advance(PATIENCE.firstRetry);
    expect(yard.tries).toEqual(['a', 'b', 'a']);
    await yard.clock.advance(3_600_000);
    expect(yard.troubles).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300].map((seconds) => `a ${seconds * 1000}`),
    );
    expect(yard.tries).toHaveLength(14);
    expect(yard.driving.count.retrying).toBe(0);
    expect(yard.watchers.size).toBe(0);
  });

  it('D5: is not woken early by what a run writes before it fails, but by a request', async () => {
    const yard = createTroubledYard({ a: (time) => (time <= 3 ? full() : undefined) });
    yard.driving.take('a');
    await yard.clock.advance(0);
    for (let count = 0; count < 5; count++) yard.watchers.get('a')?.();
    await yard.clock.advance(0);
    expect(yard.tries).toHaveLength(1);
    yard.driving.take('a');
    await yard.clock.advance(0);
    expect(yard.tries).toHaveLength(2);
    await yard.clock.advance(3_600_000);
    expect(yard.tries).toHaveLength(4);
  });

  it('D5: looks at a damaged run rarely', async () => {
    const yard = createTroubledYard({ a: () => new DandoriError('journal-damaged', 'Line 3.') });
    yard.driving.take('a');
    await yard.clock.advance(3_600_000 - 1);
    expect(yard.tries).toHaveLength(3_600_000 / PATIENCE.longestRetry);
  });

  it('V1: finds what another process left without a word, and takes nothing from one that works', async () => {
    const yard = createTroubledYard({ dead: (time) => (time <= 3 ? refused() : undefined) });
    await yard.driving.begin();
    const at = yard.clock.now();
    yard.listed.summaries = [
      { run: 'waits', status: 'waiting', lastAt: at, lastSeq: 4 },
      { run: 'over', status: 'answered', lastAt: at, lastSeq: 9 },
      { run: 'dead', status: 'open', lastAt: at, lastSeq: 5 },
    ];
    await yard.clock.advance(PATIENCE.sweep * 3);
    expect(yard.tries).toEqual(['dead', 'dead', 'dead']);
    // It lives: nothing is watched, nothing counts as trouble.
    expect(yard.watchers.size).toBe(0);
    expect(yard.troubles).toEqual([]);
    await yard.clock.advance(PATIENCE.sweep);
    expect(yard.tries).toEqual(['dead', 'dead', 'dead', 'dead']);
  });

  it('V1: leaves a run alone that was begun just now, and one that it has looked at already', async () => {
    const yard = createTroubledYard({});
    await yard.driving.begin();
    const fresh = { run: 'fresh', status: 'open' as const, lastSeq: 1 };
    yard.listed.summaries = [{ ...fresh, lastAt: yard.clock.now() + PATIENCE.sweep }];
    await yard.clock.advance(PATIENCE.sweep);
    expect(yard.tries).toEqual([]);
    await yard.clock.advance(PATIENCE.sweep);
    expect(yard.tries).toEqual(['fresh']);
  });

  it('D5: drives runs that could not be listed or found, once they can', async () => {
    const gone = new DandoriError('run-not-found', 'There is no run.');
    const yard = createTroubledYard({ a: (time) => (time === 1 ? gone : undefined) });
    const at = yard.clock.now();
    yard.listed.error = new Error('EIO');
    await yard.driving.begin();
    expect(yard.driving.count.retrying).toBe(1);
    await yard.clock.advance(2 * PATIENCE.firstRetry);
    expect(yard.troubles).toEqual(['list 1000', 'list 2000']);
    yard.listed.error = undefined;
    yard.listed.summaries = [
      { run: 'b', status: 'damaged' },
      { run: 'a', status: 'waiting', lastAt: at, lastSeq: 3 },
    ];
    await yard.clock.advance(2 * PATIENCE.firstRetry);
    expect(yard.tries).toEqual(['a']);
    expect(yard.driving.count.retrying).toBe(0);
    // The file of one was away for a while, and that of the other could not be read.
    yard.listed.summaries = [
      { run: 'b', status: 'waiting', lastAt: at, lastSeq: 3 },
      { run: 'a', status: 'waiting', lastAt: at, lastSeq: 3 },
    ];
    await yard.clock.advance(PATIENCE.sweep);
    expect(yard.tries).toEqual(['a', 'b', 'a']);
  });

  it('D6: has no timer left once it has stopped', async () => {
    const yard = createTroubledYard({ a: full });
    await yard.driving.begin();
    yard.driving.take('a');
    await yard.clock.advance(0);
    await yard.driving.stop(0);
    await yard.clock.advance(3_600_000);
    expect(yard.tries).toEqual(['a']);
  });
});
