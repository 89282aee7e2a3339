import { useEffect, useSyncExternalStore } from 'react';
import { useClient } from '../shell/session.tsx';

/** Messages that are on the page count as delivered as soon as somebody can see the page. */
export function useAcknowledge(conversation: string, messages: ReadonlySet<string>): void {
  const client = useClient();
  const isSeen = useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible');
  useEffect(() => {
    if (!isSeen || messages.size === 0) return;
    // Who may only read leaves them for others; what was lost on its way is sent with the next one.
    client.conversations.acknowledge(conversation, [...messages]).catch(() => {});
  }, [client, conversation, messages, isSeen]);
}

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
