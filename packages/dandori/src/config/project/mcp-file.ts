import { homedir } from 'node:os';
import { basename } from 'node:path';
import { asObject, isObject } from '../../model/json.ts';

/** The files in which other MCP hosts keep the servers of a project. Read where there is no `dandori.yaml`. */
export const MCP_FILES = ['mcp.json', '.mcp.json'] as const;

export function isMcpFile(file: string | undefined): boolean {
  return file !== undefined && MCP_FILES.some((name) => name === basename(file));
}

/** What says how to reach a server. Hosts add keys of their own, which mean nothing here. */
const KNOWN = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'disabled'];
/** Keys of other hosts that change nothing about the server. */
const HARMLESS = ['name', 'description', 'dev', 'gallery', 'version', 'autoApprove', 'alwaysAllow', 'tools'];

/** The servers of another host, as `dandori.yaml` would have them. */
export interface HostServers {
  readonly servers: Readonly<Record<string, unknown>>;
  /** Names that had to change, by their new names. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Keys that were left out and may matter, by server. */
  readonly ignored: Readonly<Record<string, readonly string[]>>;
}

/** The group of a file that has the servers: `mcpServers`, or in VS Code `servers`. */
export function serversGroup(value: unknown): 'mcpServers' | 'servers' {
  return isObject(value) && value.mcpServers === undefined && value.servers !== undefined
    ? 'servers'
    : 'mcpServers';
}

export function mcpServersIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const group = value[serversGroup(value)] ?? {};
  return { mcpServers: isObject(group) ? hostServers(value).servers : group };
}

/** Translates what VS Code, Cursor and Claude write. `${input:…}` becomes an environment variable. */
export function hostServers(value: Readonly<Record<string, unknown>>): HostServers {
  const group = value[serversGroup(value)];
  const defaults = defaultsOf(value.inputs);
  const servers: Record<string, unknown> = {};
  const renamed: Record<string, string> = {};
  const ignored: Record<string, readonly string[]> = {};
  for (const [written, server] of Object.entries(asObject(group))) {
    const name = serverName(written);
    if (name !== written) renamed[name] = written;
    if (!isObject(server)) {
      servers[name] = server;
      continue;
    }
    const kept = Object.entries(server).filter(([key]) => KNOWN.includes(key));
    servers[name] = translated(Object.fromEntries(kept), defaults);
    const left = Object.keys(server).filter((key) => !KNOWN.includes(key) && !HARMLESS.includes(key));
    if (left.length > 0) ignored[name] = left;
  }
  return { servers, renamed, ignored };
}

/** `My Server (v2)` becomes `My-Server-v2`. */
function serverName(name: string): string {
  const plain = name.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return /^[A-Za-z]/.test(plain) ? plain : `server-${plain}`.replace(/-$/, '');
}

function translated(value: unknown, defaults: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return withOwnVariables(value, defaults);
  if (Array.isArray(value)) return value.map((item) => translated(item, defaults));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, translated(item, defaults)]));
}

function withOwnVariables(text: string, defaults: ReadonlyMap<string, string>): string {
  return text
    .replaceAll(/\$\{env:([A-Za-z_]\w*)\}/g, '${$1}')
    .replaceAll(/\$\{input:([^}]+)\}/g, (_whole, id: string) => {
      const fallback = defaults.get(id);
      return fallback === undefined ? `\${${inputVariable(id)}}` : `\${${inputVariable(id)}:-${fallback}}`;
    })
    .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, '.')
    .replaceAll('${userHome}', homedir())
    .replaceAll(/\$\{(?:pathSeparator|\/)\}/g, '/');
}

/** The environment variable for an input of VS Code: `github-token` is `GITHUB_TOKEN`. */
function inputVariable(id: string): string {
  return id
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();
}

/** Defaults of inputs that are no passwords. */
function defaultsOf(inputs: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const input of Array.isArray(inputs) ? inputs : [])
    if (isObject(input) && typeof input.id === 'string' && typeof input.default === 'string')
      if (input.password !== true && !input.default.includes('}')) found.set(input.id, input.default);
  return found;
}
