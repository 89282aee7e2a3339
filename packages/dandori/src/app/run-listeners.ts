import type { Event, Live } from '../model/event.ts';

/** Passes the events and live updates of this process to the listeners of each run. */
export interface RunListeners {
  publish(update: Event | Live): void;
  /** Whether the run has a listener. */
  isAny(run: string): boolean;
  listen(run: string, heard: (update: Event | Live) => void): () => void;
}

/** `onFollowed`: a run got its first listener, or lost its last one. */
export function createRunListeners(
  onFollowed: (run: string, isFollowed: boolean) => void = () => {},
): RunListeners {
  const listeners = new Map<string, Set<(update: Event | Live) => void>>();
  return {
    publish(update) {
      for (const heard of listeners.get(update.run) ?? []) heard(update);
    },
    isAny: (run) => listeners.has(run),
    listen(run, heard) {
      const all = listeners.get(run) ?? new Set();
      listeners.set(run, all.add(heard));
      if (all.size === 1) onFollowed(run, true);
      return () => {
        all.delete(heard);
        if (all.size > 0) return;
        listeners.delete(run);
        onFollowed(run, false);
      };
    },
  };
}
