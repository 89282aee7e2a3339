import { decide, expiredAt } from '../core/decide.ts';
import type { RunState } from '../core/state.ts';
import { isRepeatable } from '../domain/effect.ts';
import type { Failure } from '../domain/failure.ts';
import type { Driver } from './perform.ts';
import { textsOf } from './texts.ts';

/**
 * Takes a run up where another driver left it; false where only a person can go on, and nothing is written then.
 *
 * The question is put as of the last fact, and that the run is taken up again is written before anything is decided
 * as of now: the days in between do not count. Only questions expire in them: a person was told until when to answer.
 * We hold the claim and have called nothing yet, so what the journal says is running, or is held open for a person, was
 * lost with its driver.
 */
export function recover({ ledger, parts }: Driver): boolean {
  const { state } = ledger;
  const isExpired = state.end === undefined && expiredAt(state, parts.clock.now()).length > 0;
  if (!isExpired && decide(state, state.lastAt).length === 0) return false;
  ledger.record();
  for (const task of [...state.running, ...state.held]) {
    const attempt = state.tasks.get(task)?.attempts ?? 1;
    const failure = endlessCrash(task, ledger.state);
    if (failure === undefined)
      ledger.record({ type: 'task_in_doubt', data: { task, attempt, cause: 'driver_lost' } });
    else ledger.record({ type: 'task_failed', data: { task, attempt, failure, ms: 0 } });
  }
  return true;
}

/** A crash of the driver is no attempt of the tool. But a call that brings the driver down each time must end too. */
function endlessCrash(id: string, state: RunState): Failure | undefined {
  const task = state.tasks.get(id);
  const { restarts = Number.POSITIVE_INFINITY } = state.settings.task;
  if (task === undefined || task.crashesInVain < restarts || !isRepeatable(task.effect)) return undefined;
  const message = textsOf(state).crashedAgain(task.task.operation, task.crashesInVain + 1);
  return { kind: 'tool_error', message };
}
