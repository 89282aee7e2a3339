import { useMemo, useSyncExternalStore } from 'react';
import { useClient } from '../shell/session.tsx';
import { createRunFeed, type RunNews } from './run-feed.ts';

/** The run, live. */
export function useRun(run: string): RunNews {
  const client = useClient();
  const feed = useMemo(() => createRunFeed(client, run), [client, run]);
  return useSyncExternalStore(feed.subscribe, feed.current);
}
