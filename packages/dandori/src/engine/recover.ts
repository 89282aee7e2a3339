import type { Driver } from './perform.ts';

/** We hold the claim and have called nothing yet, so what the journal says is running was lost with its driver. */
export function recover({ ledger }: Driver): void {
  for (const task of [...ledger.state.running]) {
    const attempt = ledger.state.tasks.get(task)?.attempts ?? 1;
    ledger.record({ type: 'task_in_doubt', data: { task, attempt, cause: 'driver_lost' } });
  }
  // The next commit writes run_resumed, which closes a decision that was open.
  if (ledger.state.thinking !== undefined) ledger.record();
}
