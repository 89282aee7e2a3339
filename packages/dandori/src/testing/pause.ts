import type { Clock } from '../model/clock.ts';

/** Resolves when the time has passed, or with true when the signal came first. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (ms === 0 || signal.aborted) return Promise.resolve(signal.aborted);
  return new Promise((resolve) => {
    const takeBack = clock.at(clock.now() + ms, () => resolve(false));
    signal.addEventListener('abort', () => {
      takeBack();
      resolve(true);
    });
  });
}
