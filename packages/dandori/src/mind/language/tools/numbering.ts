import type { RunState } from '../../../core/state.ts';
import { countOf } from '../written-order.ts';

/**
 * The ids of native calls. Providers give calls ids that no model can know while it writes, so that no Ref could name
 * them; ours are counted, through the whole conversation, in the order of the calls. A list that was refused does not
 * count: its correction repeats it, Refs and all.
 */
export function nextNumber(state: RunState): number {
  const decided = state.decisions
    .filter(({ diagnostics }) => diagnostics === undefined)
    .flatMap(({ proposed, operations }) => [...proposed, ...operations]);
  return highestNumber([...state.tasks.keys(), ...decided.map(({ id }) => id)]) + 1;
}

/** 7 of `t3`, `t7` and `rows`. */
export function highestNumber(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) {
    highest = Math.max(highest, countOf(id) ?? 0);
  }
  return highest;
}
