import { type Runtime, systemClock } from '../app/index.ts';
import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import { listAll, type RunSummary } from '../store/index.ts';
import type { Report } from '../views/report.ts';
import type { DrivingState } from './api.ts';

/**
 * Drives runs in this process.
 *
 * V1  At most `atOnce` runs are driven at the same time. The others wait in a queue, first come, first
 *     served. A run that only holds calls open for a person gives up its place. It continues at once when it
 *     is answered.
 * V2  A run that waits for a person has no driver. It is driven again after a write by any process, and when
 *     a question expires. If another process drove it, this server tries again once that process is silent. A
 *     sweep finds runs whose driver died. A store with leases says at once which runs have lost theirs.
 * V3  A wake during a drive is not lost. The run is driven once more afterwards.
 * V4  After `stop`, no drive starts. Unfinished work is in the journal, and the next start continues it.
 * V5  A run that fails to drive is retried with growing delays until it succeeds. Other runs do not wait for
 *     it.
 */
export interface Driving {
  wake(run: string): void;
  stateOf(run: string): DrivingState;
  /** `retrying` counts the runs to be retried, plus one if the runs cannot be listed. */
  readonly count: { readonly driving: number; readonly queued: number; readonly retrying: number };
  readonly isStopping: boolean;
  /** Wakes all runs that have not ended, then sweeps regularly. If listing the runs fails, it is retried. */
  resumeAll(): Promise<void>;
  /** Resolves when no run is driven. After `grace` milliseconds the running calls are aborted. */
  stop(grace: number): Promise<void>;
}

interface DrivingOptions {
  readonly dandori: Pick<Runtime, 'drive' | 'watch' | 'runs'>;
  readonly atOnce: number;
  readonly onState?: (run: string, state: DrivingState) => void;
  readonly clock?: Clock;
  /** Overrides some of the default delays. */
  readonly patience?: Partial<typeof PATIENCE> | undefined;
  /**
   * Reports what failed, and the delay before the retry in milliseconds. `run` is undefined if listing
   * failed.
   */
  readonly onTrouble?: (trouble: Trouble) => void;
  /** Runs whose driver has lost its lease. Without it, only sweeps find runs without a driver. */
  readonly stranded?: (() => Promise<readonly string[]>) | undefined;
  /** Called with each sweep, to resume other unfinished work. */
  readonly onSweep?: () => Promise<void>;
}

interface Trouble {
  readonly run: string | undefined;
  readonly error: unknown;
  readonly retryIn: number;
}

const OPEN: readonly string[] = ['open', 'waiting', 'paused'];
/** Delays in milliseconds. */
export const PATIENCE = {
  /** If a run is driven by another process: the time without writes before this server tries again. */
  quiet: 1_000,
  /** Before the first retry. Each later retry waits twice as long, up to `longestRetry`. */
  firstRetry: 1_000,
  longestRetry: 300_000,
  /** Between two sweeps. */
  sweep: 60_000,
  /** Between two questions for runs that have lost their driver. */
  look: 500,
  /** The time without writes after which a sweep checks an open run. */
  stranded: 30_000,
};
/** The pause after a sweep is at least this many times as long as the sweep itself. */
const LEAST_REST = 50;

export function createDriving(options: DrivingOptions): Driving {
  const { dandori, atOnce, onState, onTrouble, onSweep, stranded, clock = systemClock } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const queue = new Set<string>();
  const driven = new Map<string, { isWanted: boolean; isTouched: boolean }>();
  const holding = new Set<string>();
  const elsewhere = new Set<string>();
  const watches = new Map<string, () => void>();
  /** Functions that cancel the timer of a run. */
  const timers = new Map<string, () => void>();
  /** Failed attempts of each run since its last successful drive. */
  const failures = new Map<string, number>();
  /** Runs that were missing or unreadable. They may come back. */
  const lost = new Set<string>();
  /** Open runs that a sweep has checked, with the last event that each had then. */
  const looked = new Map<string, number>();
  /** Runs that a sweep has found and that this process has never driven. */
  const foreign = new Set<string>();
  let listFailures = 0;
  let hasListedAll = false;
  let forgetSweep = () => {};
  let forgetLook = () => {};
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
    forgetTimer(run);
    const isForeign = foreign.delete(run) && !elsewhere.has(run);
    elsewhere.delete(run);
    lost.delete(run);
    let isOpen = false;
    let hasFailed = false;
    try {
      // Watch before driving, so that no write of another process is missed.
      watch(run);
      const report = await dandori.drive(run, {
        soon: soon.signal,
        now: now.signal,
        onHold: (isHolding) => hold(run, isHolding),
      });
      failures.delete(run);
      isOpen = OPEN.includes(report.outcome);
      if (!isOpen) forget(run);
      else wakeAtExpiry(run, report);
    } catch (error) {
      if (isCode(error, 'run-driven-elsewhere')) {
        failures.delete(run);
        // The other driver is alive, so this server leaves the run to it.
        if (isForeign) forget(run);
        else elsewhere.add(run);
      } else {
        hasFailed = true;
        retryLater(run, error);
      }
    }
    driven.delete(run);
    holding.delete(run);
    // The drive's own writes also set `isTouched`, which costs one extra drive that writes nothing. After a
    // failure no write or wake may shorten the delay. Otherwise a run that fails after a write would be
    // retried in a hot loop.
    if (!hasFailed && (current.isWanted || (current.isTouched && isOpen))) wake(run);
    else if (!hasFailed && current.isTouched && elsewhere.has(run)) wakeAfter(run, patience.quiet);
    if (!queue.has(run)) onState?.(run, stateOf(run));
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
    else if (failures.has(run)) return;
    else if (elsewhere.has(run)) wakeAfter(run, patience.quiet);
    else wake(run);
  }

  function unwatch(run: string): void {
    watches.get(run)?.();
    watches.delete(run);
  }

  function forget(run: string): void {
    unwatch(run);
    failures.delete(run);
    looked.delete(run);
  }

  /** A missing run is not retried. If it comes back, a sweep finds it. */
  function retryLater(run: string, error: unknown): void {
    if (isCode(error, 'run-not-found')) {
      forget(run);
      lost.add(run);
      onTrouble?.({ run, error, retryIn: patience.sweep });
      return;
    }
    // The file may have been replaced by the time it is readable again.
    unwatch(run);
    const before = failures.get(run) ?? 0;
    failures.set(run, before + 1);
    // Only a person can repair the journal, so the longest delay is enough.
    const retryIn = isCode(error, 'journal-damaged') ? patience.longestRetry : retryAfter(before);
    wakeAfter(run, retryIn);
    onTrouble?.({ run, error, retryIn });
  }

  function wakeAtExpiry(run: string, { questions }: Report): void {
    const next = Math.min(...questions.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
    if (next !== Number.POSITIVE_INFINITY) wakeAfter(run, Math.max(next - clock.now(), 0) + 1);
  }

  function wakeAfter(run: string, ms: number): void {
    forgetTimer(run);
    if (!soon.signal.aborted)
      timers.set(
        run,
        clock.at(clock.now() + ms, () => wake(run)),
      );
  }

  function forgetTimer(run: string): void {
    timers.get(run)?.();
    timers.delete(run);
  }

  const allRuns = () => listAll({ list: dandori.runs, idOf: ({ run }: RunSummary) => run });

  async function wakeAll(): Promise<void> {
    const open: string[] = [];
    try {
      for await (const { run, status, parent } of allRuns()) {
        // A sub-goal is driven by its run.
        if (OPEN.includes(status) && parent === undefined) open.push(run);
        else if (status === 'damaged') lost.add(run);
      }
      hasListedAll = true;
    } finally {
      // Start with the oldest run, which has waited longest.
      for (const run of open.reverse()) wake(run);
    }
  }

  async function wakeAllStranded(): Promise<void> {
    for await (const summary of allRuns()) wakeIfStranded(summary);
  }

  /**
   * A silent open run has either no driver or a busy one. Driving it tells which, because a driver holds a
   * claim.
   */
  function wakeIfStranded({ run, status, lastAt, lastSeq, parent }: RunSummary): void {
    if (status === 'damaged') lost.add(run);
    if (
      parent !== undefined ||
      !OPEN.includes(status) ||
      driven.has(run) ||
      queue.has(run) ||
      failures.has(run)
    )
      return;
    const isBack = lost.has(run);
    const isSilent = status === 'open' && clock.now() - lastAt > patience.stranded;
    // A run that has not changed since the last check waits for a person, unless another process drove it.
    const isKnown = looked.get(run) === lastSeq && !elsewhere.has(run);
    if (!isBack && (!isSilent || isKnown)) return;
    looked.set(run, lastSeq);
    if (!watches.has(run)) foreign.add(run);
    wake(run);
  }

  async function sweep(): Promise<void> {
    const begun = clock.now();
    let next = patience.sweep;
    try {
      await (hasListedAll ? wakeAllStranded() : wakeAll());
      await onSweep?.();
      listFailures = 0;
    } catch (error) {
      next = Math.min(retryAfter(listFailures++), patience.sweep);
      onTrouble?.({ run: undefined, error, retryIn: next });
    }
    if (soon.signal.aborted) return;
    const rest = Math.max(next, (clock.now() - begun) * LEAST_REST);
    forgetSweep = clock.at(clock.now() + rest, () => void sweep());
  }

  /** All servers may see the same run. The one that gets the lease drives it, and the others leave it alone. */
  async function look(): Promise<void> {
    // If the store cannot be reached, the sweep reports it.
    for (const run of (await stranded?.().catch(() => [])) ?? []) {
      if (driven.has(run) || queue.has(run) || failures.has(run)) continue;
      if (!watches.has(run)) foreign.add(run);
      wake(run);
    }
    if (!soon.signal.aborted) forgetLook = clock.at(clock.now() + patience.look, () => void look());
  }

  function retryAfter(failed: number): number {
    return Math.min(patience.firstRetry * 2 ** failed, patience.longestRetry);
  }

  function stateOf(run: string): DrivingState {
    return driven.has(run) ? 'driving' : queue.has(run) ? 'queued' : failures.has(run) ? 'retrying' : 'idle';
  }

  return {
    wake,
    stateOf,
    get count() {
      const retrying = failures.size + Math.min(listFailures, 1);
      return { driving: driven.size, queued: queue.size, retrying };
    },
    get isStopping() {
      return soon.signal.aborted;
    },
    async resumeAll() {
      await sweep();
      if (stranded !== undefined) await look();
    },
    async stop(grace) {
      soon.abort();
      queue.clear();
      forgetSweep();
      forgetLook();
      for (const run of [...timers.keys()]) forgetTimer(run);
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

/** Called by routes that would start new work. */
export function refuseStopping({ isStopping }: Pick<Driving, 'isStopping'>): void {
  if (!isStopping) return;
  throw new DandoriError('server-stopping', 'The server is stopping and accepts no new work.', {
    fix: 'Send it again with the same Idempotency-Key in a moment.',
  });
}

function isCode(error: unknown, code: DandoriError['code']): boolean {
  return error instanceof DandoriError && error.code === code;
}
