import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './child.ts';

/** The least that can be done: events that are there already, each encoded once, written to who has asked for them. */
const streams = new Map<string, Set<ServerResponse>>();
const server = createServer((request, response) => {
  const path = request.url ?? '';
  const clients = streams.get(path) ?? new Set();
  streams.set(path, clients.add(response));
  response.on('close', () => clients.delete(response));
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.socket?.setNoDelay(true);
  response.flushHeaders();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');

answerParent(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
  async stop() {
    server.closeAllConnections();
    server.close();
  },
  /** The same events as the other server had, in the same pieces, to all who follow. */
  async message({ portions }: { portions: string[][] }) {
    for (const portion of portions) {
      for (const text of portion) {
        const data = Buffer.from(text);
        for (const clients of streams.values()) for (const response of clients) response.write(data);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const clients of streams.values()) for (const response of clients) response.end();
  },
});
