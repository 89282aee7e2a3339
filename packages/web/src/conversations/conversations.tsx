import { useInfiniteQuery } from '@tanstack/react-query';
import { useTexts } from '../shell/language.tsx';
import { useClient } from '../shell/session.tsx';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Waiting } from '../ui/waiting.tsx';
import { Beginning } from './beginning.tsx';
import { ConversationRow } from './conversation-row.tsx';
import { texts } from './texts.ts';

const LOOKED_FOR_EVERY_MS = 10_000;

export default function Conversations() {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['conversations'],
    queryFn: ({ pageParam }) => conversations.list(pageParam === undefined ? {} : { before: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => LOOKED_FOR_EVERY_MS * Math.max(1, state.data?.pages.length ?? 1),
  });
  const all = data?.pages.flatMap((page) => page.conversations);
  return (
    <Page title={say.title}>
      <Beginning />
      <Problem error={error} />
      {all === undefined && error === null && <Waiting />}
      {all?.length === 0 && (
        <div className="py-6 text-center">
          <p className="font-semibold">{say.none}</p>
          <p className="mx-auto mt-2 max-w-prose text-faint">{say.noneText}</p>
        </div>
      )}
      {all !== undefined && all.length > 0 && (
        <ul aria-label={say.title} className="divide-y divide-line rounded-lg border border-line bg-sheet">
          {all.map((summary) => (
            <li key={summary.conversation}>
              <ConversationRow summary={summary} />
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {say.more}
        </Button>
      )}
    </Page>
  );
}
