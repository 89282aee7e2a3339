import { useMemo } from 'react';
import type { FactType } from '#dandori/model/event.ts';
import type { ViewProps } from '../view.ts';
import { removedTasks } from './removed.ts';
import { digestOf, type Structure, structureOf } from './structure.ts';

/** All that can change which tasks there are and what they wait for. */
const STRUCTURAL: ReadonlySet<FactType> = new Set<FactType>([
  'plan_proposed',
  'plan_revised',
  'plan_approved',
  'plan_rejected',
  'question_asked',
  'question_answered',
  'question_expired',
]);

/** The same object for as long as the plan is the same, however much happens in it. */
export function useStructure({ run, state, events }: ViewProps, hasGone: boolean): Structure {
  const seq = events.findLast(({ type }) => STRUCTURAL.has(type))?.seq ?? 0;
  // The state is changed in place; `seq` says when its plan is.
  const structure = useMemo(
    () => structureOf(state, { removed: hasGone ? removedTasks(events) : [], superseded: hasGone }),
    [run, seq, hasGone],
  );
  const digest = useMemo(() => digestOf(structure), [structure]);
  // One that is equal to the one before is that one.
  return useMemo(() => structure, [digest]);
}
