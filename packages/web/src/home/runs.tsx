import { useInfiniteQuery } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { ListOptions, RunPage } from 'dandori/client';
import { useRef } from 'react';
import { useSettled } from '../live/use-settled.ts';
import { useTexts } from '../shell/language.tsx';
import { useTools } from '../shell/queries.tsx';
import { goTo, Link, type Query } from '../shell/route.tsx';
import { useClient } from '../shell/session.tsx';
import { texts } from '../texts/home.ts';
import { words } from '../texts/words.ts';
import { Button } from '../ui/button.tsx';
import { StatusMark } from '../ui/marks.tsx';
import { useTop } from '../ui/measure.ts';
import { Waiting } from '../ui/page.tsx';
import { Problem } from '../ui/problem.tsx';
import { Time } from '../ui/time.tsx';
import { filtersOf } from './filters.ts';
import { RunFilters } from './run-filters.tsx';

interface Props {
  readonly query: Query;
  /** Puts a goal into the field above. */
  readonly onPropose: (goal: string) => void;
}

export function Runs({ query, onPropose }: Props) {
  const word = useTexts(words);
  const say = useTexts(texts).list;
  const text = useSettled(query.text ?? '');
  const filters = filtersOf({ ...query, text });
  const isFiltered = Object.keys(filters).length > 0;
  const { runs, hasMore, isLoadingMore, error, more } = useRuns(filters);
  const choose = (change: Query) => goTo({ at: 'home', query: { ...query, ...change } }, { replace: true });
  if (runs === undefined) return error === null ? <Waiting /> : <Problem error={error} />;
  if (runs.length === 0 && !isFiltered && !hasMore) return <Newcomer onPropose={onPropose} />;
  return (
    <section aria-labelledby="all-runs" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 id="all-runs" className="font-semibold">
          {say.title}
        </h2>
        <p className="text-faint text-sm tabular-nums">{say.count(runs.length, !hasMore)}</p>
      </div>
      <RunFilters
        query={query}
        onChoose={choose}
        onClear={isFiltered ? () => goTo({ at: 'home' }, { replace: true }) : undefined}
      />
      <Problem error={error} />
      {runs.length === 0 ? (
        <p className="py-8 text-center text-faint">{say.none}</p>
      ) : (
        <RunList runs={runs} />
      )}
      {hasMore && (
        <Button className="self-center" disabled={isLoadingMore} onClick={more}>
          {isLoadingMore ? word.loading : word.loadMore}
        </Button>
      )}
    </section>
  );
}

const ROW_HEIGHT = 58;

/** Only the rows in view are in the DOM. */
function RunList({ runs }: { readonly runs: readonly RunSummary[] }) {
  const list = useRef<HTMLUListElement>(null);
  const top = useTop(list);
  const rows = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => runs[index]?.run ?? index,
    overscan: 8,
    scrollMargin: top,
  });
  return (
    <ul
      ref={list}
      className="relative rounded-lg border border-line bg-sheet"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ index, start, key }) => {
        const run = runs[index];
        if (run === undefined) return null;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={runs.length}
            className="absolute inset-x-0 top-0 border-line border-b last:border-b-0"
            style={{ transform: `translateY(${start - top}px)` }}
          >
            <RunRow run={run} />
          </li>
        );
      })}
    </ul>
  );
}

function RunRow({ run }: { readonly run: RunSummary }) {
  const word = useTexts(words);
  const say = useTexts(texts).list;
  const { goal, status, startedAt, userId, conversation } = run;
  const notes = [
    ...(userId === undefined ? [] : [word.by(userId)]),
    ...(conversation === undefined ? [] : [say.inConversation]),
  ];
  return (
    <Link
      to={{ at: 'run', run: run.run, view: 'graph' }}
      className="grid grid-cols-[1fr_auto] items-center gap-x-4 px-4 py-2 hover:bg-sunken sm:grid-cols-[12rem_1fr_auto]"
    >
      <span className="order-2 sm:order-none">
        <StatusMark status={status} />
      </span>
      <span className="order-1 col-span-2 flex min-w-0 flex-col sm:order-none sm:col-span-1">
        <span className="line-clamp-2 break-words">{goal || run.run}</span>
        {notes.length > 0 && <span className="truncate text-faint text-xs">{notes.join(' · ')}</span>}
      </span>
      <Time at={startedAt} className="order-3 text-right text-faint text-sm sm:order-none" />
    </Link>
  );
}

type RunSummary = RunPage['runs'][number];

const PAGE = 50;
/** Polling intervals while a run is open, and otherwise. */
const BUSY_MS = 2_000;
const QUIET_MS = 5_000;

interface RunPages {
  /** Undefined until the first page has arrived. */
  readonly runs: readonly RunSummary[] | undefined;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly error: unknown;
  readonly more: () => void;
}

/** The matching runs, newest first. All loaded pages are polled; the more there are, the less often. */
function useRuns(filters: ListOptions): RunPages {
  const client = useClient();
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['runs', filters],
    queryFn: ({ pageParam }) =>
      client.runs({ ...filters, limit: PAGE, ...(pageParam !== undefined && { before: pageParam }) }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => {
      const pages = state.data?.pages ?? [];
      const isBusy = pages.some(({ runs }) => runs.some(({ status }) => status === 'open'));
      return (isBusy ? BUSY_MS : QUIET_MS) * Math.max(1, pages.length);
    },
  });
  return {
    runs: data?.pages.flatMap(({ runs }) => runs),
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    error,
    more: () => void fetchNextPage(),
  };
}

/** What the page shows before the first run. */
function Newcomer({ onPropose }: { readonly onPropose: (goal: string) => void }) {
  const word = useTexts(words);
  const say = useTexts(texts).newcomer;
  const { data } = useTools();
  return (
    <section className="flex flex-col items-center gap-4 py-6 text-center">
      <h2 className="font-semibold text-lg">{say.title}</h2>
      <p className="max-w-prose text-faint">{say.text}</p>
      <p className="text-faint text-sm">{say.examples}</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {say.goals.map((goal) => (
          <li key={goal}>
            <Button onClick={() => onPropose(goal)}>{goal}</Button>
          </li>
        ))}
      </ul>
      {data !== undefined && (
        <p className="text-faint text-sm">
          {data.tools.length === 0 ? word.noTools : say.tools(data.tools.length)}{' '}
          <Link to={{ at: 'tools' }} className="text-accent underline">
            {say.toTools}
          </Link>
        </p>
      )}
    </section>
  );
}
