import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Makes what is published: `packages/NAME/dist` is a whole package of JavaScript, with a `package.json` of its own.
 * In the repository Node runs the TypeScript as it is, and nothing there looks into `dist`.
 */
const ROOT = join(import.meta.dirname, '../..');
const PROMPTS = 'mind/prompts';

build('servers', [['packages/servers/README.md', 'README.md']]);
build('dandori', [
  ['packages/dandori/bin', 'bin'],
  ['packages/dandori/plan.schema.json', 'plan.schema.json'],
  [`packages/dandori/src/${PROMPTS}`, `lib/${PROMPTS}`],
  ['packages/web/dist', 'page'],
  ['README.md', 'README.md'],
  // Errors name their page in it, and the README leads there.
  ['docs', 'docs'],
]);

function build(name: string, along: readonly [from: string, to: string][]): void {
  const folder = join(ROOT, 'packages', name);
  const target = join(folder, 'dist');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  execFileSync(process.execPath, [compiler(), '-p', join(folder, 'tsconfig.build.json')], {
    stdio: 'inherit',
  });
  for (const [from, to] of [...along, ['LICENSE', 'LICENSE'] as const]) {
    const options = { recursive: true, filter: (path: string) => !path.endsWith('.ts') };
    cpSync(join(ROOT, from), join(target, to), options);
  }
  const manifest = published(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function compiler(): string {
  return join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
}

interface Manifest {
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
}

function published({ private: _private, devDependencies: _dev, exports, ...rest }: Manifest) {
  return {
    ...rest,
    exports: Object.fromEntries(Object.entries(exports).map(([name, file]) => [name, compiled(file)])),
  };
}

/** `./src/index.ts` is `./lib/index.js` once it is compiled; what is not compiled stays where it is. */
function compiled(file: string): string | { types: string; default: string } {
  if (!file.endsWith('.ts')) return file;
  const base = file.replace('./src/', './lib/').replace(/\.ts$/, '');
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
