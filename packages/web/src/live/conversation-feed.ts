import type { Client } from 'dandori/client';
import { useMemo, useSyncExternalStore } from 'react';
import { useClient } from '../shell/session.tsx';
import {
  caughtUp,
  type ShownConversation,
  shownConversation,
  withEarlier,
  withUpdate,
} from './conversation-state.ts';
import { createFeed, type Feed } from './feed.ts';

interface Loaded {
  /** Undefined until it has arrived. */
  readonly shown: ShownConversation | undefined;
  readonly error: unknown;
}

interface ConversationFeed extends Feed<Loaded> {
  /** Loads the messages before the first one. */
  earlier(): Promise<void>;
}

/** Follows a conversation: loads its current state, then applies what happens. */
function createConversationFeed(
  { conversations }: Pick<Client, 'conversations'>,
  id: string,
): ConversationFeed {
  let shown: ShownConversation | undefined;
  let tellAll = () => {};
  const feed = createFeed<Loaded>({ shown, error: undefined }, async (tell, signal) => {
    let error: unknown;
    tellAll = () => tell(() => ({ shown, error }));
    try {
      const now = await conversations.get(id);
      shown = shown === undefined ? shownConversation(now) : caughtUp(shown, now);
      tellAll();
      for await (const update of conversations.follow(id, { after: now.seq, signal })) {
        shown = withUpdate(shown, update);
        tellAll();
      }
    } catch (thrown) {
      error = thrown;
      tellAll();
    }
  });
  return {
    ...feed,
    async earlier() {
      if (shown?.earlier === undefined) return;
      const page = await conversations.messages(id, { before: shown.earlier });
      shown = withEarlier(shown, page);
      tellAll();
    },
  };
}

export function useConversation(id: string): Loaded & { readonly earlier: () => Promise<void> } {
  const client = useClient();
  const feed = useMemo(() => createConversationFeed(client, id), [client, id]);
  const news = useSyncExternalStore(feed.subscribe, feed.current);
  return { ...news, earlier: feed.earlier };
}
