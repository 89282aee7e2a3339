import { type JSONRPCMessage, SSEClientTransport, SseError } from '@modelcontextprotocol/client';
import type { HttpServerConfig } from './config.ts';
import { createExactNumbers } from './exact-numbers.ts';
import { createHttpFetch, isRequest } from './http.ts';
import { storedLogin } from './oauth.ts';
import { asResponse, cancelledRequest, type ServerTransport, TransportProblem } from './transport.ts';

/**
 * MCP over HTTP with SSE, the transport of 2024. All answers come on one stream. When it breaks, the SDK would open
 * another one, on which the answers never come. So a broken stream ends the connection.
 */
export function createSseTransport(config: HttpServerConfig, limit: number): ServerTransport {
  const pending = new Set<string | number>();
  const exact = createExactNumbers();
  const http = createHttpFetch(limit, exact, () => {});
  let isOpen = false;
  const login = storedLogin(config);
  const inner = new SSEClientTransport(new URL(config.url), {
    fetch: http.fetch,
    requestInit: { headers: { ...config.headers } },
    ...(login !== undefined && { authProvider: login }),
  });
  const lose = (reason: string) => {
    if (!isOpen) return;
    isOpen = false;
    for (const id of pending)
      transport.onmessage?.(asResponse(id, new TransportProblem('connection_lost', reason)));
    pending.clear();
    void inner.close();
  };

  const transport: ServerTransport = {
    async start() {
      await inner.start();
      isOpen = true;
    },
    async send(message) {
      const cancelled = cancelledRequest(message);
      if (cancelled !== undefined) pending.delete(cancelled);
      if (!isOpen) throw new TransportProblem('not_sent', 'the connection is closed');
      if (isRequest(message)) pending.add(message.id);
      try {
        await inner.send(exact.marked(message));
      } catch (error) {
        if (isRequest(message)) pending.delete(message.id);
        throw error;
      }
    },
    async close() {
      lose('the connection was closed');
      await inner.close();
      http.close();
    },
    kill: () => http.close(),
    lastWords: http.lastWords,
    setProtocolVersion: (version) => inner.setProtocolVersion(version),
  };

  inner.onmessage = (message: JSONRPCMessage) => {
    if ('id' in message && message.id !== undefined && !('method' in message)) pending.delete(message.id);
    transport.onmessage?.(exact.unmarked(message));
  };
  inner.onerror = (error) => {
    transport.onerror?.(error);
    if (error instanceof SseError) lose('the connection ended without an answer');
  };
  inner.onclose = () => transport.onclose?.();
  return transport;
}
