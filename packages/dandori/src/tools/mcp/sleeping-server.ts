import * as z from 'zod';
import type { McpServer, McpServerOptions } from './server.ts';
import { type ListedTool, listedTool, toTools } from './tools.ts';

const list = z.array(listedTool);

/**
 * A server whose tools are known. It starts with its first call, and so does the MCP client. A run that uses one of five
 * servers starts one process.
 */
export function createSleepingServer(options: McpServerOptions, listed: unknown): McpServer {
  const { name, config, secrets } = options;
  const found: readonly ListedTool[] = list.parse(listed);
  const known = toTools(found, { server: name, config, secrets }, []);
  options.onFound(known);
  let server: McpServer | undefined;
  let starting: Promise<McpServer> | undefined;
  const wake = async (): Promise<McpServer> => {
    const { startServer } = await import('./server.ts');
    server = await startServer({ ...options, known });
    return server;
  };
  return {
    name,
    tools: () => server?.tools() ?? known,
    missing: () => server?.missing(),
    async call(call) {
      starting ??= wake();
      return (await starting).call(call);
    },
    close: async () => (await starting)?.close(),
    kill: () => server?.kill(),
  };
}
