import type { Clock } from '../model/clock.ts';
import { type Queued, ReadyQueue } from '../plan/ready-queue.ts';

/** A clock that moves only on request. A test of an hour takes no time and is deterministic. */
export interface StepClock extends Clock {
  /** Moves the time forward and fires the timers due until then, in order. */
  advance(ms: number): Promise<void>;
  /**
   * Moves from timer to timer until the work is done. Throws if the work waits for something other than a
   * timer.
   */
  runUntil<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly time: number;
  readonly wake: () => void;
}

export function createStepClock(start = 1_000_000): StepClock {
  let now = start;
  let count = 0;
  // The queue returns the largest rank first, so later times get smaller ranks.
  const queue = new ReadyQueue<Timer>();

  function earliest(): Queued<Timer> | undefined {
    const [first] = queue.inOrder(() => true);
    return first;
  }

  async function fire(entry: Queued<Timer>): Promise<void> {
    queue.delete(entry);
    now = Math.max(now, entry.item.time);
    entry.item.wake();
    await settle();
  }

  return {
    now: () => now,
    at(time, wake) {
      const entry = queue.add({ time, wake }, { lane: '', rank: -time, order: count++ });
      return () => void queue.delete(entry);
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let next = earliest(); next !== undefined; next = earliest()) {
        if (next.item.time > until) break;
        await fire(next);
      }
      now = until;
    },
    async runUntil(work) {
      let isDone = false;
      const finish = () => {
        isDone = true;
      };
      work.then(finish, finish);
      for (let idle = 0; !isDone; ) {
        await settle();
        const next = earliest();
        if (isDone) break;
        if (next !== undefined) {
          await fire(next);
          idle = 0;
        } else if (++idle > 1000) throw new Error('The work waits for something that no timer brings.');
      }
      return work;
    },
  };
}

/** Runs everything that needs no time to pass. File I/O needs turns of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
