import { useInfiniteQuery } from '@tanstack/react-query';
import type { ListOptions, RunPage } from 'dandori/client';
import { useClient } from '../shell/session.tsx';

export type RunSummary = RunPage['runs'][number];

const PAGE = 50;
/** While something is under way, and while nothing is. */
const BUSY_MS = 2_000;
const QUIET_MS = 5_000;

export interface Runs {
  /** Undefined until the first page is there. */
  readonly runs: readonly RunSummary[] | undefined;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly error: unknown;
  readonly more: () => void;
}

/** The runs that fit, newest first. All pages that are shown are looked at again, the more there are the less often. */
export function useRuns(filters: ListOptions): Runs {
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
