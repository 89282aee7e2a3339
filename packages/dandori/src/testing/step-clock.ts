import type { Clock } from '../model/clock.ts';
import { type Queued, ReadyQueue } from '../plan/ready-queue.ts';

/** A clock that moves only when it is told to, so that a test of an hour takes no time and always goes the same way. */
export interface StepClock extends Clock {
  /** Moves on and wakes whoever waited for a time up to then, in order. */
  advance(ms: number): Promise<void>;
  /** Moves from timer to timer until the work is done. Throws where it waits for something that no timer brings. */
  runUntil<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly time: number;
  readonly wake: () => void;
}

export function createStepClock(start = 1_000_000): StepClock {
  let now = start;
  let count = 0;
  // A queue that gives the largest rank first gives the earliest time first where the rank is less the later it is.
  const queue = new ReadyQueue<Timer>();

  function earliest(): Queued<Timer> | undefined {
    return queue.inOrder(() => true).next().value ?? undefined;
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

/** Lets everything run that can run without time passing; file work included, hence the turns of the event loop. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
