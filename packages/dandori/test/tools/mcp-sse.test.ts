import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { openToolbox, succeeded, toCall } from './fixtures/calls.ts';

const EVERYTHING = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** A server that others made, over HTTP with SSE. */
async function startEverything() {
  const port = await freePort();
  const child = spawn(process.execPath, [EVERYTHING, 'sse'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  await expect.poll(() => said, { timeout: 60_000 }).toContain('running on port');
  return {
    url: `http://127.0.0.1:${port}/sse`,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('a server of 2024, over HTTP with SSE', () => {
  it('is found out, listed and called; a call whose stream breaks is lost, not forgotten', async () => {
    const server = await startEverything();
    const toolbox = await openToolbox({
      mcpServers: { found: { url: server.url }, told: { url: server.url, isLegacy: true } },
    });
    try {
      expect(toolbox.missing()).toEqual([]);
      expect(toolbox.tools().has('found.echo')).toBe(true);
      for (const name of ['found', 'told'])
        expect(succeeded(await toolbox.call(toCall(`${name}.echo`, { message: 'a' })))).toBe('Echo: a');
      const seen: number[] = [];
      const pending = toolbox.call(
        toCall(
          'found.trigger-long-running-operation',
          { duration: 600, steps: 6000 },
          { progress: () => seen.push(1) },
        ),
      );
      await expect.poll(() => seen.length).toBeGreaterThan(0);
      await server.kill();
      expect(await pending).toMatchObject({ kind: 'lost' });
    } finally {
      await toolbox.close();
      await server.kill();
    }
  });

  it('is not guessed at where an address simply does not exist', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(404).end('nothing here');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const toolbox = await openToolbox({ mcpServers: { gone: { url } } });
    expect(toolbox.missing()).toMatchObject([{ server: 'gone', reason: expect.stringContaining('404') }]);
    expect(asked.slice(0, 2)).toEqual(['POST /mcp', 'GET /mcp']);
    await toolbox.close();
    server.closeAllConnections();
    server.close();
  });
});
