import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { type JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from './config.ts';
import { createExactNumbers } from './exact-numbers.ts';
import { createHttpFetch, REQUEST_HEADER } from './http-fetch.ts';
import { asResponse, isMalformed, NO_JSON_RPC, TransportProblem } from './problem.ts';
import { cancelledRequest, type ServerTransport } from './transport.ts';

interface Pending {
  readonly stop: AbortController;
  readonly isCall: boolean;
  problem?: TransportProblem;
}

const GOODBYE = 1_000;

/**
 * MCP over streamable HTTP by the SDK, with what it leaves open on connections of 2025: a request whose stream ends
 * without an answer would wait for ever, and a cancelled one would keep its connection.
 */
export function createHttpTransport(config: HttpServerConfig, limit: number): ServerTransport {
  const pending = new Map<string | number, Pending>();
  const exact = createExactNumbers();
  /** The request on whose stream something is read. */
  const reading = new AsyncLocalStorage<string | number>();
  const http = createHttpFetch(limit, exact, (request, problem) => {
    const entry = pending.get(Number(request));
    if (entry !== undefined) entry.problem = problem;
  });
  const inner = new StreamableHTTPClientTransport(new URL(config.url), {
    fetch: http.fetch,
    requestInit: { headers: { ...config.headers } },
  });
  const unanswered = (id: string | number) => {
    const entry = pending.get(id);
    if (entry === undefined) return;
    pending.delete(id);
    const lost = new TransportProblem('connection_lost', 'the connection ended without an answer');
    transport.onmessage?.(asResponse(id, entry.problem ?? lost));
  };

  const transport: ServerTransport = {
    start: () => inner.start(),
    async send(message, options) {
      if (!isRequest(message)) {
        await inner.send(exact.marked(message), options);
        const cancelled = cancelledRequest(message);
        // Only now: the server hears of the cancellation before it sees the connection go.
        if (cancelled !== undefined) {
          pending.get(cancelled)?.stop.abort();
          pending.delete(cancelled);
        }
        return;
      }
      const { id } = message;
      const stop = new AbortController();
      pending.set(id, { stop, isCall: message.method === 'tools/call' });
      const signals = [stop.signal, options?.requestSignal].filter((signal) => signal !== undefined);
      try {
        await reading.run(id, () =>
          inner.send(exact.marked(message), {
            ...options,
            headers: { ...options?.headers, [REQUEST_HEADER]: String(id) },
            requestSignal: AbortSignal.any(signals),
            onRequestStreamEnd: () => {
              options?.onRequestStreamEnd?.();
              unanswered(id);
            },
          }),
        );
      } catch (error) {
        const problem = pending.get(id)?.problem;
        pending.delete(id);
        throw problem ?? error;
      }
    },
    async close() {
      // A server that keeps sessions is told that this one is over, but not waited for.
      await Promise.race([
        inner.terminateSession().catch(() => {}),
        delay(GOODBYE, undefined, { ref: false }),
      ]);
      await inner.close();
      http.close();
    },
    kill: () => http.close(),
    lastWords() {
      const body = http.lastBody();
      return body === undefined ? {} : { body };
    },
    hasPerRequestStream: true,
    get sessionId() {
      return inner.sessionId;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
  };

  inner.onmessage = (message: JSONRPCMessage) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
    transport.onmessage?.(exact.unmarked(message));
  };
  inner.onerror = (error) => {
    const id = reading.getStore();
    // A message on the stream of a request that cannot be read is its answer, or hides it.
    if (id !== undefined && isMalformed(error) && pending.get(id)?.isCall === true) {
      pending.get(id)?.stop.abort();
      pending.delete(id);
      transport.onmessage?.(asResponse(id, new TransportProblem('malformed', NO_JSON_RPC)));
    }
    transport.onerror?.(error);
  };
  inner.onclose = () => transport.onclose?.();
  return transport;
}

function isRequest(
  message: JSONRPCMessage,
): message is JSONRPCMessage & { id: string | number; method: string } {
  return 'id' in message && 'method' in message;
}
