import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { choice, duration, list, section, text, wholeNumber } from '../documents/field.ts';
import { pathText } from '../documents/place.ts';
import type { Problem } from '../documents/problem.ts';
import { DandoriError } from '../model/error.ts';
import { isObject, type Json, type JsonObject, parseJson, stringifyJson, valueAt } from '../model/json.ts';
import { type Role, role } from '../model/settings.ts';
import { oneOf } from '../model/text.ts';
import type { Config, McpServerConfig } from './config.ts';
import { type Environment, resolvePath } from './environment.ts';
import type { ConfigFile, ServerSection } from './file-shape.ts';

interface ServerPaths {
  /** The folder that relative paths in the configuration start from. */
  readonly folder: string;
  /** The user's current folder and environment. */
  readonly cwd: string;
  readonly env: Environment;
  /** Whether the demo servers are used where no servers are configured. */
  readonly demo: boolean;
}

/** Without `mcpServers` the demo servers are used. An empty object means no servers. */
export function resolveServers(
  sections: ConfigFile['mcpServers'],
  paths: ServerPaths,
): Pick<Config, 'mcpServers' | 'disabledServers'> {
  const written = Object.entries(sections ?? (paths.demo ? demoServers() : {}));
  const enabled = written.filter(([, { disabled }]) => !disabled);
  return {
    mcpServers: Object.fromEntries(
      enabled.map(([name, section]) => [name, resolveMcpServer(section, paths)]),
    ),
    disabledServers: written.filter(([, { disabled }]) => disabled).map(([name]) => name),
  };
}

/** Checks what the schema cannot express. The value may still have any shape. */
export function serverProblems(config: unknown): Problem[] {
  const servers = valueAt(config, ['mcpServers']);
  if (!isObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, server]) => [
    ...nameProblems(name),
    ...(isObject(server) && server.disabled !== true ? kindProblems(name, server) : []),
  ]);
}

function demoServers(): Record<string, ServerSection> {
  return Object.fromEntries(DEMO_SERVERS.map((name) => [name, { shipped: name, disabled: false }]));
}

function resolveMcpServer(
  section: ServerSection,
  { folder, cwd: here, env: ours }: Omit<ServerPaths, 'demo'>,
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
    descriptions,
  } = section;
  const common = { timeoutMs: timeout, concurrency, approval, descriptions };
  if (url !== undefined)
    return {
      transport: 'http',
      url,
      headers,
      ...(section.type === 'sse' && { isLegacy: true }),
      trusted: section.trusted ?? false,
      ...common,
    };
  const trusted = section.trusted ?? (shipped !== undefined && isTrustedByDefault(shipped));
  const program = {
    transport: 'stdio',
    env,
    cwd: resolvePath(folder, cwd),
    shipped,
    trusted,
    ...(section.shared && { shared: true }),
    ...common,
  } as const;
  if (shipped === undefined) return { ...program, command: localCommand(command, folder), args };
  const main = mainFile(shipped);
  const own = { ...shippedEnvironment(ours, here), ...env };
  // What the user sets may be wrong, and a server says so when it starts.
  const isPlain =
    args.length === 0 && !Object.keys(own).some((key) => key.startsWith(`DANDORI_${shipped.toUpperCase()}_`));
  return {
    ...program,
    command: process.execPath,
    args: [main, ...args],
    env: { DANDORI_PROJECT_DIR: folder, ...own },
    ...(isPlain && { listed: listedTools(main)[shipped] }),
    // A variable of the user may change what the server answers, such as TZ.
    ...(isPlain && Object.keys(env).length === 0 && IN_PROCESS.includes(shipped) && { inProcess: shipped }),
  };
}

/** `./server.sh` is relative to the configuration file, whatever `cwd` is. `npx` is looked up in PATH. */
function localCommand(command: string, folder: string): string {
  return /^(?:\.{1,2}|~)[\\/]/.test(command) ? resolvePath(folder, command) : command;
}

/** The prefixes of our own operations. */
const RESERVED = ['plan', 'task', 'result', 'tool', 'run'];

function nameProblems(name: string): Problem[] {
  if (!RESERVED.includes(name)) return [];
  const message = `a server cannot be called "${name}": Dandori's own operations are (${oneOf(RESERVED)})`;
  return [{ path: ['mcpServers', name], at: 'key', message, hint: 'give it another name' }];
}

/** The keys that each kind of server may have, besides the common ones. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  shipped: ['args', 'env', 'cwd', 'shared'],
  command: ['args', 'env', 'cwd', 'shared'],
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
    const message = `${label} has ${kinds.join(' and ')}, and a server has only one of them`;
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
    message: `${pathText(path)} has ${kind}, and ${key} has no effect with it`,
    hint: key === 'headers' ? 'headers go with url' : `${key} goes with command`,
  }));
}

function typeProblems(path: string[], { type }: Record<string, unknown>, kind: string): Problem[] {
  const isHttp = type === 'http' || type === 'streamable-http' || type === 'sse';
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

const HASH = 'must be the SHA-256 of a token in 64 hexadecimal digits; `dandori token` makes both';
const PORT = 'must be a port from 0 (any free one) to 65535, such as 4310';

const token = section({
  sha256: z.string({ error: HASH }).regex(/^[0-9a-f]{64}$/, { error: HASH }),
  user: text('u-42'),
  role: choice(role.options),
});

export const serverShape = section({
  host: text('127.0.0.1').default('127.0.0.1'),
  port: z
    .number({ error: PORT })
    .int({ error: PORT })
    .min(0, { error: PORT })
    .max(65_535, { error: PORT })
    .default(4310),
  hosts: list(text('dandori.example.com'), '[dandori.example.com]').default([]),
  tokens: list(token, '[{ sha256: …, user: u-42, role: operator }]').default([]),
  max_runs: wholeNumber({ example: 16 }).default(16),
  workers: wholeNumber({ least: 0, example: 2 }).default(0),
  grace: duration({ example: '10s', zero: true }).prefault('10s'),
  rate_limit: wholeNumber({ example: 100 }).default(100),
  max_streams: wholeNumber({ example: 100 }).default(100),
});

export interface TokenConfig {
  readonly sha256: string;
  readonly user: string;
  readonly role: Role;
}

export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  /** Host names under which the server is reached, besides localhost and IP addresses. */
  readonly hosts: readonly string[];
  /** If empty, every user of this machine may do everything. */
  readonly tokens: readonly TokenConfig[];
  /** The limit of runs that are driven at the same time. */
  readonly maxRuns: number;
  /** How many processes drive the runs. 0: the server itself. */
  readonly workers: number;
  /** Milliseconds that running calls get to finish when the server is told to stop. */
  readonly grace: number;
  /** Requests per second for one user or address. */
  readonly rateLimit: number;
  /** The limit of open streams per user. */
  readonly maxStreams: number;
}

export function resolveServer({
  max_runs: maxRuns,
  rate_limit: rateLimit,
  max_streams: maxStreams,
  ...rest
}: z.infer<typeof serverShape>): ServerConfig {
  return { ...rest, maxRuns, rateLimit, maxStreams };
}

/** Servers that touch none of the user's data. They are used without a configuration. */
export const DEMO_SERVERS = ['calc', 'clock', 'sqlite', 'places', 'kitchen'] as const;
/** The MCP servers that come with Dandori. */
export const SHIPPED_SERVERS = [...DEMO_SERVERS, 'files', 'shell'] as const;
export type ShippedServer = (typeof SHIPPED_SERVERS)[number];
/** Servers without data of their own. Their short calls need no process (`packages/servers/src/in-process.ts`). */
const IN_PROCESS: readonly ShippedServer[] = ['calc', 'clock'];

/**
 * The results of databases, files and programs may contain external content. So does a list that keeps what earlier runs
 * put into it: an ordered call may take the name of an item from a page. The other shipped servers return only their own
 * text.
 */
function isTrustedByDefault(name: ShippedServer): boolean {
  return !['sqlite', 'kitchen', 'files', 'shell'].includes(name);
}

/**
 * A shipped server gets Dandori's own environment variables: where it stores data, and which services it
 * calls. Paths are resolved against the user's folder, not against the folder in which the server starts.
 */
function shippedEnvironment(env: Environment, cwd: string): Record<string, string> {
  const passed = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
  return Object.fromEntries(
    passed.flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, PATH_NAME.test(name) ? resolve(cwd, value) : value]],
    ),
  );
}

const PASSED_ON = /^(DANDORI_.*|XDG_(DATA|CACHE)_HOME)$/;
const PATH_NAME = /_(DIR|PATH)$/;

/** From its source in the repository, or from its compiled file in the package. */
function mainFile(name: ShippedServer): string {
  try {
    // `imports` in package.json maps this to a package in the repository, and to a folder in the published
    // package. `import.meta.resolve` is not used, because a test runner may lack it.
    return createRequire(import.meta.url).resolve(`#servers/${name}`);
  } catch (error) {
    throw new DandoriError('config-invalid', 'the shipped servers are not installed', {
      cause: error,
      fix: 'run npm install, or give mcpServers with a command or a url',
    });
  }
}

/** The build writes this list beside the compiled servers. In the repository there is none. */
function listedTools(main: string): Readonly<Record<string, readonly JsonObject[]>> {
  const file = join(dirname(main), 'tools.json');
  const known = listed.get(file) ?? (existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : {});
  listed.set(file, known);
  return known as Readonly<Record<string, readonly JsonObject[]>>;
}

const listed = new Map<string, Json>();
