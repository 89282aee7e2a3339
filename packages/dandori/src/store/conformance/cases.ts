import assert from 'node:assert/strict';
import { type Event, eventOf, type Fact } from '../../model/event.ts';

/** Opens a fresh part of a store for one case. It is deleted after the case. */
export type Open<T> = () => Promise<AsyncDisposable & T>;

export interface StoreCase {
  readonly name: string;
  run(): Promise<void>;
}

export function casesOf<T>(
  checks: Readonly<Record<string, (part: T) => Promise<void>>>,
  open: Open<{ readonly part: T }>,
): StoreCase[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      await using opened = await open();
      await check(opened.part);
    },
  }));
}

export async function rejects(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error: Error & { code?: string }) => {
    assert.equal(error.code, code, error.stack);
    return true;
  });
}

/** `next` resolves at the next ring, and rejects if none comes in time. */
export function createBell(): { ring: () => void; next: () => Promise<void> } {
  let resolve: () => void = () => {};
  return {
    ring: () => resolve(),
    next: () =>
      new Promise((done, fail) => {
        const timer = setTimeout(() => fail(new Error('The append was not announced.')), 60_000);
        resolve = () => {
          clearTimeout(timer);
          done();
        };
      }),
  };
}

const START: Fact = {
  type: 'run_started',
  data: {
    goal: 'test',
    mind: 'test',
    settings: {
      mode: 'auto',
      approval: 'never',
      concurrency: 1,
      limits: { steps: 1, calls: 1, tasks: 1, time: 1 },
      task: { timeoutMs: 1, attempts: 1, backoff: 0 },
      repairs: 0,
      order: [],
    },
  },
};

export function eventAt(
  run: string,
  seq: number,
  fact: Fact = { type: 'run_resumed', data: { by: `driver ${seq}` } },
): Event {
  return eventOf(fact, { run, seq, at: 1_000 + seq });
}

export function firstEvent(run: string, goal = 'test', userId?: string): Event {
  const data = { ...START.data, goal, ...(userId !== undefined && { userId }) };
  return eventAt(run, 1, { ...START, data } as Fact);
}
