import type { Clock } from '../../model/clock.ts';
import { isUnfinished } from '../../model/event.ts';
import { allRuns, type Journal, type RunSummary } from '../journal.ts';
import { type Dispatcher, type Drive, PATIENCE, type Working, type WorkOptions } from './dispatcher.ts';
import { createPlaces, type Ended, retryAfter } from './places.ts';
import { WakeTimers } from './wake-timers.ts';

/**
 * The dispatcher for stores that can't store wake-ups, such as files and memory. It finds open runs in the
 * journal, so the journal makes its wakes durable.
 *
 * V1  A run that waits for a person has no driver. It is driven again after a write by any process, and when
 *     its time has come. If another process drove it, this one tries again once that process is silent. A
 *     sweep finds runs whose driver died.
 * V2  A start wakes all runs that have not ended. If they cannot be listed, that is retried.
 */
export function createLocalDispatcher(parts: LocalParts): Dispatcher {
  const works = new Set<LocalWork>();
  /** Woken before this process works. */
  const early: { readonly run: string; readonly at: number | undefined }[] = [];
  const { journal } = parts;
  return {
    driven:
      journal.isClaimed &&
      (async (runs) => {
        const claimed = await Promise.all(runs.map(async (run) => journal.isClaimed?.(run)));
        return new Set(runs.filter((_, index) => claimed[index] === true));
      }),
    async wake(run, at) {
      if (works.size === 0) early.push({ run, at });
      for (const work of works) work.wakeAt(run, at);
    },
    work(drive, options) {
      const work = createLocalWork(parts, {
        drive,
        ...options,
        onStop: () => works.delete(work),
      });
      works.add(work);
      for (const { run, at } of early.splice(0)) work.wakeAt(run, at);
      return work;
    },
  };
}

interface LocalParts {
  readonly journal: Pick<Journal, 'list' | 'watch' | 'isClaimed'>;
  readonly clock: Clock;
}

interface LocalWork extends Working {
  wakeAt(run: string, at: number | undefined): void;
}

interface LocalOptions extends WorkOptions {
  readonly drive: Drive;
  readonly onStop: () => void;
}

/** The pause after a sweep is at least this many times as long as the sweep itself. */
const LEAST_REST = 50;

function createLocalWork({ journal, clock }: LocalParts, options: LocalOptions): LocalWork {
  const { onTrouble, resume, onStop } = options;
  const patience = { ...PATIENCE, ...options.patience };
  const elsewhere = new Set<string>();
  /** Runs that are driven now and were written to since the drive began. */
  const touchedInDrive = new Set<string>();
  const watches = new Map<string, () => void>();
  const timers = new WakeTimers(clock, (run) => places.wake(run));
  /** Runs that were missing or unreadable. They may come back. */
  const lost = new Set<string>();
  /** Open runs that a sweep has checked, with the last event that each had then. */
  const looked = new Map<string, number>();
  /** Runs that a sweep has found and that this process has never driven. */
  const foreign = new Set<string>();
  let listFailures = 0;
  let hasListedAll = false;
  let forgetSweep = () => {};

  const places = createPlaces({
    ...options,
    patience,
    begun(run) {
      timers.begun(run);
      touchedInDrive.delete(run);
      lost.delete(run);
      // Watch before driving, so that no write of another process is missed.
      watch(run);
    },
    ended,
  });

  function ended(run: string, how: Ended, isWanted: boolean): void {
    const isForeign = foreign.delete(run) && !elsewhere.has(run);
    elsewhere.delete(run);
    const isTouched = touchedInDrive.delete(run);
    if (how.kind === 'failed') {
      // The file may have been replaced by the time it is readable again.
      unwatch(run);
      // No write or wake may shorten the delay. Otherwise a run that fails after a write would be retried in a
      // hot loop.
      timers.wakeAfter(run, how.retryIn);
      return;
    }
    if (how.kind === 'missing') {
      forget(run);
      // It is not retried. If it comes back, a sweep finds it.
      lost.add(run);
      onTrouble?.({ run, error: how.error, retryIn: patience.sweep });
    }
    if (how.kind === 'parked' && !how.isOpen) forget(run);
    if (how.kind === 'parked' && how.isOpen) timers.park(run, how.wakeAt);
    if (how.kind === 'elsewhere') {
      // The other driver is alive, so this process leaves a run that it never drove to it.
      if (isForeign) forget(run);
      else elsewhere.add(run);
    }
    // The drive's own writes also count as touched, which costs one extra drive that writes nothing.
    const isOpen = how.kind === 'parked' && how.isOpen;
    if (isWanted || (isTouched && isOpen)) places.wake(run);
    else if (isTouched && elsewhere.has(run)) timers.wakeAfter(run, patience.quiet);
  }

  function watch(run: string): void {
    if (watches.has(run)) return;
    watches.set(
      run,
      journal.watch(run, () => touched(run)),
    );
  }

  function touched(run: string): void {
    const state = places.stateOf(run);
    if (state === 'driving') touchedInDrive.add(run);
    else if (state === 'retrying') return;
    else if (elsewhere.has(run)) timers.wakeAfter(run, patience.quiet);
    else places.wake(run);
  }

  function unwatch(run: string): void {
    watches.get(run)?.();
    watches.delete(run);
  }

  function forget(run: string): void {
    unwatch(run);
    looked.delete(run);
    timers.forget(run);
  }

  async function wakeAll(): Promise<void> {
    const open: string[] = [];
    try {
      for await (const { run, status, parent } of allRuns(journal)) {
        // A sub-goal is driven by its run.
        if (isUnfinished(status) && parent === undefined) open.push(run);
        else if (status === 'damaged') lost.add(run);
      }
      hasListedAll = true;
    } finally {
      // Start with the oldest run, which has waited longest.
      for (const run of open.reverse()) places.wake(run);
    }
  }

  async function wakeAllStranded(): Promise<void> {
    for await (const summary of allRuns(journal)) wakeIfStranded(summary);
  }

  /**
   * A silent open run has either no driver or a busy one. Driving it tells which, because a driver holds a
   * claim.
   */
  function wakeIfStranded({ run, status, lastAt, lastSeq, parent }: RunSummary): void {
    if (status === 'damaged') lost.add(run);
    if (parent !== undefined || !isUnfinished(status) || places.stateOf(run) !== 'idle') return;
    const isBack = lost.has(run);
    const isSilent = status === 'open' && clock.now() - lastAt > patience.stranded;
    // A run that has not changed since the last check waits for a person, unless another process drove it.
    const isKnown = looked.get(run) === lastSeq && !elsewhere.has(run);
    if (!isBack && (!isSilent || isKnown)) return;
    looked.set(run, lastSeq);
    if (!watches.has(run)) foreign.add(run);
    places.wake(run);
  }

  async function sweep(): Promise<void> {
    const begun = clock.now();
    let next = patience.sweep;
    try {
      await (hasListedAll ? wakeAllStranded() : wakeAll());
      await resume?.();
      listFailures = 0;
    } catch (error) {
      next = Math.min(retryAfter(listFailures++, patience), patience.sweep);
      onTrouble?.({ run: undefined, error, retryIn: next });
    }
    if (places.isStopping) return;
    const rest = Math.max(next, (clock.now() - begun) * LEAST_REST);
    forgetSweep = clock.at(clock.now() + rest, () => void sweep());
  }

  return {
    take: places.wake,
    wakeAt(run, at) {
      if (at === undefined || at <= clock.now()) return places.wake(run);
      timers.ask(run, at);
    },
    begin: sweep,
    stateOf: places.stateOf,
    get count() {
      return places.countWith(listFailures);
    },
    get isStopping() {
      return places.isStopping;
    },
    async stop(grace) {
      onStop();
      forgetSweep();
      const stopped = places.stop(grace);
      timers.close();
      await stopped;
      for (const run of [...watches.keys()]) unwatch(run);
    },
  };
}
