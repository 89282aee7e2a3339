import type { Client } from 'dandori/client';
import { useMemo, useSyncExternalStore } from 'react';
import { useClient } from '../shell/session.tsx';
import { caughtUp, hear, type Talk, talkOf, withEarlier } from './conversation-state.ts';
import { createFeed, type Feed } from './feed.ts';

interface TalkNews {
  /** Undefined until it has arrived. */
  readonly talk: Talk | undefined;
  readonly error: unknown;
}

interface ConversationFeed extends Feed<TalkNews> {
  /** Loads the messages before the first one. */
  earlier(): Promise<void>;
}

/** Follows a conversation: loads its current state, then applies what happens. */
function createConversationFeed(
  { conversations }: Pick<Client, 'conversations'>,
  id: string,
): ConversationFeed {
  let talk: Talk | undefined;
  let tellAll = () => {};
  const feed = createFeed<TalkNews>({ talk, error: undefined }, async (tell, signal) => {
    let error: unknown;
    tellAll = () => tell(() => ({ talk, error }));
    try {
      const now = await conversations.get(id);
      talk = talk === undefined ? talkOf(now) : caughtUp(talk, now);
      tellAll();
      for await (const talked of conversations.follow(id, { after: now.seq, signal })) {
        talk = hear(talk, talked);
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
      if (talk?.earlier === undefined) return;
      const page = await conversations.messages(id, { before: talk.earlier });
      talk = withEarlier(talk, page);
      tellAll();
    },
  };
}

export function useConversation(id: string): TalkNews & { readonly earlier: () => Promise<void> } {
  const client = useClient();
  const feed = useMemo(() => createConversationFeed(client, id), [client, id]);
  const news = useSyncExternalStore(feed.subscribe, feed.current);
  return { ...news, earlier: feed.earlier };
}
