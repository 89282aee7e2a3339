import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { DandoriError } from '../domain/error.ts';
import type { Environment } from './environment.ts';

/** The MCP servers that come with Dandori. */
export const SHIPPED_SERVERS = ['calc', 'clock', 'sqlite', 'places', 'kitchen'] as const;
export type ShippedServer = (typeof SHIPPED_SERVERS)[number];

/** What a database returns are other people's words; what the others return is our own. */
export function isTrustedByDefault(name: ShippedServer): boolean {
  return name !== 'sqlite';
}

/**
 * A shipped server is our own, so what is said to Dandori by its environment is said to it: where it keeps its data, and
 * which services it asks. A path is relative to where the user is, and not to where the server will be started.
 */
export function shippedEnvironment(env: Environment, cwd: string): Record<string, string> {
  const passed = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
  return Object.fromEntries(
    passed.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, PATH_NAME.test(name) ? resolve(cwd, value) : value]],
    ),
  );
}

const PASSED_ON = /^(DANDORI_.*|XDG_(DATA|CACHE)_HOME)$/;
const PATH_NAME = /_(DIR|PATH)$/;

/** How to start a shipped server: its source in the repository, what was compiled from it in the published package. */
export function shippedCommand(name: ShippedServer): { command: string; args: string[] } {
  return { command: process.execPath, args: [mainFile(name)] };
}

function mainFile(name: ShippedServer): string {
  try {
    // `imports` of package.json says where: in the repository their package, in the published one a folder of its own.
    // Not `import.meta.resolve`, which a test runner need not have.
    return createRequire(import.meta.url).resolve(`#servers/${name}`);
  } catch (error) {
    throw new DandoriError('config-invalid', 'the shipped servers are not installed', {
      cause: error,
      fix: 'run npm install, or give mcpServers with a command or a url',
    });
  }
}
