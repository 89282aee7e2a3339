import type { FailureKind } from '../../domain/failure.ts';
import type { CallOutcome } from '../../ports/toolbox.ts';

/** A failure is shown to the model with everything else; a stack trace of a megabyte must not crowd that out. */
const MAX_MESSAGE = 4_000;

export function failed(
  kind: FailureKind,
  message: string,
  more: { retryable?: boolean; retryAfter?: number } = {},
): CallOutcome {
  return { kind: 'failed', failure: { kind, message, ...more } };
}

export function lost(
  cause: 'timeout' | 'connection_lost' | 'cancelled',
  message: string,
): CallOutcome & { kind: 'lost' } {
  return { kind: 'lost', cause, message };
}

/** The call may have been carried out before it was told to stop. */
export function stopped(signal: AbortSignal, name: string): CallOutcome & { kind: 'lost' } {
  const { reason } = signal;
  const isTimeout = reason === 'timeout' || (reason instanceof Error && reason.name === 'TimeoutError');
  const cause = isTimeout ? 'timeout' : 'cancelled';
  return lost(cause, `${name} was stopped while it was running, and may or may not have taken effect`);
}

export function notStarted(name: string): CallOutcome {
  return failed('cancelled', `${name} was not called: the run was stopped before`);
}

/** The last step, after secrets have been taken out: half a secret could not be found any more. */
export function clipped(outcome: CallOutcome): CallOutcome {
  if (outcome.kind === 'lost') return { ...outcome, message: clip(outcome.message) };
  if (outcome.kind === 'succeeded' && outcome.note !== undefined)
    return { ...outcome, note: clip(outcome.note) };
  if (outcome.kind !== 'failed') return outcome;
  return { ...outcome, failure: { ...outcome.failure, message: clip(outcome.failure.message) } };
}

function clip(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`;
}
