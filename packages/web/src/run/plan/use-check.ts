import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CheckedPlan } from 'dandori/client';
import { useSettled } from '../../live/use-settled.ts';
import { useClient } from '../../shell/session.tsx';

export interface Checked {
  /** The result of the last check, which may be older than the text. */
  readonly result: CheckedPlan | undefined;
  readonly isCurrent: boolean;
  readonly error: unknown;
}

/** Checks a plan, alone or within its run, shortly after the last key press. */
export function useCheck(text: string, within?: { readonly run: string; readonly at?: number }): Checked {
  const client = useClient();
  const settled = useSettled(text);
  const isEmpty = settled.trim() === '';
  const { data, isPlaceholderData, error } = useQuery({
    queryKey: ['check', within?.run, within?.at, settled],
    queryFn: () => client.check(settled, within),
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const isCurrent = settled === text && (isEmpty || (!isPlaceholderData && data !== undefined));
  return { result: isEmpty ? undefined : data, isCurrent, error };
}
