import { createHash } from 'node:crypto';
import type { Config } from '../config/index.ts';
import { stringifyJson } from '../model/json.ts';
import type { Tool } from '../model/tool.ts';
import type { Dispatcher } from '../store/index.ts';

/**
 * What goes wrong only with several processes.
 * - `local`: stdio servers that change data of their own machine, so that each machine has other data.
 * - `unlike`: workers whose configuration is not the one of this process.
 * - `config`, `version`, `clock`: workers that differ from each other, or from the time of the database.
 */
export interface DeploymentWarning {
  readonly kind: 'local' | 'unlike' | 'config' | 'version' | 'clock';
  /** Servers or workers. */
  readonly names: readonly string[];
}

interface Deployed {
  readonly config: Config;
  readonly tools: Iterable<Pick<Tool, 'name' | 'effect'>>;
  readonly dispatcher: Pick<Dispatcher, 'overview'>;
}

/** Nothing if only one process can use the store. */
export async function deploymentWarnings({
  config,
  tools,
  dispatcher,
}: Deployed): Promise<DeploymentWarning[]> {
  const overview = await dispatcher.overview?.();
  if (overview === undefined) return [];
  const local = localServers(config, tools);
  const own = fingerprint(config);
  const workers = overview.workers.filter(({ isAlive, role }) => isAlive && role !== undefined);
  const unlike = workers.filter((worker) => worker.config !== own).map(({ name }) => name);
  return [
    ...(local.length === 0 ? [] : [{ kind: 'local' as const, names: local }]),
    ...(unlike.length === 0 ? [] : [{ kind: 'unlike' as const, names: unlike }]),
    ...overview.warnings.map(({ kind, workers: names }) => ({ kind, names })),
  ];
}

/** A server that only reads has the same answers everywhere, unless the user knows better. */
function localServers({ mcpServers }: Config, tools: Deployed['tools']): string[] {
  const changing = [...tools].filter(({ effect }) => effect !== 'read').map(({ name }) => name);
  return Object.entries(mcpServers)
    .filter(([, server]) => server.transport === 'stdio' && server.shared !== true)
    .map(([name]) => name)
    .filter((name) => changing.some((tool) => tool.startsWith(`${name}.`)));
}

/**
 * What must be equal in all processes, so that a run does not depend on which of them drives it. Where the
 * project and Dandori are installed may differ.
 */
export function fingerprint(config: Config): string {
  const { model, settings, planning, instructions, effects, services, folder } = config;
  const mcpServers = Object.entries(config.mcpServers).map(([name, server]) => [name, portable(server)]);
  const text = stringifyJson({ model, settings, planning, instructions, mcpServers, effects, services });
  const here = stringifyJson(folder).slice(1, -1);
  return createHash('sha256').update(text.replaceAll(here, '.')).digest('hex').slice(0, 12);
}

/** A shipped server is started with paths of this machine and variables such as the language. */
function portable(server: Config['mcpServers'][string]): object {
  if (server.transport !== 'stdio' || server.shipped === undefined) return server;
  const { shipped, args, env, command: _, listed: _listed, inProcess: _inProcess, ...rest } = server;
  const own = Object.entries(env).filter(([name]) => name.startsWith(`DANDORI_${shipped.toUpperCase()}_`));
  return { shipped, args: args.slice(1), env: own, ...rest };
}
