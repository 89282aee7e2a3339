import { useQuery } from '@tanstack/react-query';
import type { CheckedPlan } from 'dandori/client';
import { useSettled } from '../live/use-settled.ts';
import { useClient } from '../shell/session.tsx';

export interface PlanCheck {
  /** Of the plan as it is now; undefined while nobody knows. */
  readonly checked: CheckedPlan | undefined;
  /** Why it could not even be read. */
  readonly error: unknown;
  readonly isChecking: boolean;
}

/** What the compiler says of the text, whenever its author stops for a moment. */
export function usePlanCheck(plan: string): PlanCheck {
  const client = useClient();
  const settled = useSettled(plan);
  const isEmpty = plan.trim() === '';
  const { data, error, isFetching } = useQuery({
    queryKey: ['check', settled],
    queryFn: () => client.check(settled),
    enabled: settled.trim() !== '',
    gcTime: 60_000,
  });
  const isCurrent = settled === plan && !isEmpty;
  return {
    checked: isCurrent ? data : undefined,
    error: isCurrent ? error : null,
    isChecking: !isEmpty && (!isCurrent || isFetching),
  };
}
