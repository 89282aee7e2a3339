import { existsSync, globSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
/** Where `npm run build` puts the package. */
export const BUILT = join(ROOT, 'packages/dandori/dist');

/** The package to measure: `DANDORI_DIR`, otherwise the built one. Undefined if none was built: then the source is. */
function packageFolder(): string | undefined {
  return process.env.DANDORI_DIR ?? (existsSync(entryOf(BUILT)) ? BUILT : undefined);
}

export function entryOf(folder: string): string {
  return join(folder, 'lib/code/index.js');
}

type Library = typeof import('../packages/dandori/src/index.ts');

/** The library as a program imports it. */
export async function importLibrary(): Promise<Library> {
  const folder = packageFolder();
  const entry =
    folder === undefined ? '../packages/dandori/src/index.ts' : pathToFileURL(entryOf(resolve(folder))).href;
  return (await import(entry)) as Library;
}

/** Says which library is measured, so that figures of an old build are not taken for those of the source. */
export function describeLibrary(): string {
  const folder = packageFolder();
  if (folder === undefined) return 'the source, because no package was built';
  const built = writtenAt(entryOf(folder));
  const changed = Math.max(
    ...globSync('packages/*/src/**/*.ts', { cwd: ROOT }).map((file) => writtenAt(join(ROOT, file))),
  );
  const isOld = folder === BUILT && changed > built;
  const at = new Date(built).toISOString().slice(0, 16).replace('T', ' ');
  return `${relative('', folder)}, built ${at} UTC${isOld ? ', BEFORE THE LAST CHANGE OF THE SOURCE' : ''}`;
}

function writtenAt(file: string): number {
  return statSync(file).mtimeMs;
}
