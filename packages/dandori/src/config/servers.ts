import { stringifyJson } from '../domain/json-text.ts';
import type { Config, McpServerConfig } from './config.ts';
import type { Environment } from './environment.ts';
import { oneOf } from './field.ts';
import type { ConfigFile, ServerSection } from './file-shape.ts';
import { resolvePath } from './paths.ts';
import { pathText, valueAt } from './place.ts';
import type { Problem } from './problem.ts';
import { isRecord } from './record.ts';
import { isTrustedByDefault, SHIPPED_SERVERS, shippedCommand, shippedEnvironment } from './shipped.ts';

interface Surroundings {
  /** What relative paths of the configuration are relative to. */
  readonly folder: string;
  /** Where the user is, and the environment there. */
  readonly cwd: string;
  readonly env: Environment;
}

/** No `mcpServers` at all means every shipped one; an empty group means none. */
export function resolveServers(
  sections: ConfigFile['mcpServers'],
  surroundings: Surroundings,
): Pick<Config, 'mcpServers' | 'disabledServers'> {
  const written = Object.entries(sections ?? everyShipped());
  const enabled = written.filter(([, { disabled }]) => !disabled);
  return {
    mcpServers: Object.fromEntries(
      enabled.map(([name, section]) => [name, resolveServer(section, surroundings)]),
    ),
    disabledServers: written.filter(([, { disabled }]) => disabled).map(([name]) => name),
  };
}

/** What the shape alone cannot tell. The value may still be of any shape. */
export function serverProblems(config: unknown): Problem[] {
  const servers = valueAt(config, ['mcpServers']);
  if (!isRecord(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => [
    ...nameProblems(name),
    ...(isRecord(server) && server.disabled !== true ? kindProblems(name, server) : []),
  ]);
}

function everyShipped(): Record<string, ServerSection> {
  return Object.fromEntries(SHIPPED_SERVERS.map((name) => [name, { shipped: name, disabled: false }]));
}

function resolveServer(
  section: ServerSection,
  { folder, cwd: here, env: ours }: Surroundings,
): McpServerConfig {
  const {
    shipped,
    command = '',
    args = [],
    env = {},
    cwd = '.',
    url,
    headers = {},
    timeout,
    concurrency,
    approval,
  } = section;
  const common = { timeout, concurrency, approval };
  if (url !== undefined)
    return { transport: 'http', url, headers, trusted: section.trusted ?? false, ...common };
  const trusted = section.trusted ?? (shipped !== undefined && isTrustedByDefault(shipped));
  const program = {
    transport: 'stdio',
    env,
    cwd: resolvePath(folder, cwd),
    shipped,
    trusted,
    ...common,
  } as const;
  if (shipped === undefined) return { ...program, command: localCommand(command, folder), args };
  const start = shippedCommand(shipped);
  return {
    ...program,
    command: start.command,
    args: [...start.args, ...args],
    env: { ...shippedEnvironment(ours, here), ...env },
  };
}

/** `./server.sh` means the one beside the configuration, wherever `cwd` is; `npx` is looked for in PATH. */
function localCommand(command: string, folder: string): string {
  return /^(?:\.{1,2}|~)[\\/]/.test(command) ? resolvePath(folder, command) : command;
}

/** Our own operations begin with these. */
const RESERVED = ['plan', 'task', 'result', 'tool', 'run'];

function nameProblems(name: string): Problem[] {
  if (!RESERVED.includes(name)) return [];
  const message = `a server cannot be called "${name}": Dandori's own operations are (${oneOf(RESERVED)})`;
  return [{ path: ['mcpServers', name], at: 'key', message, hint: 'give it another name' }];
}

/** What each kind of server may have besides what all have. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  shipped: ['args', 'env', 'cwd'],
  command: ['args', 'env', 'cwd'],
  url: ['headers'],
};
const PROGRAM_WITH_ARGUMENTS = /^(npx|node|bunx?|deno|uvx?|python3?|docker)\s+(.+)$/;

function kindProblems(name: string, server: Record<string, unknown>): Problem[] {
  const path = ['mcpServers', name];
  const label = pathText(path);
  const kinds = Object.keys(KINDS).filter((kind) => server[kind] !== undefined);
  const [kind] = kinds;
  if (kind === undefined) {
    const hint = 'give command (a program), url (an address) or shipped (one that comes with Dandori)';
    return [{ path, at: 'key', message: `${label} does not say how to reach the server`, hint }];
  }
  if (kinds.length > 1) {
    const message = `${label} has ${kinds.join(' and ')}, and a server is one of them`;
    return [{ path, at: 'key', message, hint: `keep ${oneOf(kinds)}` }];
  }
  return [
    ...strayKeys(path, server, kind),
    ...typeProblems(path, server, kind),
    ...commandProblems(path, server.command),
  ];
}

function strayKeys(path: string[], server: Record<string, unknown>, kind: string): Problem[] {
  const stray = ['args', 'env', 'cwd', 'headers'].filter(
    (key) => server[key] !== undefined && !KINDS[kind]?.includes(key),
  );
  return stray.map((key) => ({
    path: [...path, key],
    at: 'key',
    message: `${pathText(path)} has ${kind}, and ${key} means nothing with it`,
    hint: key === 'headers' ? 'headers go with url' : `${key} goes with command`,
  }));
}

function typeProblems(path: string[], { type }: Record<string, unknown>, kind: string): Problem[] {
  const isHttp = type === 'http' || type === 'streamable-http';
  if (type === undefined || (kind === 'url' ? type !== 'stdio' : !isHttp)) return [];
  const message = `${pathText(path)} has ${kind}, and the type ${String(type)} does not go with it`;
  return [{ path: [...path, 'type'], at: 'value', message, hint: 'leave type out' }];
}

function commandProblems(path: string[], command: unknown): Problem[] {
  const match = typeof command === 'string' ? PROGRAM_WITH_ARGUMENTS.exec(command) : null;
  if (match === null) return [];
  const [, program = '', rest = ''] = match;
  const hint = `command: ${program} and args: ${stringifyJson(rest.split(/\s+/))}`;
  const message = `${pathText(path)}.command must be the program alone`;
  return [{ path: [...path, 'command'], at: 'value', message, hint }];
}
