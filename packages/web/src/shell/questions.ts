import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Client } from 'dandori/client';
import { useClient } from './session.tsx';

export type OpenQuestion = Awaited<ReturnType<Client['questions']>>[number];

const LOOKED_FOR_EVERY_MS = 5_000;

/** The open questions of all runs, for whoever wants them: they are asked for once. */
export function useOpenQuestions(): UseQueryResult<OpenQuestion[]> {
  const client = useClient();
  return useQuery({
    queryKey: ['questions'],
    queryFn: () => client.questions(),
    refetchInterval: LOOKED_FOR_EVERY_MS,
  });
}
