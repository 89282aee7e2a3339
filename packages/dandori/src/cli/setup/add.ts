import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { confirm, isCancel, password } from '@clack/prompts';
import type { CheckedServer } from '../../app/index.ts';
import { addToEnvFile, readEnvFile, schemaLine } from '../../config/index.ts';
import {
  importServers,
  openProjectFile,
  type ProjectFile,
  separateSecrets,
} from '../../config/project/index.ts';
import { DandoriError } from '../../model/error.ts';
import {
  asObject,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  sameJson,
  stringifyJson,
} from '../../model/json.ts';
import { instructionIn } from '../../run/trust/instructions.ts';
import { asTyped, quoted } from '../command-line.ts';
import { effectCell, oneLine, printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { isTerminal, logInWhere, type Say, type ServerToAdd, tryServers } from './connect.ts';

export interface AddOptions {
  readonly config?: string;
  readonly from?: string;
  readonly header?: readonly string[];
  readonly env?: readonly string[];
  readonly replace?: boolean;
  /** False for `--no-check`. */
  readonly check?: boolean;
  readonly yes?: boolean;
  /** Log in where a server wants it, even without a terminal. */
  readonly login?: boolean;
  readonly json?: boolean;
  /** Prints nothing. */
  readonly isQuiet?: boolean;
}

/** What the steps of `add` share. */
interface Adding {
  readonly project: ProjectFile;
  readonly options: AddOptions;
  readonly say: Say;
  readonly texts: Texts;
}

/** Returns 1 if a server did not connect and was therefore not added. */
export async function add(words: readonly string[], options: AddOptions): Promise<number> {
  const project = await openProjectFile({ file: options.config }, schemaLine('.'));
  const adding: Adding = { project, options, say: createSay(options), texts: textsFor({}) };
  const given =
    options.from === undefined
      ? (again(words, project) ?? described(words, options))
      : await imported(words, adding);
  const { wanted, variables } = prepare(given, project, options);
  await askForMissing(wanted, variables, adding);
  const checked = options.check === false ? [] : await check(wanted, variables, adding);
  const failed = checked.filter(({ problem }) => problem !== undefined).map(({ name }) => name);
  const kept = wanted.filter(({ name }) => !failed.includes(name));
  const effects = await takenProposals(checked, adding);
  const seen = project.isShared ? kept : kept.map((one) => withSeen(one, checked));
  const remembered = seen.filter((one, index) => one !== kept[index]).map(({ name }) => name);
  const moved = await write(seen, { project, variables, effects, remembered });
  const result: Added = { wanted, checked, kept, failed, effects, remembered, moved };
  report(result, adding);
  if (options.json === true) process.stdout.write(`${stringifyJson(asJson(result, project))}\n`);
  return failed.length === 0 ? 0 : 1;
}

interface Added {
  readonly wanted: readonly ServerToAdd[];
  readonly checked: readonly CheckedServer[];
  /** Those that are in the file now. */
  readonly kept: readonly ServerToAdd[];
  readonly failed: readonly string[];
  /** Tools whose proposed effect the user took. */
  readonly effects: CheckedServer['tools'];
  /** Servers whose tools the user has just seen. */
  readonly remembered: readonly string[];
  /** Variables that were written to `.env`. */
  readonly moved: readonly string[];
}

function asJson(
  { wanted, checked, kept, failed, effects, moved }: Added,
  { name: file, isNew }: ProjectFile,
) {
  return {
    file,
    created: isNew && kept.length > 0,
    servers: wanted.map(({ name, state }) => ({
      name,
      added: !failed.includes(name) && state !== 'same',
      state: failed.includes(name) ? 'failed' : state,
      ...checked.find((one) => one.name === name),
    })),
    effects: Object.fromEntries(effects.map((tool) => [tool.name, tool.proposed])),
    variables: moved,
  };
}

/** Connects to the servers, logs in where that is needed, and shows what they offer. */
async function check(
  wanted: readonly ServerToAdd[],
  variables: Readonly<Record<string, string>>,
  { project, options, say, texts }: Adding,
): Promise<readonly CheckedServer[]> {
  const connecting = { project, env: { ...process.env, ...variables }, say, texts };
  const checked = await logInWhere(await tryServers(wanted, connecting), wanted, { ...connecting, options });
  for (const server of checked) {
    showServer(server, say, texts);
    const { command, args } = wanted.find(({ name }) => name === server.name)?.server ?? {};
    // Many programs say more at a terminal. npx says nothing at all if it cannot install a package. A server with a
    // missing variable was not started.
    if (server.problem !== undefined && server.ms > 0 && typeof command === 'string')
      say(
        texts.servers.runIt([command, ...(Array.isArray(args) ? args : [])].map(quoted).join(' ')),
        'stderr',
      );
  }
  if (checked.some(({ wantsLogin }) => wantsLogin === true)) say(texts.servers.howToLogIn, 'stderr');
  return checked;
}

/** With `--json` nothing but the JSON goes to stdout, so everything for people goes to stderr. */
export function createSay({ json, isQuiet }: { json?: boolean; isQuiet?: boolean }): Say {
  return (line, on) => {
    if (json === true || isQuiet === true) return;
    (on === 'stderr' ? process.stderr : process.stdout).write(`${line}\n`);
  };
}

/** `NAME` of a server that the file has: the user looks at its tools again. */
function again([name = '', ...rest]: readonly string[], { servers }: ProjectFile) {
  const server = servers[name];
  return rest.length === 0 && isObject(server) ? { [name]: server as JsonObject } : undefined;
}

/** `NAME -- COMMAND ARGS…` or `NAME URL`. */
function described(
  [name, target, ...args]: readonly string[],
  options: AddOptions,
): Record<string, JsonObject> {
  if (name === undefined || target === undefined)
    throw new DandoriError('usage', 'Missing: the name of the server, and how to reach it.', {
      fix: 'dandori add NAME -- COMMAND ARGS…, dandori add NAME https://…, or dandori add --from claude',
    });
  const env = pairs(options.env, '--env', '=');
  const headers = pairs(options.header, '--header', ':');
  if (/^https?:\/\//i.test(target)) {
    if (args.length > 0 || Object.keys(env).length > 0)
      throw new DandoriError('usage', 'An address takes --header and nothing else.', {
        fix: 'dandori add NAME https://… --header "Authorization: Bearer …"',
      });
    return { [name]: { url: target, ...(Object.keys(headers).length > 0 && { headers }) } };
  }
  if (Object.keys(headers).length > 0)
    throw new DandoriError('usage', '--header goes with an address, and --env with a command.', {
      fix: 'dandori add NAME --env TOKEN=… -- COMMAND ARGS…',
    });
  return {
    [name]: {
      command: target,
      ...(args.length > 0 && { args }),
      ...(Object.keys(env).length > 0 && { env }),
    },
  };
}

function pairs(given: readonly string[] = [], option: string, separator: string): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(separator);
      const name = text.slice(0, at).trim();
      if (at > 0 && name !== '') return [name, text.slice(at + 1).trim()];
      throw new DandoriError('usage', `${option} takes a name and a value, not "${name || 'nothing'}".`, {
        fix: option === '--env' ? '--env TOKEN=…' : '--header "Authorization: Bearer …"',
      });
    }),
  );
}

async function imported(
  names: readonly string[],
  { options, say, texts: { servers: texts } }: Adding,
): Promise<Record<string, JsonObject>> {
  const folder = resolve('.');
  const { servers, files, renamed, ignored } = await importServers(options.from ?? '', {
    folder,
    env: process.env,
  });
  const unknown = names.filter((name) => !Object.hasOwn(servers, name));
  if (unknown.length > 0)
    throw new DandoriError('usage', `There is no server ${unknown.join(', ')} in ${files.join(', ')}.`, {
      fix: `Choose from ${Object.keys(servers).join(', ')}.`,
    });
  const chosen = Object.entries(servers).filter(([name]) => names.length === 0 || names.includes(name));
  for (const [name] of chosen) {
    const old = renamed[name];
    const keys = ignored[name];
    if (old !== undefined) say(texts.renamed(printable(old), name), 'stderr');
    if (keys !== undefined) say(texts.ignored(name, keys.map(printable)), 'stderr');
  }
  return Object.fromEntries(
    chosen.flatMap(([name, server]) => (isObject(server) ? [[name, server as JsonObject]] : [])),
  );
}

/** Takes the secrets out, and refuses names that are taken. */
function prepare(
  given: Readonly<Record<string, JsonObject>>,
  project: ProjectFile,
  { replace }: AddOptions,
): { wanted: readonly ServerToAdd[]; variables: Record<string, string> } {
  const stored = readEnvFile(project.folder);
  const variables: Record<string, string> = {};
  const isTaken = (variable: string, value: string) =>
    (variables[variable] ?? stored[variable] ?? process.env[variable] ?? value) !== value;
  const wanted = Object.entries(given).map(([name, server]): ServerToAdd => {
    const separated = separateSecrets(name, server, isTaken);
    Object.assign(variables, separated.variables);
    const own = asWrittenIn(project, separated.server as JsonObject);
    const before = project.servers[name];
    const { descriptions, ...old } = asObject(before as Json);
    const seen: JsonObject = descriptions === undefined ? {} : { descriptions: descriptions as Json };
    const isSame = before !== undefined && sameJson({ ...(old as JsonObject), ...seen }, { ...own, ...seen });
    return {
      name,
      server: isSame ? { ...own, ...seen } : own,
      state: before === undefined ? 'new' : isSame ? 'same' : 'replaced',
    };
  });
  const taken = wanted.filter(({ state }) => state === 'replaced').map(({ name }) => name);
  if (taken.length > 0 && replace !== true)
    throw new DandoriError('usage', `${project.name} already has a server ${taken.join(', ')}.`, {
      fix: 'Choose another name, or replace it with --replace.',
    });
  return { wanted, variables };
}

/** VS Code reads `${env:NAME}` in the file that it shares. */
function asWrittenIn(project: ProjectFile, server: JsonObject): JsonObject {
  if (!project.isShared || project.group !== 'servers') return server;
  return parseJson(stringifyJson(server).replaceAll(/\$\{(\w+)\}/g, '${env:$1}')) as JsonObject;
}

/** At a terminal the user is asked for variables that are not set, such as the inputs of VS Code. */
async function askForMissing(
  wanted: readonly ServerToAdd[],
  variables: Record<string, string>,
  { project, texts, options }: Adding,
): Promise<void> {
  if (options.json === true || options.yes === true || !isTerminal()) return;
  const known = { ...readEnvFile(project.folder), ...process.env, ...variables };
  const named = stringifyJson(wanted.map(({ server }) => server)).matchAll(
    /\$\{(?:env:|secret:)?([A-Za-z_]\w*)\}/g,
  );
  for (const variable of new Set([...named].map(([, name = '']) => name))) {
    if (known[variable] !== undefined) continue;
    const value = await password({ message: texts.servers.value(variable), output: process.stderr });
    if (!isCancel(value) && value !== undefined && value !== '') variables[variable] = value;
  }
}

function showServer({ name, ms, tools, problem }: CheckedServer, say: Say, texts: Texts): void {
  const style = styleFor(process.stdout);
  if (problem !== undefined) {
    say(`${style.red('✗')} ${texts.servers.failed(name)}: ${printable(texts.message(problem))}`, 'stderr');
    return;
  }
  say(`${style.green('✓')} ${texts.servers.connected(name, (ms / 1000).toFixed(1), tools.length)}`);
  const width = Math.min(40, Math.max(0, ...tools.map((tool) => tool.name.length)));
  for (const tool of tools) {
    const because = texts.servers.from[tool.from] ?? '';
    say(
      `  ${printable(tool.name).padEnd(width)}  ${effectCell(tool.effect, texts.words.effects, style)}  ${style.dim(because)}`,
    );
    if (tool.description !== '') say(style.dim(`    ${oneLine(tool.description, 100)}`));
    const order = instructionIn(tool.description);
    if (order !== undefined) say(`    ${style.yellow(`${texts.servers.like} ${oneLine(order, 200)}`)}`);
  }
}

/** A read may be repeated and prefetched, so a proposal counts only if the user takes it. */
async function takenProposals(
  checked: readonly CheckedServer[],
  adding: Adding,
): Promise<CheckedServer['tools']> {
  const proposed = checked.flatMap(({ tools }) => tools).filter((tool) => tool.proposed !== undefined);
  return (await takesProposals(proposed, adding)) ? proposed : [];
}

async function takesProposals(
  proposed: CheckedServer['tools'],
  { project, options, say, texts: { servers: texts } }: Adding,
): Promise<boolean> {
  if (proposed.length === 0) return false;
  say(texts.proposals(proposed.length));
  for (const { name, proposed: effect } of proposed) say(`  ${printable(name)}: ${effect}`);
  if (project.isShared) {
    say(texts.noPlace(project.name));
    return false;
  }
  if (options.yes === true) return true;
  if (options.json !== true && isTerminal()) {
    const isWanted = await confirm({
      message: texts.takeProposals,
      active: texts.yes,
      inactive: texts.no,
      output: process.stderr,
    });
    return !isCancel(isWanted) && isWanted;
  }
  say(texts.howToTake(project.name));
  return false;
}

interface Writing extends Pick<Added, 'effects' | 'remembered'> {
  readonly project: ProjectFile;
  readonly variables: Readonly<Record<string, string>>;
}

/** What the server says about its tools was just shown, so it is remembered. */
function withSeen(one: ServerToAdd, checked: readonly CheckedServer[]): ServerToAdd {
  const { descriptions } = checked.find(({ name }) => name === one.name) ?? {};
  const before = one.server.descriptions;
  const isKept = descriptions === undefined || before === descriptions || before === 'external';
  return isKept ? one : { ...one, server: { ...one.server, descriptions } };
}

/** Returns the names of the variables that were written to `.env`. */
async function write(
  kept: readonly ServerToAdd[],
  { project, variables, effects, remembered }: Writing,
): Promise<string[]> {
  if (kept.length === 0) return [];
  const used = stringifyJson(kept.map(({ server }) => server));
  const stored = readEnvFile(project.folder);
  const moved = Object.entries(variables).filter(
    ([name]) =>
      new RegExp(`\\$\\{(?:env:)?${name}\\}`).test(used) &&
      stored[name] === undefined &&
      process.env[name] === undefined,
  );
  addToEnvFile(project.folder, Object.fromEntries(moved));
  const changed = kept.filter(({ name, state }) => state !== 'same' || remembered.includes(name));
  for (const { name, server } of changed) project.setServer(name, server);
  for (const { name, proposed } of effects) if (proposed !== undefined) project.setEffect(name, proposed);
  if (changed.length + effects.length > 0) await project.save();
  return moved.map(([name]) => name);
}

function report(
  { kept, failed, moved, effects, remembered }: Added,
  { project, say, texts: { servers: texts } }: Adding,
): void {
  const named = (state: ServerToAdd['state']) =>
    kept.filter((one) => one.state === state).map(({ name }) => name);
  const [fresh, replaced, same] = [named('new'), named('replaced'), named('same')];
  if (fresh.length > 0 && project.isNew) say(texts.created(project.name));
  if (fresh.length > 0) say(texts.added(fresh, project.name));
  if (replaced.length > 0) say(texts.replaced(replaced, project.name));
  if (same.length > 0) say(texts.unchanged(same, project.name));
  if (remembered.length > 0) say(texts.remembered(remembered));
  if (effects.length > 0) say(texts.wroteEffects(effects.length));
  if (fresh.length > 0 && !project.hasServers && !project.isShared) say(texts.noDemo);
  if (moved.length > 0) say(texts.secrets(moved));
  if (moved.length > 0 && isCommitted(project.folder)) say(texts.notIgnored);
  if (failed.length > 0) say(texts.left(failed), 'stderr');
  else say(asTyped(texts.next));
}

/** Whether git would commit `.env`. */
function isCommitted(folder: string): boolean {
  const file = join(folder, '.gitignore');
  const ignored = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return existsSync(join(folder, '.git')) && !/^\/?(?:\*)?\.env\*?$/m.test(ignored);
}
