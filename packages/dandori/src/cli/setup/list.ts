import { DEMO_SERVERS, loadConfig, schemaLine } from '../../config/index.ts';
import { openProjectFile, separateSecrets } from '../../config/project/index.ts';
import { DandoriError } from '../../model/error.ts';
import { asObject, stringifyJson } from '../../model/json.ts';
import { asTyped } from '../command-line.ts';
import { oneLine, printable, styleFor } from '../style.ts';
import { type Texts, textsFor } from '../texts.ts';
import { createSay } from './add.ts';
import { noServer } from './connect.ts';

export async function remove(
  names: readonly string[],
  options: { config?: string; json?: boolean },
): Promise<number> {
  const { servers: texts } = textsFor({});
  const say = createSay(options);
  const project = await openProjectFile({ file: options.config }, schemaLine('.'));
  const unknown = names.filter((name) => !Object.hasOwn(project.servers, name));
  if (unknown.length > 0) throw noServer(project, unknown);
  const effects = Object.keys(project.effects).filter((tool) =>
    names.some((name) => tool.startsWith(`${name}.`)),
  );
  for (const name of names) project.removeServer(name);
  for (const tool of effects) project.removeEffect(tool);
  await project.save();
  say(texts.removed(names, project.name));
  if (effects.length > 0) say(texts.removedEffects(effects.length));
  if (options.json === true)
    process.stdout.write(`${stringifyJson({ file: project.name, removed: names, effects })}\n`);
  return 0;
}

/** The servers as the file has them, and then what is wrong with the file. Nothing is started. */
export async function list(options: { config?: string; json?: boolean }): Promise<number> {
  await printServers(options);
  try {
    await loadConfig({ file: options.config });
  } catch (error) {
    // Without its variables the file can still be listed.
    if (error instanceof DandoriError && error.code === 'config-invalid') throw error;
  }
  return 0;
}

async function printServers(options: { config?: string; json?: boolean }): Promise<void> {
  const texts = textsFor({});
  const project = await openProjectFile({ file: options.config }, schemaLine('.'));
  const found = Object.entries(project.servers).map(([name, server]) => ({
    name,
    ...shown(asObject(server), texts),
  }));
  if (options.json === true) {
    const file = project.isNew ? null : project.name;
    process.stdout.write(
      `${stringifyJson({ file, servers: found, demo: project.hasServers ? [] : DEMO_SERVERS })}\n`,
    );
    return;
  }
  const style = styleFor(process.stdout);
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  for (const { name, type, target, disabled } of found)
    process.stdout.write(
      `${style.bold(printable(name).padEnd(width))}  ${type.padEnd(7)}  ${oneLine(target, 100)}${disabled ? style.dim(` (${texts.servers.disabled})`) : ''}\n`,
    );
  if (found.length === 0)
    process.stdout.write(
      `${asTyped(project.hasServers ? texts.servers.none : texts.servers.demo(DEMO_SERVERS))}\n`,
    );
}

/** What is shown of a server. Values of `env` and `headers` are not, because they may be secret. */
function shown(server: Readonly<Record<string, unknown>>, texts: Texts) {
  const { command, url, shipped, type, disabled } = server;
  const safe = separateSecrets('server', server, () => false).server;
  const target =
    typeof shipped === 'string'
      ? texts.servers.shipped(shipped)
      : typeof url === 'string'
        ? String(safe.url)
        : [String(command ?? ''), ...(Array.isArray(safe.args) ? safe.args.map(String) : [])].join(' ');
  const kind =
    typeof shipped === 'string'
      ? 'shipped'
      : typeof url === 'string'
        ? type === 'sse'
          ? 'sse'
          : 'http'
        : 'stdio';
  return { type: kind, target, disabled: disabled === true };
}
