import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** A shell would unfold `~`; without this a folder of that name would be made. */
export function resolvePath(folder: string, path: string): string {
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : resolve(folder, path);
}
