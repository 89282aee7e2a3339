import { replacementFor } from '../core/replacement.ts';
import type { Driver } from './perform.ts';

/** Proposes what a person chose in place of a task; it is compiled like any other plan. */
export function replaceTask(id: string, { ledger }: Driver): void {
  const { state } = ledger;
  const task = state.tasks.get(id);
  if (task === undefined) return;
  ledger.record({
    type: 'plan_revised',
    data: { version: state.planVersion + 1, ...replacementFor(state, task) },
  });
}
