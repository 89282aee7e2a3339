import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { type InputResponse, MOST_QUESTIONS } from '../../../core/elicitation.ts';
import type { SchemaCheck } from '../../../core/schema.ts';
import type { Call, InputRequest } from '../../../ports/toolbox.ts';
import { RefusedRequest, toInputRequest } from './input-request.ts';

type Asker = Pick<Call, 'userId' | 'elicit' | 'signal'>;

/**
 * The calls on whose behalf a server may ask a person while they run. MCP of 2025 does not say which call a server asks
 * for. Over HTTP the request comes on the stream of its call, and with that in its asynchronous context. Over stdio it
 * is the one call that is open; where there are several for one user, the first that asks nothing yet.
 */
export interface Askers {
  /** The signal says that the call is given up, because it asks without end. */
  during<T>(asker: Asker, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Rejects with a `ProtocolError` that the server is told. */
  ask(params: unknown): Promise<InputResponse>;
}

export function createAskers(check: SchemaCheck): Askers {
  const context = new AsyncLocalStorage<Asker>();
  /** With how many questions each has open, and how many it has asked. */
  const open = new Map<Asker, { waiting: number; asked: number; readonly flood: AbortController }>();

  const whoAsks = (): Asker => {
    const known = context.getStore();
    if (known !== undefined) return known;
    const candidates = [...open.keys()];
    const [first] = candidates;
    if (first === undefined) throw refusal('there is no call for which a person could be asked');
    // Nobody is asked what somebody else is to answer.
    if (candidates.some(({ userId }) => userId !== first.userId))
      throw refusal('calls for several users are open, and nothing says which of them asks');
    return candidates.find((asker) => open.get(asker)?.waiting === 0) ?? first;
  };

  return {
    async during(asker, work) {
      const flood = new AbortController();
      open.set(asker, { waiting: 0, asked: 0, flood });
      try {
        return await context.run(asker, () => work(AbortSignal.any([asker.signal, flood.signal])));
      } catch (error) {
        throw flood.signal.aborted && !asker.signal.aborted ? flood.signal.reason : error;
      } finally {
        open.delete(asker);
      }
    },
    async ask(params) {
      const asker = whoAsks();
      const own = open.get(asker);
      if (own === undefined) throw refusal('the call for which it is asked has ended');
      own.asked += 1;
      // Before anything of it is read: a form is compiled, and a server may send thousands.
      if (own.asked > MOST_REFUSED) own.flood.abort(new AskedTooOften(own.asked));
      if (own.asked > MOST_QUESTIONS) throw refusal(`a call may ask ${MOST_QUESTIONS} times, and not more`);
      const request = readRequest(params, check);
      if (asker.elicit === undefined) return { action: 'cancel' };
      own.waiting += 1;
      try {
        return await Promise.race([asker.elicit(request), untilAborted(asker.signal)]);
      } finally {
        own.waiting -= 1;
      }
    },
  };
}

/** A server that does not hear a no is not heard any more. */
const MOST_REFUSED = 10 * MOST_QUESTIONS;

export class AskedTooOften extends Error {
  override readonly name = 'AskedTooOften';

  constructor(times: number) {
    super(`it asked for input ${times} times during one call, and was given up`);
  }
}

function readRequest(params: unknown, check: SchemaCheck): InputRequest {
  try {
    return toInputRequest(params, check);
  } catch (error) {
    throw error instanceof RefusedRequest ? refusal(error.message) : error;
  }
}

function refusal(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function untilAborted(signal: AbortSignal): Promise<InputResponse> {
  return new Promise((resolve) => {
    const stop = () => resolve({ action: 'cancel' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
