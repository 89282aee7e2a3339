import { type Dandori, systemClock } from '../app/dandori.ts';
import type { Clock } from '../model/clock.ts';
import { DandoriError } from '../model/error.ts';
import { listAll, type RunSummary } from '../store/journal.ts';
import type { Report } from '../views/report.ts';
import type { DrivingState } from './api.ts';

/**
 * Drives runs in this process.
 *
 * V1  At most so many at once; others wait their turn, first come, first served. A run that only holds calls open for a
 *     person has given its place free; when it is answered it goes on at once, whether or not there is one.
 * V2  A run that only a person can go on with has no driver. It is taken up again when somebody writes to it, here or
 *     in another process, and when a question of it expires. So is one that another process drove, once that one is
 *     silent behind its last word, and one whose driver died without a word: a sweep finds it.
 * V3  A wake that comes while a run is driven is not lost: the run is looked at once more.
 * V4  When it is told to stop it begins nothing more; what is left is in the journal, and the next start goes on.
 * V5  An error ends nothing: the run is tried again, later each time, until it can be driven. No other run waits for it.
 */
export interface Driving {
  wake(run: string): void;
  stateOf(run: string): DrivingState;
  /** `retrying`: runs that could not be driven and are tried again; one more where the runs cannot be listed. */
  readonly count: { readonly driving: number; readonly queued: number; readonly retrying: number };
  readonly isStopping: boolean;
  /** Wakes all runs that have not ended, and from then on sweeps. Where they cannot be listed it is tried again. */
  takeUp(): Promise<void>;
  /** Comes back when no run is driven any more, at the latest when the grace period is over and calls have stopped. */
  stop(grace: number): Promise<void>;
}

interface DrivingOptions {
  readonly dandori: Pick<Dandori, 'drive' | 'watch' | 'runs'>;
  readonly atOnce: number;
  readonly onState?: (run: string, state: DrivingState) => void;
  readonly clock?: Clock;
  /** In place of the usual. */
  readonly patience?: Partial<typeof PATIENCE> | undefined;
  /** What cannot be done now, why, and in how many milliseconds it is tried again. `run` is undefined for the list. */
  readonly onTrouble?: (trouble: Trouble) => void;
  /** Called with each sweep, to take up what else was left undone. */
  readonly onSweep?: () => Promise<void>;
}

interface Trouble {
  readonly run: string | undefined;
  readonly error: unknown;
  readonly retryIn: number;
}

const OPEN: readonly string[] = ['open', 'waiting', 'paused'];
/** Milliseconds. */
export const PATIENCE = {
  /** Without a word, after which a run that another process drives is tried again. */
  quiet: 1_000,
  /** Before the first retry; each later one waits twice as long, up to the longest. */
  firstRetry: 1_000,
  longestRetry: 300_000,
  /** Between two sweeps. */
  sweep: 60_000,
  /** Without a word, after which a sweep looks at an open run. */
  stranded: 30_000,
};
/** A sweep over very many runs takes long; it rests for so many times as long. */
const LEAST_REST = 50;

export function createDriving(options: DrivingOptions): Driving {
  const { dandori, atOnce, onState, onTrouble, onSweep, clock = systemClock } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const queue = new Set<string>();
  const driven = new Map<string, { isWanted: boolean; isTouched: boolean }>();
  const holding = new Set<string>();
  const elsewhere = new Set<string>();
  const watches = new Map<string, () => void>();
  /** Take a timer back. */
  const timers = new Map<string, () => void>();
  /** How often each run could not be driven since it last was. */
  const failures = new Map<string, number>();
  /** Runs that could not be found or read: they may come back. */
  const lost = new Set<string>();
  /** Open runs that a sweep has looked at, and the last event that they had then. */
  const looked = new Map<string, number>();
  /** Runs that a sweep has found, and that this process has not driven before. */
  const foreign = new Set<string>();
  let listFailures = 0;
  let isTakenUp = false;
  let forgetSweep = () => {};
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
      // From before the drive, so that nothing is missed that another process writes right behind it.
      watchIfThere(run);
      const report = await dandori.drive(run, {
        soon: soon.signal,
        now: now.signal,
        onHold: (isHolding) => hold(run, isHolding),
      });
      failures.delete(run);
      isOpen = OPEN.includes(report.outcome);
      if (!isOpen) forget(run);
      else {
        wakeAtExpiry(run, report);
        // It was begun by the drive: what came before the watch is seen by one more look.
        if (!watches.has(run)) current.isTouched = true;
        watch(run);
      }
    } catch (error) {
      if (isCode(error, 'run-driven-elsewhere')) {
        failures.delete(run);
        // Its driver lives. Nothing of it is this server's before that one is gone.
        if (isForeign) forget(run);
        else elsewhere.add(run);
      } else {
        hasFailed = true;
        retryLater(run, error);
      }
    }
    driven.delete(run);
    holding.delete(run);
    // Its own writes touch it too, so one look too many is taken; that look writes nothing. After a failure neither
    // they nor a wake may shorten the wait, or a run that fails behind a write would be tried in a hot loop.
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

  /** A message of a conversation may have no run yet: the drive begins it. */
  function watchIfThere(run: string): void {
    try {
      watch(run);
    } catch (error) {
      if (!isCode(error, 'run-not-found')) throw error;
    }
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

  /** A run that is gone waits for no retry: where it comes back, a sweep finds it. */
  function retryLater(run: string, error: unknown): void {
    if (isCode(error, 'run-not-found')) {
      forget(run);
      lost.add(run);
      onTrouble?.({ run, error, retryIn: patience.sweep });
      return;
    }
    // It may be another file when it can be read again.
    unwatch(run);
    const before = failures.get(run) ?? 0;
    failures.set(run, before + 1);
    // Only a person can repair it, so there is no hurry.
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
      for await (const { run, status } of allRuns()) {
        if (OPEN.includes(status)) open.push(run);
        else if (status === 'damaged') lost.add(run);
      }
      isTakenUp = true;
    } finally {
      // The oldest has waited longest.
      for (const run of open.reverse()) wake(run);
    }
  }

  async function wakeAllStranded(): Promise<void> {
    for await (const summary of allRuns()) wakeIfStranded(summary);
  }

  /** An open run that is silent has no driver, or a busy one: its claim tells which. */
  function wakeIfStranded({ run, status, lastAt, lastSeq }: RunSummary): void {
    if (status === 'damaged') lost.add(run);
    if (!OPEN.includes(status) || driven.has(run) || queue.has(run) || failures.has(run)) return;
    const isBack = lost.has(run);
    const isSilent = status === 'open' && clock.now() - lastAt > patience.stranded;
    // A run that was looked at and has not changed waits for a person, unless another process had it.
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
      await (isTakenUp ? wakeAllStranded() : wakeAll());
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
    takeUp: sweep,
    async stop(grace) {
      soon.abort();
      queue.clear();
      forgetSweep();
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

/** For what would begin something. */
export function refuseStopping({ isStopping }: Pick<Driving, 'isStopping'>): void {
  if (!isStopping) return;
  throw new DandoriError('server-stopping', 'The server is stopping and takes nothing new.', {
    fix: 'Send it again with the same Idempotency-Key in a moment.',
  });
}

function isCode(error: unknown, code: DandoriError['code']): boolean {
  return error instanceof DandoriError && error.code === code;
}
