import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { texts } from '../texts/shell.ts';
import { useTexts } from './language.tsx';

/** Whether the server responds. `back` for a moment after it was lost. */
type Reach = 'here' | 'lost' | 'back';

/** How long the page says that it has reconnected. */
const TOLD_MS = 4_000;

const listeners = new Set<() => void>();
let reach: Reach = 'here';

/** All requests of the page go through here, so the page notices a lost server without polling. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, inPageLanguage(init));
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

/** The server answers in the language that the user chose on the page, not in that of the browser. */
function inPageLanguage(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('Accept-Language', document.documentElement.lang);
  return { ...init, headers };
}

function useReach(): Reach {
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

/** Shows a lost connection, polls the server, and refetches everything when it is back. */
export function ReachNotice() {
  const say = useTexts(texts);
  const reach = useReach();
  const queries = useQueryClient();
  useQuery({
    queryKey: ['healthz'],
    queryFn: async () => (await watchedFetch('/healthz')).status,
    enabled: reach === 'lost',
    refetchInterval: 2_000,
    retry: false,
  });
  useEffect(() => {
    if (reach === 'back')
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'healthz' });
  }, [reach, queries]);
  return (
    // The bottom of the page has the message field or the slider.
    <div role="status" className="pointer-events-none fixed inset-x-0 top-16 z-40 flex justify-center px-4">
      {reach !== 'here' && (
        <p
          className={`rounded-full border bg-sheet px-4 py-2 text-sm shadow-lg ${reach === 'lost' ? 'border-bad text-bad' : 'border-good text-good'}`}
        >
          <span aria-hidden="true">{reach === 'lost' ? '⚠ ' : '✓ '}</span>
          {reach === 'lost' ? say.lost : say.back}
        </p>
      )}
    </div>
  );
}
