import { enableCompileCache } from 'node:module';
import type { McpServer } from '@modelcontextprotocol/server';
import { compileCache } from './data-file.ts';

const VERSION = '0.3.0';

interface Tools {
  registerTools(server: McpServer): void;
}

/** Serves tools over stdio until the host closes stdin. stdout carries the protocol and nothing else. */
export async function serve(name: string, loadTools: () => Promise<Tools>): Promise<void> {
  // Hosts start servers again and again. Everything large is imported after this line, so that only the first
  // start compiles it.
  enableCompileCache(compileCache());
  const [{ McpServer }, { serveStdio }, { registerTools }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('@modelcontextprotocol/server/stdio'),
    loadTools(),
  ]);
  serveStdio(
    () => {
      const server = new McpServer({ name: `dandori-${name}`, version: VERSION });
      registerTools(server);
      return server;
    },
    { onerror: (error) => console.error(`[dandori-${name}] ${error.message}`) },
  );
  // Open child processes and sockets would otherwise keep a server alive after its host has gone.
  process.stdin.once('end', () => process.exit(0));
  process.stdin.once('close', () => process.exit(0));
}
