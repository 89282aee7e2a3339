import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DandoriError } from '../domain/error.ts';

/** The MCP servers that come with Dandori. */
export const SHIPPED_SERVERS = ['calc', 'clock', 'sqlite', 'places', 'kitchen'] as const;
export type ShippedServer = (typeof SHIPPED_SERVERS)[number];

/** What a database returns are other people's words; what the others return is our own. */
export function isTrustedByDefault(name: ShippedServer): boolean {
  return name !== 'sqlite';
}

/** How to start a shipped server. */
export function shippedCommand(name: ShippedServer): { command: string; args: string[] } {
  return { command: process.execPath, args: [mainFile(packageFolder(), name)] };
}

/**
 * By `package.json` and not by `import.meta.resolve`: the answer of the latter depends on the conditions that this
 * process was started with, and a test runner need not have it at all.
 */
function packageFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('@dandori/servers/package.json'));
  } catch (error) {
    throw new DandoriError('config-invalid', 'the shipped servers (@dandori/servers) are not installed', {
      cause: error,
      fix: 'run npm install, or give mcpServers with a command or a url',
    });
  }
}

/** Source runs source: otherwise a forgotten build would be run in place of what one has just written. */
function mainFile(folder: string, name: ShippedServer): string {
  const source = join(folder, 'src', name, 'main.ts');
  const built = join(folder, 'dist', name, 'main.js');
  const runsFromSource = import.meta.url.endsWith('.ts');
  if (runsFromSource && existsSync(source)) return source;
  return existsSync(built) || !existsSync(source) ? built : source;
}
