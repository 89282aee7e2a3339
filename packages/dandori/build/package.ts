import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Bundled, bundle, ENTRIES, INSTALLED } from './bundle.ts';
import { listShippedTools } from './listed-tools.ts';
import { writeNotices } from './notices.ts';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * The code finds its prompts, its version and the page by relative paths. So it must be two folders deep,
 * like the source.
 */
const CODE: Readonly<Record<Bundled, string>> = { dandori: 'lib/code', servers: 'lib/servers' };

const ALONG: readonly (readonly [from: string, to: string])[] = [
  ['packages/dandori/bin', 'bin'],
  ['packages/dandori/plan.schema.json', 'plan.schema.json'],
  ['packages/dandori/dandori.schema.json', 'dandori.schema.json'],
  ['packages/dandori/src/mind/prompts', CODE.dandori],
  ['packages/web/dist', 'page'],
  // Error messages name a page in `docs`. The README links to `docs`, which links to the other files.
  ...['README.md', 'README.ja.md', 'docs', 'examples', 'packages/servers/README.md', 'LICENSE'].map(
    (name) => [name, name] as const,
  ),
  ...['AGENTS.md', 'CHANGELOG.md', 'CONTEXT.md', 'CONTRIBUTING.md'].map((name) => [name, name] as const),
];

/** TypeScript files beside the prompts, and runs that the examples have left behind. */
const LEFT_OUT = /\/mind\/prompts\/.*\.ts$|\/\.dandori(\/|$)/;

/** Makes the package as published: JavaScript, the shipped servers, and its own `package.json`. */
export async function makePackage(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  const own = await bundle('dandori', join(target, CODE.dandori));
  const servers = await bundle('servers', join(target, CODE.servers));
  const tools = await listShippedTools();
  writeFileSync(join(target, CODE.servers, 'tools.json'), JSON.stringify(tools));
  writeNotices([...own, ...servers], join(target, 'THIRD-PARTY.txt'));
  for (const [from, to] of ALONG) {
    const source = join(ROOT, from);
    // The page is missing until `npm run prepare` has built it.
    if (!existsSync(source)) continue;
    cpSync(source, join(target, to), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(path.slice(ROOT.length).replaceAll('\\', '/')),
    });
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published(), null, 2)}\n`);
}

/** A separate step: it takes seconds, and programs run without type declarations. */
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
  readonly scripts?: unknown;
}

function manifestOf(name: Bundled): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as Manifest;
}

function published() {
  const {
    private: _private,
    devDependencies: _dev,
    scripts: _scripts,
    exports,
    ...rest
  } = manifestOf('dandori');
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

/** Files that are not TypeScript keep their path. */
function compiled(file: string): string | { types: string; default: string } {
  if (!file.endsWith('.ts')) return file;
  const entry = Object.entries<string>(ENTRIES.dandori).find(([, source]) => `./${source}` === file);
  if (entry === undefined)
    throw new Error(`${file} is exported by package.json and is no entry of the bundle.`);
  const types = file.replace('./src/', './lib/types/').replace(/\.ts$/, '.d.ts');
  return { types, default: `./${CODE.dandori}/${entry[0]}.js` };
}
