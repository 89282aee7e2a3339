import type { Clock } from '../../ports/clock.ts';

/** Longer delays overflow Node's timer and would fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    const delay = Math.min(Math.max(0, time - Date.now()), LONGEST_DELAY);
    const timer = setTimeout(wake, delay);
    return () => clearTimeout(timer);
  },
};
