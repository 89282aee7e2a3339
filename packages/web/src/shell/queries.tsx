import {
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
  type UseQueryResult,
  useQuery,
} from '@tanstack/react-query';
import type { Client, ToolList } from 'dandori/client';
import { type ReactNode, useState } from 'react';
import { DandoriError } from '#dandori/model/error.ts';
import { lookAgain } from '../live/page-visibility.ts';
import { useClient } from './session.tsx';

/** The query that checks the access token. */
export const GATE = ['gate'];

/** The query cache of this session. */
export function Queries({ children }: { readonly children: ReactNode }) {
  const [queries] = useState(createQueries);
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}

function createQueries(): QueryClient {
  const queries: QueryClient = new QueryClient({
    defaultOptions: {
      // The server may be on this machine, so an offline browser may still reach it.
      queries: { retry: isWorthRetrying, refetchOnWindowFocus: true, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
    // The mutation may have changed a run that had ended.
    mutationCache: new MutationCache({ onSettled: lookAgain }),
    queryCache: new QueryCache({
      // The token may have been revoked while the page was open.
      onError(error, { queryKey }) {
        if (isUnauthorized(error) && queryKey[0] !== GATE[0])
          void queries.invalidateQueries({ queryKey: GATE });
      },
    }),
  });
  return queries;
}

export function isUnauthorized(error: unknown): boolean {
  return error instanceof DandoriError && error.code === 'unauthorized';
}

/** What the server refused, it would refuse again. */
function isWorthRetrying(failures: number, error: unknown): boolean {
  return failures < 1 && !(error instanceof DandoriError);
}

export type OpenQuestion = Awaited<ReturnType<Client['questions']>>[number];

const QUESTIONS_EVERY_MS = 5_000;

/** The open questions of all runs, fetched once for all components. */
export function useOpenQuestions(): UseQueryResult<OpenQuestion[]> {
  const client = useClient();
  return useQuery({
    queryKey: ['questions'],
    queryFn: () => client.questions(),
    refetchInterval: QUESTIONS_EVERY_MS,
  });
}

/** MCP servers come and go while the page is open. */
const TOOLS_EVERY_MS = 15_000;

export function useTools(): UseQueryResult<ToolList> {
  const client = useClient();
  return useQuery({
    queryKey: ['tools'],
    queryFn: () => client.tools(),
    refetchInterval: TOOLS_EVERY_MS,
  });
}
