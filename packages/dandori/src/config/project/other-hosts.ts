import { existsSync } from 'node:fs';
import { homedir, platform } from 'node:os';
import { join, resolve } from 'node:path';
import { withoutJsonComments } from '../../documents/edit.ts';
import { problemsError } from '../../documents/problem.ts';
import { openSource } from '../../documents/source.ts';
import { readTextFile } from '../../documents/text-file.ts';
import { DandoriError } from '../../model/error.ts';
import { isObject, valueAt } from '../../model/json.ts';
import type { Environment } from '../environment.ts';
import { type HostServers, hostServers } from './mcp-file.ts';

const HOSTS = ['claude', 'vscode', 'cursor'] as const;
type Host = (typeof HOSTS)[number];

const MAX_BYTES = 10_000_000;

export interface Imported extends HostServers {
  readonly files: readonly string[];
}

interface Surroundings {
  /** The folder of the project. */
  readonly folder: string;
  readonly env: Environment;
}

/** The servers of Claude, VS Code or Cursor, or of a file in their form. Of two with one name the first counts. */
export async function importServers(from: string, surroundings: Surroundings): Promise<Imported> {
  const host = HOSTS.find((one) => one === from);
  const places = host === undefined ? [resolve(surroundings.folder, from)] : filesOf(host, surroundings);
  const files = host === undefined ? places : places.filter((file) => existsSync(file));
  const found = await Promise.all(files.map((file) => serversIn(file, surroundings)));
  const servers = Object.assign({}, ...found.map((one) => one.servers).reverse()) as Imported['servers'];
  if (Object.keys(servers).length > 0)
    return {
      files: files.filter((_file, index) => Object.keys(found[index]?.servers ?? {}).length > 0),
      servers,
      renamed: Object.assign({}, ...found.map((one) => one.renamed)),
      ignored: Object.assign({}, ...found.map((one) => one.ignored).reverse()),
    };
  throw new DandoriError('usage', `There are no MCP servers to import: ${places.join(', ')}.`, {
    fix: `Give --from ${HOSTS.join(', ')}, or a file with "mcpServers" or "servers".`,
  });
}

/** Of this project first, then of the user. */
function filesOf(host: Host, { folder, env }: Surroundings): string[] {
  const home = env.HOME ?? homedir();
  const settings: Partial<Record<NodeJS.Platform, string>> = {
    darwin: join(home, 'Library/Application Support'),
    win32: env.APPDATA ?? join(home, 'AppData/Roaming'),
  };
  const own = settings[platform()] ?? env.XDG_CONFIG_HOME ?? join(home, '.config');
  switch (host) {
    case 'claude':
      return [
        join(folder, '.mcp.json'),
        join(home, '.claude.json'),
        join(own, 'Claude/claude_desktop_config.json'),
      ];
    case 'vscode':
      return [
        join(folder, '.vscode/mcp.json'),
        join(own, 'Code/User/mcp.json'),
        join(own, 'Code/User/settings.json'),
      ];
    case 'cursor':
      return [join(folder, '.cursor/mcp.json'), join(home, '.cursor/mcp.json')];
  }
}

async function serversIn(file: string, { folder }: Surroundings): Promise<HostServers> {
  const rules = {
    name: file,
    code: 'config-invalid',
    missing: 'config-not-found',
    maxBytes: MAX_BYTES,
  } as const;
  const source = openSource(withoutJsonComments(await readTextFile(file, rules)), file);
  if (source.problems.length > 0)
    throw problemsError('config-invalid', file, { problems: source.problems, fix: 'correct what is shown' });
  // Claude Code keeps the servers of each project under its folder. VS Code had its servers in its settings.
  const inside = [valueAt(source.value, ['projects', folder]), valueAt(source.value, ['mcp'])].filter(
    isObject,
  );
  const all = [source.value, ...inside].filter(isObject).map(hostServers);
  return {
    servers: Object.assign({}, ...all.map((one) => one.servers)),
    renamed: Object.assign({}, ...all.map((one) => one.renamed)),
    ignored: Object.assign({}, ...all.map((one) => one.ignored)),
  };
}
