import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeSplittingGroup, type OutputChunk, rolldown } from 'rolldown';
import { fixPostgres } from './fix-postgres.ts';

const PACKAGES = join(import.meta.dirname, '../..');

/** Packages that are not bundled. Node finds them in `node_modules`. */
const OUTSIDE: Readonly<Record<Bundled, readonly string[]>> = {
  // The first three are loaded lazily with `require`, which bundlers do not follow. The others are optional: users who
  // want them install them.
  dandori: ['ajv', 'ajv-formats', 're2js', 'pg-boss', '@restatedev/restate-sdk'],
  servers: ['mathjs'],
};

const OUR_FILES = /[\\/]packages[\\/](?:dandori|servers)[\\/]src[\\/]/;

/**
 * Dependencies of the published package. They include packages whose types are part of our API, such as zod
 * in user-defined tools.
 */
export const INSTALLED: Readonly<Record<Bundled, readonly string[]>> = {
  dandori: [...OUTSIDE.dandori, '@modelcontextprotocol/server', 'zod'],
  servers: OUTSIDE.servers,
};

/**
 * The files that other programs start or import by name. List here any file that the code finds by URL, such
 * as a worker or a second process. Otherwise the bundler does not see it.
 */
export const ENTRIES = {
  dandori: {
    start: 'src/cli/start.ts',
    index: 'src/index.ts',
    client: 'src/client/index.ts',
    store: 'src/store/public.ts',
    testing: 'src/testing/index.ts',
    // `openDandori({ workers })` starts this file and finds it by this name.
    'pool-worker': 'src/app/pool-worker.ts',
  },
  servers: {
    calc: 'src/calc/main.ts',
    clock: 'src/clock/main.ts',
    files: 'src/files/main.ts',
    kitchen: 'src/kitchen/main.ts',
    places: 'src/places/main.ts',
    shell: 'src/shell/main.ts',
    sqlite: 'src/sqlite/main.ts',
    // sqlite starts this file as a second process and finds it by this name.
    reader: 'src/sqlite/reader.ts',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

/**
 * Files that are always loaded together become one. Node takes about a millisecond for each file that it loads. What
 * a file imports goes with it, except for what an earlier group has. Lazily imported files stay separate.
 */
const PARTS: Readonly<Record<Bundled, readonly CodeSplittingGroup[]>> = {
  dandori: [
    // The page of `serve` uses all of zod, with its texts in fifty languages. Everything else uses a third.
    part('zod', /[\\/]node_modules[\\/]zod[\\/]/, { entriesAware: true }),
    part('json', ours('model/(json|text|error)|documents/field|config/version')),
    // `dandori --help`
    part('start', ours('cli/main')),
    // `import 'dandori'`
    part('library', ours('app/run|plan/write|store/store|tools/(program-tools|service)')),
    part('core', ours('(model|plan|run|documents)/.*')),
    part('app', ours('app/dandori')),
    // `dandori run`
    part('run', ours('cli/(session|commands/run)')),
  ],
  servers: [],
};

/** Earlier groups have priority, because their order is that of the list. */
function part(name: string, test: RegExp, options: Partial<CodeSplittingGroup> = {}): CodeSplittingGroup {
  return { name, test, ...options };
}

function ours(files: string): RegExp {
  return new RegExp(
    `[\\\\/]packages[\\\\/]dandori[\\\\/]src[\\\\/](?:${files.replaceAll('/', '[\\\\/]')})\\.ts$`,
  );
}

export type Bundled = keyof typeof ENTRIES;

/**
 * Bundles a package and everything it imports into a few files, so that a start reads 6 to 20 files instead
 * of 600. Lazily imported code stays in separate files. Code that several entries share is included once.
 *
 * @returns the source files in the bundle
 */
export async function bundle(name: Bundled, directory: string): Promise<string[]> {
  const folder = join(PACKAGES, name);
  const entries = Object.entries<string>(ENTRIES[name]);
  await using build = await rolldown({
    input: Object.fromEntries(entries.map(([entry, file]) => [entry, join(folder, file)])),
    platform: 'node',
    external: OUTSIDE[name].map((one) => new RegExp(`^${one}(/|$)`)),
    transform: { target: `node${lowestNode()}` },
    // None of our files does anything when it is imported, except those that are started. So a file that takes one
    // function from the index of a room loads that function, and not the room.
    treeshake: { moduleSideEffects: [{ test: OUR_FILES, sideEffects: false }] },
    // A command may import a file statically that another one, in the same part, imports lazily.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: 'fix-postgres',
        transform: { filter: { id: /postgres\/src\/connection\.js$/ }, handler: fixPostgres },
      },
    ],
  });
  const { output } = await build.write({
    dir: directory,
    entryFileNames: '[name].js',
    // The bundler adds to the name of a group by entries all their names.
    chunkFileNames: (chunk) => `part-${chunk.name.split('~')[0]}-[hash].js`,
    codeSplitting: { groups: [...PARTS[name]] },
    // Names stay, so that a stack can be read. Without white space a start reads and decodes a fifth less.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  return output.flatMap((file) => (file.type === 'chunk' ? inside(file) : []));
}

/**
 * The oldest Node that the published package supports. The bundler rewrites newer syntax, such as `using`,
 * for it.
 */
export function lowestNode(): string {
  const text = readFileSync(join(PACKAGES, 'dandori/package.json'), 'utf8');
  const { engines } = JSON.parse(text) as { engines: { node: string } };
  const lowest = /^>=(\d+\.\d+)$/.exec(engines.node)?.[1];
  if (lowest === undefined)
    throw new Error(`"${engines.node}" in engines names no lowest Node, such as >=22.18.`);
  return lowest;
}

function inside({ moduleIds }: OutputChunk): string[] {
  return moduleIds.filter((id) => !id.startsWith('\0'));
}
