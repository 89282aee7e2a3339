import type { Clock } from '../../model/clock.ts';
import { messageOf } from '../../model/error.ts';
import type { Stop } from '../../model/stop.ts';

/** How long a call may take to stop after it was told to. Then it counts as lost. */
const GRACE = 5_000;

interface Waiting<T, Ended> {
  readonly stop: Stop;
  readonly clock: Clock;
  /** What counts if the work throws or rejects. */
  readonly broken: (message: string) => T;
  /** What counts if the work does not end within the grace period after a stop. */
  readonly otherwise: () => T;
  /** Called once, at the end. */
  readonly end: (value: T) => Ended;
}

/** Does the work and never rejects. Toolbox and mind promise the same, but a bug there must not end the process. */
export function untilEnded<T, Ended>(
  work: () => Promise<T>,
  { stop, clock, broken, otherwise, end }: Waiting<T, Ended>,
): Promise<Ended> {
  return new Promise((resolve) => {
    let takeBack: (() => void) | undefined;
    let hasEnded = false;
    const endOnce = (value: T) => {
      if (hasEnded) return;
      hasEnded = true;
      forget();
      takeBack?.();
      resolve(end(value));
    };
    const forget = stop.onStop(() => {
      takeBack = clock.at(clock.now() + GRACE, () => endOnce(otherwise()));
    });
    const fail = (error: unknown) => endOnce(broken(messageOf(error)));
    try {
      // JavaScript may return the value itself.
      Promise.resolve(work()).then(endOnce, fail);
    } catch (error) {
      fail(error);
    }
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
  /** Sets the timer. A call that ends in the turn in which it began needs none. */
  start(): void;
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

/** A class, because one is made for every call: an object with four functions takes longer to make. */
class CallTimeLimit implements TimeLimit {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #up: () => void;
  #since: number;
  #before = 0;
  #pauses = 0;
  #isStarted = false;
  #isStopped = false;
  #takeBack: (() => void) | undefined;

  constructor(clock: Clock, ms: number, up: () => void) {
    this.#clock = clock;
    this.#ms = ms;
    this.#up = up;
    this.#since = clock.now();
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#setTimer();
  }

  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#takeBack?.();
    this.#before += this.#clock.now() - this.#since;
  }

  resume(): void {
    if (--this.#pauses > 0 || this.#isStopped) return;
    this.#since = this.#clock.now();
    this.#setTimer();
  }

  spent(): number {
    return this.#before + (this.#pauses > 0 ? 0 : this.#clock.now() - this.#since);
  }

  stop(): void {
    this.#isStopped = true;
    this.#takeBack?.();
  }

  #setTimer(): void {
    // An answer may arrive after the call has ended.
    if (!this.#isStarted || this.#isStopped || this.#pauses > 0) return;
    this.#takeBack = this.#clock.at(this.#since + this.#ms - this.#before, this.#up);
  }
}
