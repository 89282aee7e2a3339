import type { Failure } from '../../domain/failure.ts';

const PREFIX = "The model's output could not be used: ";

/**
 * A call that worked and gave nothing usable. The kinds of failure do not tell it from a model that could not be
 * reached, but the next prompt must: only of this one does the model have to hear. So the message carries it.
 */
export function unusable(reason: string): Failure {
  return { kind: 'model_error', message: `${PREFIX}${reason}`, retryable: false };
}

export function unusableReason({ kind, message }: Failure): string | undefined {
  return kind === 'model_error' && message.startsWith(PREFIX) ? message.slice(PREFIX.length) : undefined;
}
