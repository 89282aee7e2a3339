import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEMO_SERVERS } from '../src/config/index.ts';

const SERVERS = join(import.meta.dirname, '../../servers/src');

/** The tools of each shipped server that needs no settings, as the server itself lists them. */
export async function listShippedTools(): Promise<Record<string, unknown>> {
  const lists = await Promise.all(DEMO_SERVERS.map(async (name) => [name, await listTools(name)] as const));
  return Object.fromEntries(lists);
}

async function listTools(name: string): Promise<unknown> {
  const server = spawn(process.execPath, [join(SERVERS, name, 'main.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`The server ${name} ended before it listed its tools.`);
      const answer = JSON.parse(value) as { id?: number; result?: unknown };
      if (answer.id === id) return answer.result;
    }
  };
  const clientInfo = { name: 'dandori-build', version: '0' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  const { tools } = (await ask(2, 'tools/list', {})) as { tools: unknown };
  const exit = once(server, 'exit');
  server.stdin.end();
  await exit;
  return tools;
}
