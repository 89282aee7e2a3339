import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTexts } from './language.tsx';
import { useReach, watchedFetch } from './reach.ts';
import { texts } from './texts.ts';

/** Says that the server does not answer, looks for it, and has everything asked anew when it is back. */
export function ReachNotice() {
  const say = useTexts(texts).reach;
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
    // At the bottom one writes, or moves the slider.
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
