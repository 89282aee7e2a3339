import { existsSync } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { withEntry, withoutEntry, withoutJsonComments } from '../../documents/edit.ts';
import { DandoriError, messageOf } from '../../model/error.ts';
import { asObject, type Json, valueAt } from '../../model/json.ts';
import { findFile, readSource } from '../load.ts';
import { isMcpFile, serversGroup } from './mcp-file.ts';

/** The file of a project that names its servers: `dandori.yaml`, or the `mcp.json` of other hosts. */
export interface ProjectFile {
  /** Its absolute path. */
  readonly path: string;
  readonly name: string;
  readonly folder: string;
  readonly isNew: boolean;
  /** Whether other hosts read it too. It has no place for what only Dandori knows. */
  readonly isShared: boolean;
  /** The key of its servers. */
  readonly group: string;
  /** The servers as written. */
  readonly servers: Readonly<Record<string, unknown>>;
  /** The effects as written, by tool. */
  readonly effects: Readonly<Record<string, unknown>>;
  /** Whether it has a list of servers, even an empty one. */
  readonly hasServers: boolean;
  setServer(name: string, server: Json): void;
  removeServer(name: string): void;
  setEffect(tool: string, effect: string): void;
  removeEffect(tool: string): void;
  /** Writes what was changed. */
  save(): Promise<void>;
}

/** A project without a file gets a `dandori.yaml` with this beginning. */
export async function openProjectFile(
  { file, cwd = process.cwd() }: { file?: string | undefined; cwd?: string },
  beginning: string,
): Promise<ProjectFile> {
  const found = file === undefined ? findFile(undefined, cwd) : resolve(cwd, file);
  const path = found ?? resolve(cwd, 'dandori.yaml');
  const isNew = !existsSync(path);
  const isShared = isMcpFile(path);
  const source = isNew ? undefined : await readSource(path, cwd);
  if (source !== undefined && withoutJsonComments(source.text) !== source.text && isShared)
    throw new DandoriError('config-invalid', `${basename(path)} has comments, which would be lost.`, {
      fix: 'Remove the comments, or create a dandori.yaml with `dandori init`.',
    });
  const value = source?.value;
  let text = source?.text ?? (isShared ? '{}\n' : beginning);
  const group = isShared
    ? serversGroup(value)
    : (GROUPS.find((one) => valueAt(value, [one]) !== undefined) ?? GROUPS[0]);
  const groupOf = (key: string) => {
    const entries = valueAt(value, [key]);
    return asObject(entries);
  };
  return {
    path,
    name: basename(path),
    folder: dirname(path),
    isNew,
    isShared,
    group,
    servers: groupOf(group),
    effects: groupOf('effects'),
    hasServers: valueAt(value, [group]) !== undefined,
    setServer: (name, server) => {
      text = withEntry(text, [group, name], server);
    },
    removeServer: (name) => {
      text = withoutEntry(text, [group, name]);
    },
    setEffect: (tool, effect) => {
      text = withEntry(text, ['effects', tool], effect);
    },
    removeEffect: (tool) => {
      text = withoutEntry(text, ['effects', tool]);
    },
    save: () => replaceFile(path, text),
  };
}

/** In the order in which they are looked for. */
const GROUPS = ['mcpServers', 'servers', 'mcp_servers'] as const;

/** A crash leaves the old file or the new one, never a part of one. */
async function replaceFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const mode = await stat(path).then(
      (found) => found.mode & 0o777,
      () => 0o666,
    );
    await writeFile(draft, text, { mode });
    await rename(draft, path);
  } catch (error) {
    throw new DandoriError('usage', `Cannot write ${basename(path)}: ${messageOf(error)}`, {
      cause: error,
      fix: 'Use a folder that you can write to.',
    });
  }
}
