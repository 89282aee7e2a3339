import type { SimulatedProcess } from './machine.ts';
import type { Random } from './random.ts';
import type { Timeline } from './timeline.ts';

/**
 * Leases as a database gives them, by its own time. A process holds its lease by renewals. Whatever keeps it from
 * renewing ends the lease, also while the process still believes in it. A process gives up by its own clock, which
 * may run slowly.
 *
 * Renewals that succeed are not simulated: they change nothing.
 */
export interface Leases {
  begin(by: SimulatedProcess): Lease;
  /** The database ends the leases of the process early, for example because its clock was set forward. */
  end(by: SimulatedProcess): void;
  /** The process cannot reach the database for some time. */
  cutOff(by: SimulatedProcess): void;
  /** The process stands still for some time. */
  stop(by: SimulatedProcess): void;
  /** Resolves when the process can reach the database. */
  reach(by: SimulatedProcess): Promise<void>;
}

export interface Lease {
  /** Whether another process may take the run. */
  readonly isFree: boolean;
  /** Aborted when the process knows that its lease is over. Reading it also looks at the clock. */
  readonly lost: AbortSignal;
  release(): void;
}

interface Term {
  isFree: boolean;
  givesUpAt: number;
  readonly controller: AbortController;
}

interface LeasesParts {
  readonly random: Random;
  readonly timeline: Timeline;
  /** A run can be taken from a process that is alive. */
  readonly onFree: () => void;
}

/** Milliseconds. */
const TTL = 3_000;
const LONGEST_SILENCE = 8_000;
const RENEWALS = 6;
/**
 * Two clocks do not run at the same speed. Above 1.5 a process gives up too late: it may still make a call that it has
 * just journaled, while another process finds that the call was not made. No check before the call could prevent that.
 */
const SPEEDS = [0.9, 1, 1, 1.1, 1.4] as const;

export function createSimulatedLeases({ random, timeline, onFree }: LeasesParts): Leases {
  const terms = new Map<SimulatedProcess, Set<Term>>();
  const back = new Map<SimulatedProcess, Promise<void>>();
  const heldBy = (by: SimulatedProcess) => [...(terms.get(by) ?? [])];

  function free(by: SimulatedProcess, held: readonly Term[]): void {
    for (const term of held) term.isFree = true;
    if (held.length > 0 && by.isAlive) onFree();
  }

  function learn(by: SimulatedProcess, held: readonly Term[]): void {
    by.whenAwake(() => {
      for (const { controller } of held) controller.abort();
    });
  }

  /** No renewal arrives for so long. */
  function silence(by: SimulatedProcess, ms: number): void {
    const held = heldBy(by);
    const renewed = random.below(TTL / RENEWALS);
    const isOver = ms > TTL - renewed;
    const patience = ((TTL * 2) / 3) * random.pick(SPEEDS) - renewed;
    for (const term of held) term.givesUpAt = timeline.now + patience;
    if (isOver) timeline.after(TTL - renewed, () => free(by, held));
    // At the latest the first renewal after the silence tells it.
    if (isOver || patience < ms) timeline.after(Math.min(patience, ms), () => learn(by, held));
    timeline.after(ms, () => {
      for (const term of held) term.givesUpAt = Number.POSITIVE_INFINITY;
    });
  }

  return {
    begin(by) {
      const term: Term = {
        isFree: false,
        givesUpAt: Number.POSITIVE_INFINITY,
        controller: new AbortController(),
      };
      const mine = terms.get(by) ?? new Set();
      terms.set(by, mine.add(term));
      return {
        get isFree() {
          return term.isFree || !by.isAlive;
        },
        get lost() {
          if (timeline.now >= term.givesUpAt) term.controller.abort();
          return term.controller.signal;
        },
        release: () => void mine.delete(term),
      };
    },
    end(by) {
      const held = heldBy(by);
      timeline.after(random.below(TTL / RENEWALS), () => learn(by, held));
      free(by, held);
    },
    cutOff(by) {
      const ms = random.between(1, LONGEST_SILENCE);
      back.set(by, new Promise((resolve) => timeline.after(ms, resolve)));
      silence(by, ms);
    },
    stop(by) {
      const ms = random.between(1, LONGEST_SILENCE);
      by.stop();
      silence(by, ms);
      timeline.after(ms, by.goOn);
    },
    reach: (by) => back.get(by) ?? Promise.resolve(),
  };
}
