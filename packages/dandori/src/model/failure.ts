import * as z from 'zod';

/**
 * A failure is data: it is journaled, shown to the mind and to the user, and never thrown across a port.
 *
 * - `tool_error`      the tool itself said no
 * - `timeout`         the call took longer than its limit
 * - `unavailable`     no such tool now: its server is down or it was taken away
 * - `invalid_args`    the filled-in arguments do not fit the input schema; the tool was not called
 * - `invalid_result`  the tool's result does not fit its own output schema
 * - `unexpected`      the result is not what the plan expected
 * - `too_large`       the result is over the limit
 * - `rejected`        a person said no
 * - `cancelled`       the run was cancelled while the call was running
 * - `model_error`     the language model could not be reached or did not give a usable answer
 * - `unusable_output` the model answered, and not in a form that can be used; it is told why
 * - `plan_error`      no valid plan could be made, an answer made one that cannot be run in order any more, or a call
 *                     would repeat one that has succeeded; the tool was not called
 * - `not_possible`    the mind says that the goal cannot be reached with these tools
 */
const failureKind = z.enum([
  'tool_error',
  'timeout',
  'unavailable',
  'invalid_args',
  'invalid_result',
  'unexpected',
  'too_large',
  'rejected',
  'cancelled',
  'model_error',
  'unusable_output',
  'plan_error',
  'not_possible',
]);
export type FailureKind = z.infer<typeof failureKind>;

export const failure = z.object({
  kind: failureKind,
  message: z.string(),
  /** True where the same call may work at another time. Whether it is tried again also depends on its effect. */
  retryable: z.boolean().optional(),
  /** Earliest time from now, in ms, at which a new try makes sense (a server's Retry-After). */
  retryAfter: z.number().optional(),
});
export type Failure = z.infer<typeof failure>;
