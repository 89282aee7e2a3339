import type { DrivingState } from '../client/api.ts';
import type { Report } from '../core/report.ts';
import type { Dandori } from '../dandori.ts';
import { DandoriError } from '../domain/error.ts';

/**
 * Drives runs in this process.
 *
 * V1  At most so many at once; others wait their turn, first come, first served. A run that only holds calls open for a
 *     person has given its place free; when it is answered it goes on at once, whether or not there is one.
 * V2  A run that only a person can go on with has no driver. It is taken up again when somebody writes to it, here or
 *     in another process, and when a question of it expires. So is one that another process drove, once that one is
 *     silent behind its last word.
 * V3  A wake that comes while a run is driven is not lost: the run is looked at once more.
 * V4  When it is told to stop it begins nothing more; what is left is in the journal, and the next start goes on.
 */
export interface Driving {
  wake(run: string): void;
  stateOf(run: string): DrivingState;
  readonly count: { readonly driving: number; readonly queued: number };
  readonly isStopping: boolean;
  /** Wakes all runs that have not ended. */
  takeUp(): Promise<void>;
  /** Comes back when no run is driven any more, at the latest when the grace period is over and calls have stopped. */
  stop(grace: number): Promise<void>;
}

export interface DrivingOptions {
  readonly dandori: Pick<Dandori, 'drive' | 'watch' | 'runs'>;
  readonly atOnce: number;
  readonly onState?: (run: string, state: DrivingState) => void;
  /** A run that cannot be driven, and why. */
  readonly onTrouble?: (run: string, error: unknown) => void;
}

const OPEN: readonly string[] = ['open', 'waiting', 'paused'];
const PAGE = 500;
/** Milliseconds without a word after which a run that another process drives is tried again. */
const QUIET = 1_000;
/** As long as a timer can be; then it is looked at again. */
const LONGEST_TIMER = 2 ** 31 - 1;

export function createDriving({ dandori, atOnce, onState, onTrouble }: DrivingOptions): Driving {
  const queue = new Set<string>();
  const driven = new Map<string, { isWanted: boolean; isTouched: boolean }>();
  const holding = new Set<string>();
  const elsewhere = new Set<string>();
  const watches = new Map<string, () => void>();
  const timers = new Map<string, NodeJS.Timeout>();
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
    const current = { isWanted: false, isTouched: false };
    driven.set(run, current);
    onState?.(run, 'driving');
    clearTimeout(timers.get(run));
    timers.delete(run);
    elsewhere.delete(run);
    let isOpen = false;
    try {
      // From before the drive, so that nothing is missed that another process writes right behind it.
      watch(run);
      const report = await dandori.drive(run, {
        soon: soon.signal,
        now: now.signal,
        onHold: (isHolding) => hold(run, isHolding),
      });
      isOpen = OPEN.includes(report.outcome);
      if (isOpen) wakeAtExpiry(run, report);
      else unwatch(run);
    } catch (error) {
      if (isDrivenElsewhere(error)) elsewhere.add(run);
      else {
        unwatch(run);
        onTrouble?.(run, error);
      }
    }
    driven.delete(run);
    holding.delete(run);
    // Its own writes touch it too, so one look too many is taken; that look writes nothing.
    if (current.isWanted || (current.isTouched && isOpen)) wake(run);
    else if (current.isTouched && elsewhere.has(run)) wakeAfter(run, QUIET);
    if (!queue.has(run)) onState?.(run, driven.has(run) ? 'driving' : 'idle');
    pump();
    if (driven.size === 0) whenQuiet?.();
  }

  function hold(run: string, isHolding: boolean): void {
    if (!isHolding) return void holding.delete(run);
    holding.add(run);
    pump();
  }

  function watch(run: string): void {
    if (watches.has(run)) return;
    watches.set(
      run,
      dandori.watch(run, () => touched(run)),
    );
  }

  function touched(run: string): void {
    const current = driven.get(run);
    if (current !== undefined) current.isTouched = true;
    else if (elsewhere.has(run)) wakeAfter(run, QUIET);
    else wake(run);
  }

  function unwatch(run: string): void {
    watches.get(run)?.();
    watches.delete(run);
  }

  function wakeAtExpiry(run: string, { questions }: Report): void {
    const next = Math.min(...questions.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
    if (next === Number.POSITIVE_INFINITY) return;
    wakeAfter(run, Math.min(Math.max(next - Date.now(), 0) + 1, LONGEST_TIMER));
  }

  function wakeAfter(run: string, ms: number): void {
    clearTimeout(timers.get(run));
    if (!soon.signal.aborted) timers.set(run, setTimeout(() => wake(run), ms).unref());
  }

  return {
    wake,
    stateOf: (run) => (driven.has(run) ? 'driving' : queue.has(run) ? 'queued' : 'idle'),
    get count() {
      return { driving: driven.size, queued: queue.size };
    },
    get isStopping() {
      return soon.signal.aborted;
    },
    async takeUp() {
      const open: string[] = [];
      for (let before: string | undefined; ; ) {
        const page = await dandori.runs({ limit: PAGE, before });
        for (const { run, status } of page) if (OPEN.includes(status)) open.push(run);
        before = page.at(-1)?.run;
        if (before === undefined) break;
      }
      // The oldest has waited longest.
      for (const run of open.reverse()) wake(run);
    },
    async stop(grace) {
      soon.abort();
      queue.clear();
      for (const timer of timers.values()) clearTimeout(timer);
      const over = setTimeout(() => now.abort(), grace);
      if (driven.size > 0)
        await new Promise<void>((resolve) => {
          whenQuiet = resolve;
        });
      clearTimeout(over);
      for (const run of [...watches.keys()]) unwatch(run);
    },
  };
}

/** For what would begin something. */
export function refuseStopping({ isStopping }: Pick<Driving, 'isStopping'>): void {
  if (!isStopping) return;
  throw new DandoriError('server-stopping', 'The server is stopping and takes nothing new.', {
    fix: 'Send it again with the same Idempotency-Key in a moment.',
  });
}

function isDrivenElsewhere(error: unknown): boolean {
  return error instanceof DandoriError && error.code === 'run-driven-elsewhere';
}
