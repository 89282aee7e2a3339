import { apply } from '#core/apply.ts';
import type { RunState } from '#core/state.ts';
import type { Event } from '#domain/event.ts';

/** The state as it was after event `seq`: folded anew, as the state of the live run is changed in place. */
export function stateAt(events: readonly Event[], seq: number): RunState | undefined {
  let state: RunState | undefined;
  for (const event of events) {
    if (event.seq > seq) break;
    state = apply(state, event);
  }
  return state;
}
