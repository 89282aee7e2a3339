import { createContext, use, useSyncExternalStore } from 'react';

/** The time at which a moment of the past stands still; undefined where time goes on. */
const StandingContext = createContext<number | undefined>(undefined);
export const StandingAt = StandingContext.Provider;

const EVERY = 500;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** One clock for all that count on it, and none while nobody does. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, EVERY);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const still = () => () => {};

interface Wanted {
  readonly isMoving?: boolean;
  /** What counts only now and then is told only so often. */
  readonly every?: number;
}

/** Milliseconds since 1970, twice a second; or those of the moment that is shown. */
export function useNow({ isMoving = true, every = EVERY }: Wanted = {}): number {
  const standing = use(StandingContext);
  const moving = useSyncExternalStore(isMoving && standing === undefined ? listen : still, () =>
    every > EVERY ? Math.floor(now / every) * every : now,
  );
  return standing ?? moving;
}
