import { existsSync, globSync, statSync } from 'node:fs';
import { delimiter, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
/** Where `npm run build` puts the package. */
const BUILT = join(ROOT, 'packages/dandori/dist');

/**
 * The packages to measure: those of `DANDORI_DIR`, which are separated as in `PATH`, otherwise the built one. Empty if none
 * was built. Only `start` compares several.
 */
export function packageFolders(): string[] {
  const given = process.env.DANDORI_DIR?.split(delimiter);
  return given ?? (existsSync(entryOf(BUILT)) ? [BUILT] : []);
}

export function entryOf(folder: string): string {
  return join(resolve(folder), 'lib/code/index.js');
}

type Library = typeof import('../packages/dandori/src/index.ts');

/** The library as a program imports it: of the first package, otherwise the source. */
export async function importLibrary(): Promise<Library> {
  const [folder] = packageFolders();
  const entry =
    folder === undefined ? '../packages/dandori/src/index.ts' : pathToFileURL(entryOf(folder)).href;
  return (await import(entry)) as Library;
}

/** Says what is measured, so that figures of an old build are not taken for those of the source. */
export function describePackages(): string {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: ROOT }).map((file) => join(ROOT, file));
  const changed = Math.max(...sources.map(writtenAt));
  const described = packageFolders().map((folder) => {
    const built = writtenAt(entryOf(folder));
    const at = new Date(built).toISOString().slice(0, 16).replace('T', ' ');
    const isOld = folder === BUILT && changed > built;
    return `${relative('', folder)}, built ${at} UTC${isOld ? ' and older than the source' : ''}`;
  });
  return described.join('; ') || 'the source, as no package is built';
}

function writtenAt(file: string): number {
  return statSync(file).mtimeMs;
}
