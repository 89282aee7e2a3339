import type { Clock } from '../ports/clock.ts';

/** How long a call has taken, and the end of its time. It stands still while a person is asked. */
export interface TimeLimit {
  pause(): void;
  /** To be called as often as `pause`; the last one starts it again. */
  resume(): void;
  /** Milliseconds, without the pauses. */
  spent(): number;
  stop(): void;
}

export function createTimeLimit(clock: Clock, ms: number, up: () => void): TimeLimit {
  let since = clock.now();
  let before = 0;
  let pauses = 0;
  let isStopped = false;
  let takeBack = clock.at(since + ms, up);

  return {
    pause() {
      if (pauses++ > 0) return;
      takeBack();
      before += clock.now() - since;
    },
    resume() {
      // An answer may come after the call that asked has ended.
      if (--pauses > 0 || isStopped) return;
      since = clock.now();
      takeBack = clock.at(since + ms - before, up);
    },
    spent: () => before + (pauses > 0 ? 0 : clock.now() - since),
    stop() {
      isStopped = true;
      takeBack();
    },
  };
}
