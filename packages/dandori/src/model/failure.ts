import * as z from 'zod';
import { type JsonObject, jsonObject } from './json.ts';

/**
 * A failure is data: it is journaled, shown to the mind and to the user, and never thrown across a port.
 *
 * - `tool_error`      the tool itself reported an error
 * - `timeout`         the call took longer than its limit
 * - `unavailable`     the tool is missing now: its server is down, or the tool was removed
 * - `invalid_args`    the filled-in arguments do not fit the input schema; the tool was not called
 * - `invalid_result`  the tool's result does not fit its own output schema
 * - `unexpected`      the result is not what the plan expected
 * - `too_large`       the result is over the limit
 * - `rejected`        a person said no
 * - `cancelled`       the run was cancelled while the call was running
 * - `model_error`     the language model could not be reached or gave no usable answer
 * - `unusable_output` the model answered in a form that cannot be used; it is told why
 * - `plan_error`      no valid plan could be made, an answer made the plan impossible to order, or a call
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

/** Why it is unknown whether a call took effect. */
export const lostCause = z.enum(['timeout', 'connection_lost', 'cancelled']);
export type LostCause = z.infer<typeof lostCause>;

/**
 * A message of Dandori itself in a run, as a code with parameters. `views/texts` turns it into text. The
 * journal stores the code and the text of that day. So a replay compares codes, and a view may word the
 * message again.
 */
export const saidFields = { code: z.string().optional(), params: jsonObject.optional() };

export const failure = z.object({
  kind: failureKind,
  message: z.string(),
  ...saidFields,
  /** True if the same call may work later. Whether it is retried also depends on its effect. */
  retryable: z.boolean().optional(),
  /** Milliseconds until a retry makes sense (a server's Retry-After). */
  retryAfter: z.number().optional().describe('Milliseconds to wait before a retry'),
});
export type Failure = z.infer<typeof failure>;

const CODES = [
  'asks_for_ever',
  'asks_for_nothing',
  'asks_otherwise',
  'call_broke',
  'call_stopped',
  'cannot_replace',
  'crashed_again',
  'criteria_not_judged',
  'criteria_not_met',
  'decision_unusable',
  'declined',
  'did_not_stop',
  'failed_after',
  'form_unusable',
  'given_up',
  'limit',
  'mind_broke',
  'mind_broke_contract',
  'mind_stopped',
  'misfit',
  'no_action',
  'no_answer',
  'no_next',
  'no_plan',
  'not_again',
  'not_allowed',
  'not_approved',
  'not_called',
  'not_called_any_more',
  'not_filled',
  'not_fitting',
  'not_reached',
  'not_written',
  'overtaken',
  'part_failed',
  'plan_invalid',
  'plan_not_approved',
  'probe_missing',
  'probe_unclear',
  'secret_gone',
  'step_given_up',
  'task',
  'too_deep',
  'too_slow',
  'unanswered',
  'under_way',
  'unexpected',
] as const;

/** A message as code and parameters, before it is turned into text. */
export interface Said {
  readonly code: (typeof CODES)[number];
  readonly params?: JsonObject;
}

/** A failure that has no text yet. */
export interface Cause extends Said {
  readonly kind: FailureKind;
}

/** Reads the message from the journal. Undefined if it has no code, or a code of another version. */
export function saidIn({ code, params }: Pick<Failure, 'code' | 'params'>): Said | undefined {
  const known = CODES.find((one) => one === code);
  return known && { code: known, ...(params && { params }) };
}

/** Turns a message into text, in the language of a run. */
export type Word = (said: Said) => string;

/** A message with its text, as the journal stores it. Text of a tool has no code. */
export type Message = Pick<Failure, 'message' | 'code' | 'params'>;

export function toMessage({ code, params }: Said, word: Word): Message {
  const said = { code, ...(params && { params }) };
  return { message: word(said), ...said };
}

export function toFailure({ kind, ...said }: Cause, word: Word): Failure {
  return { kind, ...toMessage(said, word) };
}

export function messageIn({ message, code, params }: Message): Message {
  return { message, ...(code !== undefined && { code }), ...(params && { params }) };
}
