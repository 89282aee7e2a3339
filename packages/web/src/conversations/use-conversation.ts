import { useMemo, useSyncExternalStore } from 'react';
import { createConversationFeed, type TalkNews } from '../live/conversation-feed.ts';
import { useClient } from '../shell/session.tsx';

/** The conversation, live. */
export function useConversation(id: string): TalkNews & { readonly earlier: () => Promise<void> } {
  const client = useClient();
  const feed = useMemo(() => createConversationFeed(client, id), [client, id]);
  const news = useSyncExternalStore(feed.subscribe, feed.current);
  return { ...news, earlier: feed.earlier };
}
