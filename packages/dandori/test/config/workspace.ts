import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { type LoadOptions, loadConfig } from '../../src/config/load.ts';
import { DandoriError } from '../../src/model/error.ts';

/** A folder with these files in it, gone after the test. */
export async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

export async function load(yaml: string | Uint8Array, options: Partial<LoadOptions> = {}): Promise<Config> {
  return loadConfig({ cwd: await folderWith({ 'dandori.yaml': yaml }), env: {}, ...options });
}

export async function refusal(promise: Promise<unknown> | (() => unknown)): Promise<DandoriError> {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (error instanceof DandoriError) return error;
    throw error;
  }
  throw new Error('It was accepted.');
}
