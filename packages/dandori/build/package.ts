import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bundled, bundle, ENTRIES, INSTALLED } from './bundle.ts';
import { writeNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Two folders deep, as the source is: from there it looks for its prompts, its version and the page. */
const CODE = 'lib/code';

const ALONG: Readonly<Record<Bundled, readonly (readonly [from: string, to: string])[]>> = {
  dandori: [
    ['packages/dandori/bin', 'bin'],
    ['packages/dandori/plan.schema.json', 'plan.schema.json'],
    ['packages/dandori/src/mind/prompts', CODE],
    ['packages/web/dist', 'page'],
    ['README.md', 'README.md'],
    // Errors name their page in it, and the README leads there.
    ['docs', 'docs'],
    ['LICENSE', 'LICENSE'],
  ],
  servers: [
    ['packages/servers/README.md', 'README.md'],
    ['LICENSE', 'LICENSE'],
  ],
};

/** Makes a whole package of JavaScript, as it is published, with a `package.json` of its own. */
export async function makePackage(name: Bundled, target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const files = await bundle(name, join(target, CODE));
  writeNotices(files, join(target, 'THIRD-PARTY.txt'));
  for (const [from, to] of ALONG[name]) {
    const source = join(ROOT, from);
    // The page is there once `npm run prepare` has built it.
    if (!existsSync(source)) continue;
    cpSync(source, join(target, to), { recursive: true, filter: (path) => !path.endsWith('.ts') });
  }
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(name, manifest), null, 2)}\n`);
}

interface Manifest {
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
}

function published(name: Bundled, manifest: Manifest) {
  const { private: _private, devDependencies: _dev, exports, dependencies, ...rest } = manifest;
  const installed = Object.entries(dependencies).filter(([one]) => INSTALLED[name].includes(one));
  return {
    ...rest,
    exports: Object.fromEntries(Object.entries(exports).map(([path, file]) => [path, compiled(name, file)])),
    dependencies: Object.fromEntries(installed),
  };
}

/** What is not compiled stays where it is. Servers are started, not imported, and need no types. */
function compiled(name: Bundled, file: string): string | { types: string; default: string } {
  if (!file.endsWith('.ts')) return file;
  if (name === 'servers') return `./${CODE}/*.js`;
  const entry = Object.entries<string>(ENTRIES[name]).find(([, source]) => `./${source}` === file);
  if (entry === undefined)
    throw new Error(`${file} is exported by package.json and is no entry of the bundle.`);
  const types = file.replace('./src/', './lib/types/').replace(/\.ts$/, '.d.ts');
  return { types, default: `./${CODE}/${entry[0]}.js` };
}
