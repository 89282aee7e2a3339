import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import type { CallOutcome } from '../../../ports/toolbox.ts';
import { failed, lost } from '../outcome.ts';
import { isMalformed, NO_JSON_RPC, TransportProblem } from './problem.ts';
import { describeStatus, messageOf } from './reason.ts';

/**
 * What became of a call that ended in an error. The question is always the same: could it have taken effect? Where that
 * cannot be ruled out it is lost, and the engine settles it by its effect. `reason` is why the server is gone, where it is.
 */
export function callErrorOutcome(error: unknown, server: string, reason?: string): CallOutcome {
  const problem = problemIn(error);
  if (problem !== undefined) return problemOutcome(problem, server);
  if (isMalformed(error)) return problemOutcome(new TransportProblem('malformed', NO_JSON_RPC), server);
  if (error instanceof SdkHttpError) return statusOutcome(error, server);
  // The server has answered, and the answer is no.
  if (error instanceof ProtocolError) return failed('tool_error', error.message);
  if (error instanceof SdkError) return sdkOutcome(error, server, reason);
  const message = error instanceof Error ? error.message : String(error);
  // The SDK says this without a code when the connection closed a moment ago.
  if (message === 'Not connected')
    return failed('unavailable', `${server} is not connected`, { retryable: true });
  return lost('connection_lost', `${server}: ${message}`);
}

function problemIn(error: unknown): TransportProblem | undefined {
  if (error instanceof TransportProblem) return error;
  const data = error instanceof ProtocolError ? error.data : undefined;
  return data instanceof TransportProblem ? data : undefined;
}

function problemOutcome({ kind, message, retryAfter }: TransportProblem, server: string): CallOutcome {
  if (kind === 'too_large') return failed('too_large', `${server}: ${message}`);
  if (kind === 'malformed')
    return failed('invalid_result', `${server}: ${message}; the call was made and may have taken effect`);
  if (kind === 'connection_lost') return lost('connection_lost', `${server}: ${message}`);
  return failed('unavailable', `${server}: ${message}`, {
    retryable: true,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

function statusOutcome(error: SdkHttpError, server: string): CallOutcome {
  const status = error.status ?? 0;
  const message = `${server} answered with ${describeStatus(error)}`;
  if (status === 401 || status === 403) return failed('unavailable', message);
  // Our session is over, as after a restart of the server; the next call has a new one.
  if (status === 404) return failed('unavailable', message, { retryable: true });
  // A gateway says 502 or 504 when the server behind it had the call already.
  return status >= 500 ? lost('connection_lost', message) : failed('tool_error', message);
}

function sdkOutcome(error: SdkError, server: string, reason: string | undefined): CallOutcome {
  switch (error.code) {
    case SdkErrorCode.NotConnected:
      return failed('unavailable', `${server} is not connected`, { retryable: true });
    case SdkErrorCode.InvalidResult:
      return failed('invalid_result', `${server} sent an answer that is no tool result: ${messageOf(error)}`);
    case SdkErrorCode.UnsupportedResultType:
      return failed('invalid_result', `${server} sent a kind of answer that is not supported`);
    default:
      return lost('connection_lost', `server ${server} was lost during the call: ${reason ?? error.message}`);
  }
}
