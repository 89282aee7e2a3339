import type { Failure } from '../../domain/failure.ts';

/** A call that worked and gave nothing usable. The next prompt says so: the model can do better, unlike a network. */
export function unusable(reason: string): Failure {
  return {
    kind: 'unusable_output',
    message: `The model's output could not be used: ${reason}`,
    retryable: false,
  };
}
