import type { Overview, WorkerAbout } from './worker-overview.ts';

/**
 * Says which runs are driven, when, and in which process. Every implementation passes one suite
 * (`store/conformance`).
 *
 * D1  After `wake` has resolved, at least one drive of the run begins, at once or at the given time, in some
 *     process that works. A crash of any process does not change that.
 * D2  Creating a run and appending a command wake the run by themselves. A crash right after the write loses
 *     nothing.
 * D3  Waking twice is harmless. The claim admits one driver at a time, and a drive without work writes nothing.
 * D4  A process drives at most `atOnce` runs at the same time. A run that only holds calls open for a person
 *     gives up its place. It continues at once when it is answered.
 * D5  A drive that fails is repeated, later each time, until it succeeds. Other runs do not wait for it.
 * D6  After `stop`, no drive begins. Unfinished work is in the journal: another process continues it, or the
 *     next start.
 */
export interface Dispatcher {
  /**
   * Durable when it resolves. Without a time: as soon as possible. A drive before the time does not take the wake
   * away.
   */
  wake(run: string, at?: number): Promise<void>;
  /** Registers this process as a worker that drives due runs. */
  work(drive: Drive, options: WorkOptions): Working;
  /** All processes that work on the store, and the queue. Undefined if there is only this process. */
  readonly overview?: (() => Promise<Overview>) | undefined;
  /** Those of the runs that some process drives now. */
  readonly driven?: ((runs: readonly string[]) => Promise<ReadonlySet<string>>) | undefined;
}

/** Drives a run as far as it can go. Throws `run-driven-elsewhere` if another driver has it. */
export type Drive = (run: string, signals: DriveSignals) => Promise<{ readonly isOpen: boolean }>;

export interface DriveSignals {
  /** Start nothing more. */
  readonly soon: AbortSignal;
  /** Stop what is running. */
  readonly now: AbortSignal;
  /** Only calls that wait for a person are left, or work has begun again. */
  readonly onHold: (isHolding: boolean) => void;
  /** The driver leaves the run until this time, or until a person or another run continues it. */
  readonly onPark: (wakeAt: number | undefined) => void;
}

export interface WorkOptions {
  readonly atOnce: number;
  /** What the other processes are told about this one. */
  readonly about?: Omit<WorkerAbout, 'atOnce'> | undefined;
  readonly onState?: ((run: string, state: DrivingState) => void) | undefined;
  /** Reports what failed, and the delay before the retry in milliseconds. */
  readonly onTrouble?: ((trouble: Trouble) => void) | undefined;
  /**
   * Resumes conversations that have unfinished work. Without ids the dispatcher does not know which have, and
   * the callee looks at all of them.
   */
  readonly resume?: ((conversations?: readonly string[]) => Promise<void>) | undefined;
  /** Overrides some of the default delays. */
  readonly patience?: Partial<Patience> | undefined;
}

/** What this process drives. */
export interface Working {
  /** From now on, the runs that are due are found and driven. */
  begin(): Promise<void>;
  /**
   * This process has written to the run, so that it is due already (D2). Drives it here if there is a place.
   */
  take(run: string): void;
  stateOf(run: string): DrivingState;
  /** `retrying` counts the runs to be retried, plus one if the runs cannot be listed. */
  readonly count: { readonly driving: number; readonly queued: number; readonly retrying: number };
  readonly isStopping: boolean;
  /** Resolves when no run is driven here. After `grace` milliseconds the running calls are aborted. */
  stop(grace: number): Promise<void>;
}

export type DrivingState = 'driving' | 'queued' | 'retrying' | 'idle';

export interface Trouble {
  /** Undefined if the due runs cannot be found. */
  readonly run: string | undefined;
  readonly error: unknown;
  readonly retryIn: number;
}

/** Delays in milliseconds. */
export const PATIENCE = {
  /** If a run is driven by another process: the time without writes before this one tries again. */
  quiet: 1_000,
  /** Before the first retry. Each later retry waits twice as long, up to `longestRetry`. */
  firstRetry: 1_000,
  longestRetry: 300_000,
  /** Between two sweeps. */
  sweep: 60_000,
  /** Between two looks at what is due, in case a notification got lost. */
  look: 500,
  /** The time without writes after which a sweep checks an open run. */
  stranded: 30_000,
};
export type Patience = typeof PATIENCE;
