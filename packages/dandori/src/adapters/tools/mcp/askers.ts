import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import type { InputResponse } from '../../../core/elicitation.ts';
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
  during<T>(asker: Asker, work: () => Promise<T>): Promise<T>;
  /** Rejects with a `ProtocolError` that the server is told. */
  ask(params: unknown): Promise<InputResponse>;
}

export function createAskers(check: SchemaCheck): Askers {
  const context = new AsyncLocalStorage<Asker>();
  /** With how many questions each has open. */
  const open = new Map<Asker, number>();

  const whoAsks = (): Asker => {
    const known = context.getStore();
    if (known !== undefined) return known;
    const candidates = [...open.keys()];
    const [first] = candidates;
    if (first === undefined) throw refusal('there is no call for which a person could be asked');
    // Nobody is asked what somebody else is to answer.
    if (candidates.some(({ userId }) => userId !== first.userId))
      throw refusal('calls for several users are open, and nothing says which of them asks');
    return candidates.find((asker) => open.get(asker) === 0) ?? first;
  };

  return {
    async during(asker, work) {
      open.set(asker, 0);
      try {
        return await context.run(asker, work);
      } finally {
        open.delete(asker);
      }
    },
    async ask(params) {
      const request = readRequest(params, check);
      const asker = whoAsks();
      if (asker.elicit === undefined) return { action: 'cancel' };
      open.set(asker, (open.get(asker) ?? 0) + 1);
      try {
        return await Promise.race([asker.elicit(request), untilAborted(asker.signal)]);
      } finally {
        if (open.has(asker)) open.set(asker, (open.get(asker) ?? 1) - 1);
      }
    },
  };
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
