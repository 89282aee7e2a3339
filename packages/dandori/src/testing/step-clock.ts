import { ReadyQueue } from '../core/ready-queue.ts';
import type { Clock } from '../ports/clock.ts';

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
  const timers = new Map<string, Timer>();
  // A queue that gives the largest rank first gives the earliest time first where the rank is less the later it is.
  const queue = new ReadyQueue();

  function takeBack(id: string): void {
    timers.delete(id);
    queue.delete(id);
  }

  function earliest(): string | undefined {
    return queue.inOrder(() => true).next().value ?? undefined;
  }

  async function fire(id: string): Promise<void> {
    const timer = timers.get(id);
    takeBack(id);
    if (timer === undefined) return;
    now = Math.max(now, timer.time);
    timer.wake();
    await settle();
  }

  return {
    now: () => now,
    at(time, wake) {
      const id = String(count++);
      timers.set(id, { time, wake });
      queue.add({ id, lane: '', rank: -time, order: count });
      return () => takeBack(id);
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let id = earliest(); id !== undefined; id = earliest()) {
        if ((timers.get(id)?.time ?? 0) > until) break;
        await fire(id);
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
