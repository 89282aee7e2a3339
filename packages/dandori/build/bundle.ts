import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

const PACKAGES = join(import.meta.dirname, '../..');

/** What stays outside of the bundle, and is found where it is installed. */
const OUTSIDE: Readonly<Record<Bundled, readonly string[]>> = {
  // Loaded late by `require`, which no bundler follows.
  dandori: ['ajv', 'ajv-formats'],
  servers: ['mathjs'],
};

/** What npm installs with the package: also those whose types are part of ours, as zod's in the tools that users define. */
export const INSTALLED: Readonly<Record<Bundled, readonly string[]>> = {
  dandori: [...OUTSIDE.dandori, '@modelcontextprotocol/server', 'zod'],
  servers: OUTSIDE.servers,
};

/**
 * The files that something outside starts or imports by name. A file that the code finds by its URL, such as that of a
 * worker or a second process, must be named here: the bundler does not see it otherwise.
 */
export const ENTRIES = {
  dandori: {
    start: 'src/cli/start.ts',
    index: 'src/index.ts',
    client: 'src/client/index.ts',
    testing: 'src/testing/index.ts',
  },
  servers: {
    calc: 'src/calc/main.ts',
    clock: 'src/clock/main.ts',
    files: 'src/files/main.ts',
    kitchen: 'src/kitchen/main.ts',
    places: 'src/places/main.ts',
    shell: 'src/shell/main.ts',
    sqlite: 'src/sqlite/main.ts',
    // The process in which sqlite reads, found beside it by this name.
    reader: 'src/sqlite/reader.ts',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type Bundled = keyof typeof ENTRIES;

/**
 * Puts a package and all that it imports into a few files: a start reads 30 files where it would read 600. What is
 * imported late stays in files of its own, and what several entries use is there once.
 *
 * @returns the files that went into it
 */
export async function bundle(name: Bundled, directory: string): Promise<string[]> {
  const folder = join(PACKAGES, name);
  const entries = Object.entries<string>(ENTRIES[name]);
  await using build = await rolldown({
    input: Object.fromEntries(entries.map(([entry, file]) => [entry, join(folder, file)])),
    platform: 'node',
    external: OUTSIDE[name].map((one) => new RegExp(`^${one}(/|$)`)),
    transform: { target: `node${lowestNode()}` },
  });
  const { output } = await build.write({
    dir: directory,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name]-[hash].js',
  });
  return output.flatMap((file) => (file.type === 'chunk' ? inside(file) : []));
}

/** The oldest Node that the published package says it runs on. Syntax that is newer, such as `using`, is rewritten for it. */
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
