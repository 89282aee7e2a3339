import type { Clock } from '../model/clock.ts';

/**
 * A clock that never goes back, neither before the journal's last event nor during the drive. If the
 * machine's clock is set back by an hour, a timer of one second still takes one second.
 */
export interface SteadyClock extends Clock {
  /** From now on, `now()` returns at least this time. */
  notBefore(time: number): void;
}

export function createSteadyClock(clock: Clock): SteadyClock {
  let ahead = 0;
  let last = clock.now();

  function now(): number {
    const reading = clock.now() + ahead;
    if (reading < last) ahead += last - reading;
    else last = reading;
    return last;
  }

  return {
    now,
    at(time, wake) {
      now();
      return clock.at(time - ahead, wake);
    },
    notBefore(time) {
      last = Math.max(now(), time);
      now();
    },
  };
}

/** Longer delays overflow Node's timer, which then fires at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    const delay = Math.min(Math.max(0, time - Date.now()), LONGEST_DELAY);
    const timer = setTimeout(wake, delay);
    return () => clearTimeout(timer);
  },
};
