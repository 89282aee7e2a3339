import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundled, bundle, ENTRIES, INSTALLED } from './bundle.ts';
import { writeNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Two folders deep, as the source is: from there it looks for its prompts, its version and the page. */
const CODE: Readonly<Record<Bundled, string>> = { dandori: 'lib/code', servers: 'lib/servers' };

const ALONG: readonly (readonly [from: string, to: string])[] = [
  ['packages/dandori/bin', 'bin'],
  ['packages/dandori/plan.schema.json', 'plan.schema.json'],
  ['packages/dandori/src/mind/prompts', CODE.dandori],
  ['packages/web/dist', 'page'],
  // Errors name their page in `docs`. The README leads there, and from there to the others.
  ...['README.md', 'README.ja.md', 'docs', 'examples', 'packages/servers/README.md', 'LICENSE'].map(
    (name) => [name, name] as const,
  ),
  ...['AGENTS.md', 'CHANGELOG.md', 'CONTEXT.md', 'CONTRIBUTING.md'].map((name) => [name, name] as const),
];

/** The prompts lie beside the code that reads them, and examples that were run have left their runs. */
const LEFT_OUT = /\/mind\/prompts\/.*\.ts$|\/\.dandori(\/|$)/;

/** Makes the whole package of JavaScript as it is published, the shipped servers inside, with a `package.json` of its own. */
export async function makePackage(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const own = await bundle('dandori', join(target, CODE.dandori));
  const servers = await bundle('servers', join(target, CODE.servers));
  writeNotices([...own, ...servers], join(target, 'THIRD-PARTY.txt'));
  for (const [from, to] of ALONG) {
    const source = join(ROOT, from);
    // The page is there once `npm run prepare` has built it.
    if (!existsSync(source)) continue;
    cpSync(source, join(target, to), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path.slice(ROOT.length).replaceAll('\\', '/')),
    });
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`);
}

/** Apart from the rest, as it takes seconds and no program needs it to run. */
export function declareTypes(target: string): void {
  const compiler = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
  const project = join(ROOT, 'packages/dandori/tsconfig.build.json');
  const types = join(target, 'lib/types');
  execFileSync(process.execPath, [compiler, '-p', project, '--outDir', types], { stdio: 'inherit' });
}

interface Manifest {
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports?: unknown;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
}

function manifestOf(name: Bundled): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function published() {
  const { private: _private, devDependencies: _dev, exports, ...rest } = manifestOf('dandori');
  const installed = (['dandori', 'servers'] as const).flatMap((name) =>
    Object.entries(manifestOf(name).dependencies).filter(([one]) => INSTALLED[name].includes(one)),
  );
  return {
    ...rest,
    exports: Object.fromEntries(Object.entries(exports).map(([path, file]) => [path, compiled(file)])),
    imports: { '#servers/*': `./${CODE.servers}/*.js` },
    dependencies: Object.fromEntries(installed),
  };
}

/** What is not compiled stays where it is. */
function compiled(file: string): string | { types: string; default: string } {
  if (!file.endsWith('.ts')) return file;
  const entry = Object.entries<string>(ENTRIES.dandori).find(([, source]) => `./${source}` === file);
  if (entry === undefined)
    throw new Error(`${file} is exported by package.json and is no entry of the bundle.`);
  const types = file.replace('./src/', './lib/types/').replace(/\.ts$/, '.d.ts');
  return { types, default: `./${CODE.dandori}/${entry[0]}.js` };
}
