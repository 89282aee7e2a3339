import type { Clock } from '../../model/clock.ts';

/** How long a call may take to stop after it was told to. Then it counts as lost. */
const GRACE = 5_000;

/**
 * The way to stop one call. The `AbortSignal` for the tool is made only if the tool reads it, because making
 * one costs more than a short call.
 */
export interface Stop {
  readonly isStopped: boolean;
  readonly reason: string | undefined;
  readonly signal: AbortSignal;
  /** Only the first reason counts. */
  stop(reason: string): void;
  /**
   * Calls back once when the call is stopped, or immediately if it already was. The returned function cancels the
   * callback.
   */
  onStop(then: () => void): () => void;
}

export function createStop(): Stop {
  return new CallStop();
}

/** A class, because one is made for every call: an object with five functions takes longer to make. */
class CallStop implements Stop {
  reason: string | undefined;
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;

  get isStopped(): boolean {
    return this.reason !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  stop(why: string): void {
    if (this.reason !== undefined) return;
    this.reason = why;
    this.#controller?.abort(why);
    const waiting = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const then of waiting) then();
  }

  onStop(then: () => void): () => void {
    if (this.reason !== undefined) then();
    else {
      this.#listeners ??= new Set();
      this.#listeners.add(then);
    }
    return () => void this.#listeners?.delete(then);
  }
}

/** Ends with the work. If the work does not end within the grace period after a stop, `otherwise` counts. */
export function withGrace<T>(
  work: Promise<T>,
  { stop, clock, otherwise }: { readonly stop: Stop; readonly clock: Clock; readonly otherwise: () => T },
): Promise<T> {
  return new Promise((resolve, reject) => {
    let takeBack: (() => void) | undefined;
    const forget = stop.onStop(() => {
      takeBack = clock.at(clock.now() + GRACE, () => resolve(otherwise()));
    });
    const end = () => {
      forget();
      takeBack?.();
    };
    work.then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
  });
}

/** Waits `ms`, or until the stop. The tool then sees the aborted signal. */
export function pause(ms: number, { stop, clock }: { stop: Stop; clock: Clock }): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = clock.at(clock.now() + ms, () => {
      forget();
      resolve();
    });
    const forget = stop.onStop(() => {
      takeBack();
      resolve();
    });
  });
}

/**
 * Resolves with the reply, or with `otherwise` if the stop comes first. A driver that has left never replies.
 */
export function unlessStopped<T>(
  stop: Stop,
  otherwise: T,
  ask: (reply: (answer: T) => void) => void,
): Promise<T> {
  return new Promise((resolve) => {
    const forget = stop.onStop(() => resolve(otherwise));
    ask((answer) => {
      forget();
      resolve(answer);
    });
  });
}

/** The duration and the timeout of a call. Both pause while the user is asked. */
export interface TimeLimit {
  pause(): void;
  /** Call it as often as `pause`; the last call resumes the timer. */
  resume(): void;
  /** Milliseconds, without the pauses. */
  spent(): number;
  stop(): void;
}

export function createTimeLimit(clock: Clock, ms: number, up: () => void): TimeLimit {
  return new CallTimeLimit(clock, ms, up);
}

/** A class for the same reason as `CallStop`. */
class CallTimeLimit implements TimeLimit {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #up: () => void;
  #since: number;
  #before = 0;
  #pauses = 0;
  #isStopped = false;
  #takeBack: () => void;

  constructor(clock: Clock, ms: number, up: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#up = up;
    this.#since = clock.now();
    this.#takeBack = clock.at(this.#since + ms, up);
  }

  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#takeBack();
    this.#before += this.#clock.now() - this.#since;
  }

  resume(): void {
    // An answer may arrive after the call has ended.
    if (--this.#pauses > 0 || this.#isStopped) return;
    this.#since = this.#clock.now();
    this.#takeBack = this.#clock.at(this.#since + this.#ms - this.#before, this.#up);
  }

  spent(): number {
    return this.#before + (this.#pauses > 0 ? 0 : this.#clock.now() - this.#since);
  }

  stop(): void {
    this.#isStopped = true;
    this.#takeBack();
  }
}
