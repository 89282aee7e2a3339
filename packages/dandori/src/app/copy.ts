import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadConfig } from '../config/index.ts';
import { DandoriError } from '../model/error.ts';
import type { Copied, CopiedStore } from '../store/implementations.ts';

export type { Copied };

interface CopyBetween {
  readonly run?: string | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Copies runs between two stores. A store is the address of a database (`?schema=…` names its schema), a
 * configuration file, a folder that contains one, or the folder in which runs are stored.
 */
export async function copyBetween(from: string, to: string, options: CopyBetween = {}): Promise<Copied> {
  const { run, onProgress, ...where } = options;
  const source = await openNamed(from, { ...where, mustExist: true });
  try {
    const target = await openNamed(to, { ...where, mustExist: false });
    try {
      const { copyStore } = await import('../store/copy/copy.ts');
      return await copyStore(source, target, { run, onProgress });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

interface Where {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly mustExist: boolean;
}

async function openNamed(name: string, { cwd = process.cwd(), env, mustExist }: Where): Promise<CopiedStore> {
  if (/^postgres(ql)?:\/\//.test(name)) return openDatabase({ ...withoutSchema(name), mustExist });
  const path = resolve(cwd, name);
  const file = statSync(path, { throwIfNoEntry: false });
  const config = file?.isFile() ? path : join(path, 'dandori.yaml');
  if (file?.isFile() || existsSync(config)) {
    const { store, directory, planning } = await loadConfig({
      file: config,
      cwd,
      ...(env && { env }),
      use: 'read',
    });
    if (store !== undefined) return openDatabase({ ...store, mustExist });
    if (planning.history.storageType === 'memory')
      throw new DandoriError('usage', `The runs of ${name} are stored in memory and cannot be copied.`);
    return openFolder(directory);
  }
  if (file === undefined && mustExist)
    throw new DandoriError('usage', `There is no store "${name}".`, {
      fix: 'A store is a folder, a dandori.yaml, or the address of a database.',
    });
  return openFolder(path);
}

async function openDatabase(options: {
  readonly url: string;
  readonly schema?: string;
  readonly mustExist: boolean;
}): Promise<CopiedStore> {
  return (await import('../store/copy/postgres.ts')).openPostgresForCopy(options);
}

async function openFolder(directory: string): Promise<CopiedStore> {
  return (await import('../store/copy/files.ts')).openFilesForCopy(directory);
}

function withoutSchema(address: string): { readonly url: string; readonly schema?: string } {
  const url = new URL(address);
  const schema = url.searchParams.get('schema');
  url.searchParams.delete('schema');
  return { url: url.href, ...(schema !== null && { schema }) };
}
