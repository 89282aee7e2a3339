import { useSyncExternalStore } from 'react';

/** Whether the server answers: `back` for a moment after it did not. */
export type Reach = 'here' | 'lost' | 'back';

/** For so long a person is told that the server is back. */
const TOLD_MS = 4_000;

const listeners = new Set<() => void>();
let reach: Reach = 'here';

/** Whatever the page asks the server goes through here, so that nobody needs to ask only to know whether it is there. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    if (reach === 'lost') {
      become('back');
      setTimeout(() => reach === 'back' && become('here'), TOLD_MS);
    }
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) become('lost');
    throw error;
  }
};

export function useReach(): Reach {
  return useSyncExternalStore(subscribe, () => reach);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function become(now: Reach): void {
  if (now === reach) return;
  reach = now;
  for (const listener of listeners) listener();
}
