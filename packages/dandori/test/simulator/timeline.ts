import type { Clock } from '../../src/model/clock.ts';
import { type Queued, ReadyQueue } from '../../src/plan/ready-queue.ts';
import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';

/**
 * The time of the simulation. It moves from event to event, and events due at the same time occur in random
 * order. Processes read the wall clock, which can be set separately.
 */
export interface Timeline {
  readonly now: number;
  /** The time of the wall clock. */
  readonly wall: number;
  after(ms: number, happen: () => void): () => void;
  /** Runs everything that needs no time, then the next event. False if there is none. */
  step(): Promise<boolean>;
  /** Sets the wall clock forward or back. Running timers do not notice, as in Node. */
  jump(ms: number): void;
  clockFor(process: SimulatedProcess): Clock;
}

/** 2026-01-01, so that times look realistic. */
const START = 1_767_225_600_000;

/** After this many turns of the event loop, all woken code has registered its next wait. */
const TURNS = 2;
const LONGEST_IDLE = 10;

export function createTimeline(random: Random): Timeline {
  const queue = new ReadyQueue<{ readonly time: number; readonly happen: () => void }>();
  let now = START;
  let skew = 0;

  const earliest = () => {
    const [first] = queue.inOrder(() => true);
    return first;
  };

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
      at: (time, wake) => after(time - now - skew, () => process.whenAwake(wake)),
    }),
  };
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
