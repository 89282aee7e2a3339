import { DandoriError } from '../../model/error.ts';
import type { Drive, DrivingState, Patience, Trouble, Working } from './dispatcher.ts';

/** How a drive ended. */
export type Ended =
  | { readonly kind: 'parked'; readonly isOpen: boolean; readonly wakeAt: number | undefined }
  /** Another driver has the run. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'missing'; readonly error: unknown }
  | { readonly kind: 'failed'; readonly retryIn: number };

interface PlacesOptions {
  readonly drive: Drive;
  readonly atOnce: number;
  readonly patience: Patience;
  readonly onState?: ((run: string, state: DrivingState) => void) | undefined;
  readonly onTrouble?: ((trouble: Trouble) => void) | undefined;
  /** Called before each drive. */
  readonly begun?: (run: string) => void;
  /** Called after each drive. `isWanted`: the run was woken while it was driven. */
  readonly ended: (run: string, how: Ended, isWanted: boolean) => void;
}

/** The runs that one process drives and queues. Every dispatcher drives through these. */
export interface Places extends Omit<Working, 'begin' | 'take' | 'count'> {
  /** While the looks for due runs fail, that counts as one more retry. */
  countWith(failedLooks: number): Working['count'];
  /** Drives the run when there is a place. A wake-up during a drive is not lost: `ended` gets it as `isWanted`. */
  wake(run: string): void;
  /** How many more runs could be driven now. */
  readonly free: number;
  readonly signal: AbortSignal;
}

export function createPlaces(options: PlacesOptions): Places {
  const { drive, atOnce, patience, onState, onTrouble, begun, ended } = options;
  const queue = new Set<string>();
  const driven = new Map<string, { isWanted: boolean }>();
  const holding = new Set<string>();
  /** Failed attempts of each run since its last successful drive. */
  const failures = new Map<string, number>();
  const soon = new AbortController();
  const now = new AbortController();
  let whenQuiet: (() => void) | undefined;

  function wake(run: string): void {
    const current = driven.get(run);
    if (current !== undefined) current.isWanted = true;
    else if (!soon.signal.aborted && !queue.has(run)) {
      queue.add(run);
      if (!hasPlace()) onState?.(run, 'queued');
      pump();
    }
  }

  function hasPlace(): boolean {
    return driven.size - holding.size < atOnce && !soon.signal.aborted;
  }

  function pump(): void {
    for (const run of queue) {
      if (!hasPlace()) return;
      queue.delete(run);
      void driveOne(run);
    }
  }

  async function driveOne(run: string): Promise<void> {
    const current = { isWanted: false };
    driven.set(run, current);
    onState?.(run, 'driving');
    begun?.(run);
    const how = await driveTo(run);
    driven.delete(run);
    holding.delete(run);
    ended(run, how, current.isWanted);
    if (!queue.has(run)) onState?.(run, stateOf(run));
    pump();
    if (driven.size === 0) whenQuiet?.();
  }

  async function driveTo(run: string): Promise<Ended> {
    let wakeAt: number | undefined;
    try {
      const { isOpen } = await drive(run, {
        soon: soon.signal,
        now: now.signal,
        onHold: (isHolding) => hold(run, isHolding),
        onPark: (at) => {
          wakeAt = at;
        },
      });
      failures.delete(run);
      return { kind: 'parked', isOpen, wakeAt };
    } catch (error) {
      return failed(run, error);
    }
  }

  function failed(run: string, error: unknown): Ended {
    if (isCode(error, 'run-driven-elsewhere')) {
      failures.delete(run);
      return { kind: 'elsewhere' };
    }
    if (isCode(error, 'run-not-found')) {
      failures.delete(run);
      return { kind: 'missing', error };
    }
    const before = failures.get(run) ?? 0;
    failures.set(run, before + 1);
    // Only a person can repair the journal or start the program, so the longest delay is enough.
    const isHopeless = isCode(error, 'journal-damaged') || isCode(error, 'tools-missing');
    const retryIn = isHopeless ? patience.longestRetry : retryAfter(before, patience);
    onTrouble?.({ run, error, retryIn });
    return { kind: 'failed', retryIn };
  }

  function hold(run: string, isHolding: boolean): void {
    if (!isHolding) return void holding.delete(run);
    holding.add(run);
    pump();
  }

  function stateOf(run: string): DrivingState {
    return driven.has(run) ? 'driving' : queue.has(run) ? 'queued' : failures.has(run) ? 'retrying' : 'idle';
  }

  return {
    wake,
    stateOf,
    get free() {
      return soon.signal.aborted ? 0 : Math.max(0, atOnce - (driven.size - holding.size) - queue.size);
    },
    countWith: (failedLooks) => ({
      driving: driven.size,
      queued: queue.size,
      retrying: failures.size + Math.min(failedLooks, 1),
    }),
    get isStopping() {
      return soon.signal.aborted;
    },
    signal: soon.signal,
    async stop(grace) {
      soon.abort();
      queue.clear();
      const over = setTimeout(() => now.abort(), grace);
      if (driven.size > 0)
        await new Promise<void>((resolve) => {
          whenQuiet = resolve;
        });
      clearTimeout(over);
    },
  };
}

export function retryAfter(failed: number, { firstRetry, longestRetry }: Patience): number {
  return Math.min(firstRetry * 2 ** failed, longestRetry);
}

function isCode(error: unknown, code: DandoriError['code']): boolean {
  return error instanceof DandoriError && error.code === code;
}
