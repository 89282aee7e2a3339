import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Where a server keeps a file unless its own setting names another place. */
export function dataFile(name: string): string {
  const { DANDORI_DATA_DIR, DANDORI_PROJECT_DIR, XDG_DATA_HOME } = process.env;
  // Dandori names the project's folder, so that demo data stays in it.
  const project = DANDORI_PROJECT_DIR && join(DANDORI_PROJECT_DIR, '.dandori', 'data');
  const shared = join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'dandori');
  return resolve(DANDORI_DATA_DIR || project || shared, name);
}

/** Not in the shared temporary directory, where another user could put code for us to run. */
export function compileCache(): string {
  const { DANDORI_DATA_DIR, XDG_CACHE_HOME } = process.env;
  return resolve(
    DANDORI_DATA_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'dandori'),
    'compile-cache',
  );
}

/** Creates a file that is never visible half-written, even if several processes create it at once. */
export function createOnce(path: string, build: (temporaryPath: string) => void): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporaryPath = `${path}.${randomUUID()}.tmp`;
  try {
    build(temporaryPath);
    publish(temporaryPath, path);
  } finally {
    rmSync(temporaryPath, { force: true });
  }
}

/** A rename could replace a file that another process has just created. A link can't. */
function publish(temporaryPath: string, path: string): void {
  try {
    linkSync(temporaryPath, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // Some file systems have no links.
    if (!existsSync(path)) renameSync(temporaryPath, path);
  }
}
