import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ToolList } from 'dandori/client';
import { useClient } from '../shell/session.tsx';

/** Servers come and go while the page is open. */
const LOOKED_FOR_EVERY_MS = 15_000;

export function useTools(): UseQueryResult<ToolList> {
  const client = useClient();
  return useQuery({
    queryKey: ['tools'],
    queryFn: () => client.tools(),
    refetchInterval: LOOKED_FOR_EVERY_MS,
  });
}
