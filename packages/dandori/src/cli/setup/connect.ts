import type { CheckedServer } from '../../app/index.ts';
import { type Config, loadConfig } from '../../config/index.ts';
import { openProjectFile, type ProjectFile } from '../../config/project/index.ts';
import { DandoriError } from '../../model/error.ts';
import { isObject, type JsonObject, parseJson, stringifyJson } from '../../model/json.ts';
import type { Texts } from '../texts.ts';

/** A server to add. */
export interface ServerToAdd {
  readonly name: string;
  readonly server: JsonObject;
  readonly state: 'new' | 'replaced' | 'same';
}

export type Say = (line: string, on?: 'stderr') => void;

interface LoginOptions {
  readonly yes?: boolean;
  /** Log in where a server wants it, even without a terminal. */
  readonly login?: boolean;
  readonly json?: boolean;
}

export function isTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

interface Connecting {
  readonly project: ProjectFile;
  readonly env: NodeJS.ProcessEnv;
  readonly say: Say;
  readonly texts: Texts;
}

/** Connects to each server once, and lists its tools. */
export async function tryServers(
  wanted: readonly ServerToAdd[],
  { project, env, say, texts }: Connecting,
): Promise<readonly CheckedServer[]> {
  const names = wanted.flatMap(({ name, server }) => (server.disabled === true ? [] : [name]));
  if (names.length > 0) say(texts.servers.connecting(names), 'stderr');
  const { checkServers } = await import('../../app/index.ts');
  const checks = wanted.map(async ({ name, server }): Promise<readonly CheckedServer[]> => {
    try {
      return await checkServers(await configOf(name, server, { project, env }));
    } catch (error) {
      // With several servers, one with a missing variable must not stop the others.
      if (wanted.length === 1 || !(error instanceof DandoriError)) throw error;
      return [{ name, ms: 0, tools: [], problem: error.message }];
    }
  });
  return (await Promise.all(checks)).flat();
}

/** The configuration with this server alone, so that problems of the others do not matter. */
async function configOf(
  name: string,
  server: JsonObject,
  { project, env }: Pick<Connecting, 'project' | 'env'>,
): Promise<Config> {
  const written = parseJson(stringifyJson(server).replaceAll('${env:', '${')) as JsonObject;
  const layers = [
    { origin: name, values: { mcpServers: { [name]: written }, effects: { ...project.effects } } },
  ];
  return loadConfig({ file: null, cwd: project.folder, env, layers, demo: false });
}

/** Logs in to servers that want it, if the user is there, and connects again. */
export async function logInWhere(
  checked: readonly CheckedServer[],
  wanted: readonly ServerToAdd[],
  { options, ...connecting }: Connecting & { options: LoginOptions },
): Promise<readonly CheckedServer[]> {
  if (options.login !== true && (options.json === true || options.yes === true || !isTerminal()))
    return checked;
  const result: CheckedServer[] = [];
  for (const server of checked) {
    const one = wanted.find(({ name }) => name === server.name);
    if (server.wantsLogin !== true || one === undefined) {
      result.push(server);
      continue;
    }
    const { mcpServers } = await configOf(one.name, one.server, connecting);
    const { logInTo } = await import('./login.ts');
    await logInTo(one.name, mcpServers[one.name], { browser: isTerminal() });
    result.push(...(await tryServers([one], connecting)));
  }
  return result;
}

export function noServer(project: ProjectFile, names: readonly string[]): DandoriError {
  return new DandoriError('usage', `${project.name} has no server ${names.join(', ')}.`, {
    fix: '`dandori list` lists the servers.',
  });
}

/** The configured server of this name, whatever the others need. */
export async function findServer(
  name: string,
  file: string | undefined,
): Promise<Config['mcpServers'][string] | undefined> {
  const project = await openProjectFile({ file }, '');
  const server = project.servers[name];
  if (!isObject(server)) throw noServer(project, [name]);
  return (await configOf(name, server as JsonObject, { project, env: process.env })).mcpServers[name];
}
