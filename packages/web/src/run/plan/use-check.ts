import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CheckedPlan } from 'dandori/client';
import { useEffect, useState } from 'react';
import { useClient } from '../../shell/session.tsx';

const PAUSE_MS = 300;

export interface Checked {
  /** Of what was last looked at, which may be a little older than the text. */
  readonly result: CheckedPlan | undefined;
  readonly isCurrent: boolean;
  readonly error: unknown;
}

/** What the compiler says of a plan within its run, a moment after the last key. */
export function useCheck(text: string, within: { readonly run: string; readonly at?: number }): Checked {
  const client = useClient();
  const settled = useSettled(text);
  const { data, isPlaceholderData, error } = useQuery({
    queryKey: ['check', within.run, within.at, settled],
    queryFn: () => client.check(settled, within),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  });
  const isCurrent = settled === text && !isPlaceholderData && data !== undefined;
  return { result: data, isCurrent, error };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
