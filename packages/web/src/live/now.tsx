import { createContext, use, useSyncExternalStore } from 'react';

/** The time of the earlier state that is shown; undefined while the page shows the current one. */
const StandingContext = createContext<number | undefined>(undefined);
export const ShownTime = StandingContext.Provider;

const EVERY = 500;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** One timer for all components, and none while no component needs it. */
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
  /** Rounds the time down to this many milliseconds, so that the component renders less often. */
  readonly every?: number;
}

/** Milliseconds since 1970, updated twice a second; or the time of the earlier state that is shown. */
export function useNow({ isMoving = true, every = EVERY }: Wanted = {}): number {
  const standing = use(StandingContext);
  const moving = useSyncExternalStore(isMoving && standing === undefined ? listen : still, () =>
    every > EVERY ? Math.floor(now / every) * every : now,
  );
  return standing ?? moving;
}
