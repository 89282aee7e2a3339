import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { HINTS, input, output } from '../effect-tools.ts';
import { readAll, send, toRequest } from '../tools/fixtures/web.ts';

/** An MCP server that outlives all workers and counts every effect. A call that has arrived cannot be stopped. */
export interface Ledger {
  readonly url: string;
  /** How often each name took effect. */
  readonly effects: ReadonlyMap<string, number>;
  /** Requests with a known key that did nothing more. */
  readonly repeated: number;
  close(): Promise<void>;
}

/** `file`: a line per effect, for services that look there. */
export async function startLedger(file: string): Promise<Ledger> {
  const effects = new Map<string, number>();
  const keys = new Set<unknown>();
  let repeated = 0;
  const takeEffect = (name: string, key: unknown, isOnce: boolean) => {
    // Only the idempotent tool looks at the key. For the others a second request is a second effect.
    if (isOnce && keys.has(key)) return void repeated++;
    keys.add(key);
    effects.set(name, (effects.get(name) ?? 0) + 1);
    appendFileSync(file, `${name}\n`);
  };
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'effects', version: '1' });
    for (const [tool, annotations] of Object.entries(HINTS))
      server.registerTool(
        tool,
        { inputSchema: input, outputSchema: output, annotations },
        async ({ name, before, behind }, { mcpReq }) => {
          await sleep(before);
          if (tool !== 'look') takeEffect(name, mcpReq._meta?.['dandori/idempotencyKey'], tool === 'put');
          await sleep(behind);
          const structuredContent = { name };
          return { structuredContent, content: [{ type: 'text', text: JSON.stringify(structuredContent) }] };
        },
      );
    return server;
  });
  const server = createServer(async (request, response) => {
    const body = await readAll(request);
    send(await handler.fetch(toRequest(request, body)), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    effects,
    get repeated() {
      return repeated;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
