import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';

it('retries a read after the server closed the connection, and never a request that may have taken effect', async () => {
  const asked: string[] = [];
  const server = createServer(({ method, url }, response) => {
    asked.push(`${method} ${url}`);
    if (asked.length % 2 === 1) response.destroy();
    else response.end(JSON.stringify({ role: 'admin' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = createClient({ url: `http://127.0.0.1:${port}` });
  try {
    expect(await client.user()).toEqual({ role: 'admin' });
    expect(asked).toEqual(['GET /api/user', 'GET /api/user']);
    await expect(client.cancel('r1')).rejects.toMatchObject({ code: 'server-unreachable' });
    expect(asked.slice(2)).toEqual(['POST /api/runs/r1/cancel']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
