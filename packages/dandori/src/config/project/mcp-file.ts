import { basename } from 'node:path';
import { isObject } from '../model/json.ts';

/** The files in which other MCP hosts keep the servers of a project. Read where there is no `dandori.yaml`. */
export const MCP_FILES = ['mcp.json', '.mcp.json'] as const;

export function isMcpFile(file: string | undefined): boolean {
  return file !== undefined && MCP_FILES.some((name) => name === basename(file));
}

/** What says how to reach a server. Hosts add keys of their own, which mean nothing here. */
const KNOWN = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled'];

/** The servers as other hosts write them: under `mcpServers`, or in VS Code under `servers`. */
export function mcpServersIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const servers = value.mcpServers ?? value.servers ?? {};
  if (!isObject(servers)) return { mcpServers: servers };
  return {
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [
        name,
        isObject(server)
          ? Object.fromEntries(Object.entries(server).filter(([key]) => KNOWN.includes(key)))
          : server,
      ]),
    ),
  };
}
