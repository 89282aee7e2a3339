import type { Clock } from '../../model/clock.ts';
import { type Queued, ReadyQueue } from '../../plan/ready-queue.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';

/**
 * The time of the simulation. It moves from one thing to the next, and what is due at the same moment comes in an
 * order of chance. What the processes take for the time is the wall clock, which can be set.
 */
export interface Timeline {
  readonly now: number;
  /** What a clock on the wall shows. */
  readonly wall: number;
  after(ms: number, happen: () => void): () => void;
  /** Lets everything run that needs no time, then the next thing happen. False where nothing is left to happen. */
  step(): Promise<boolean>;
  /** Sets the wall clock forward or back. Timers that run already do not notice, as those of Node do not. */
  jump(ms: number): void;
  clockFor(process: SimulatedProcess): Clock;
}

/** 2026-01-01, so that times look like times. */
const START = 1_767_225_600_000;

/** Turns of the event loop after which whatever was woken has asked for what it waits for next. */
const TURNS = 2;
const LONGEST_IDLE = 10;

export function createTimeline(random: Random): Timeline {
  const queue = new ReadyQueue<{ readonly time: number; readonly happen: () => void }>();
  let now = START;
  let skew = 0;

  const earliest = () => queue.inOrder(() => true).next().value ?? undefined;

  async function next(): Promise<Queued<{ time: number; happen: () => void }> | undefined> {
    await turns(TURNS);
    for (let idle = 0; idle < LONGEST_IDLE; idle++) {
      const first = earliest();
      if (first !== undefined) return first;
      await turns(1);
    }
    return undefined;
  }

  function after(ms: number, happen: () => void): () => void {
    const time = now + Math.max(0, ms);
    const entry = queue.add({ time, happen }, { lane: '', rank: -time, order: random.next() });
    return () => void queue.delete(entry);
  }

  return {
    get now() {
      return now;
    },
    get wall() {
      return now + skew;
    },
    after,
    async step() {
      const first = await next();
      if (first === undefined) return false;
      queue.delete(first);
      now = first.item.time;
      first.item.happen();
      return true;
    },
    jump(ms) {
      skew += ms;
    },
    clockFor: (process) => ({
      now: () => now + skew,
      at: (time, wake) => after(time - now - skew, () => process.isAlive && wake()),
    }),
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
