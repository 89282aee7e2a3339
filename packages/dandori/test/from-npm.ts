import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * The folder of packages that only long trials use, because of their size. npm installs them once per machine:
 * `packages` are names with versions, of which the last one is the one that is wanted.
 */
export async function fromNpm(...packages: readonly string[]): Promise<string> {
  const wanted = packages.at(-1) ?? '';
  const folder = folderOf(wanted);
  const installed = join(folder, 'node_modules', wanted.slice(0, wanted.lastIndexOf('@')));
  if (await isInstalled(wanted)) return installed;
  await mkdir(folder, { recursive: true });
  const args = ['install', '--prefix', folder, '--no-save', '--ignore-scripts', ...packages];
  await promisify(execFile)('npm', args);
  return installed;
}

/** Whether `fromNpm` has installed a package with this name and version. */
export function isInstalled(wanted: string): Promise<boolean> {
  return access(join(folderOf(wanted), 'node_modules/.package-lock.json')).then(
    () => true,
    () => false,
  );
}

function folderOf(wanted: string): string {
  return join(tmpdir(), `dandori-${wanted.replace(/\W+/g, '-')}`);
}
