import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { ConversationPage } from 'dandori/client';
import { useState } from 'react';
import { createRequestKeys } from '../live/request-keys.ts';
import { useTexts } from '../shell/language.tsx';
import { goTo, Link } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/conversations.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/fields.tsx';
import { ChosenFiles, FileButton, identityOf } from '../ui/files.tsx';
import { Page, Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { SendForm } from '../ui/send-form.tsx';
import { Time } from '../ui/time.tsx';

const LOOKED_FOR_EVERY_MS = 10_000;

export default function Conversations() {
  const word = useTexts(words);
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
          {word.loadMore}
        </Button>
      )}
    </Page>
  );
}

/** The first message of a conversation. */
function Beginning() {
  const say = useTexts(texts);
  const { conversations } = useClient();
  const queries = useQueryClient();
  const [keys] = useState(createRequestKeys);
  const [text, setText] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const add = (more: Iterable<File>) => setFiles((known) => [...known, ...more]);
  const begin = useMutation({
    mutationFn: (first: string) =>
      conversations.begin(first, { key: keys.keyFor([first, identityOf(files)]), attachments: files }),
    onSuccess({ conversation }) {
      keys.done();
      void queries.invalidateQueries({ queryKey: ['conversations'] });
      goTo({ at: 'conversation', conversation });
    },
  });
  const canBegin = text.trim() !== '' && !begin.isPending;
  const send = () => canBegin && begin.mutate(text.trim());
  return (
    <SendForm
      onDrop={add}
      onSend={send}
      canSend={canBegin}
      texts={{ send: begin.isPending ? say.beginning : say.begin, keys: say.sendHint }}
      error={begin.error}
      choices={
        <>
          <FileButton onFiles={add} />
          <p className="text-faint text-sm">{say.firstHint}</p>
        </>
      }
    >
      <TextField
        label={say.first}
        placeholder={say.first}
        rows={2}
        value={text}
        onType={setText}
        onSend={send}
        isBare
        className="max-h-[50vh] text-lg"
      />
      <ChosenFiles files={files} onFiles={setFiles} />
    </SendForm>
  );
}

function ConversationRow({ summary }: { readonly summary: ConversationPage['conversations'][number] }) {
  const word = useTexts(words);
  const { conversation, title, lastAt, userId, isDamaged } = summary;
  return (
    <Link
      to={{ at: 'conversation', conversation }}
      className="flex items-baseline gap-4 px-4 py-3 hover:bg-sunken"
    >
      <span className="min-w-0 flex-1">
        <span className="line-clamp-2 break-words">{title || conversation}</span>
        {userId !== undefined && <span className="block text-faint text-xs">{word.by(userId)}</span>}
      </span>
      {isDamaged && <span className="text-bad text-sm">✕ {word.statuses.damaged}</span>}
      <Time at={lastAt} className="text-faint text-sm" />
    </Link>
  );
}
