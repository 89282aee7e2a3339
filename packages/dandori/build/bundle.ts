import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';

const PACKAGES = join(import.meta.dirname, '../..');

/** What stays outside of the bundle, and is found where it is installed. */
const OUTSIDE: Readonly<Record<Bundled, readonly string[]>> = {
  // The servers are started, never imported; the others are loaded late by `require`, which no bundler follows.
  dandori: ['@dandori/servers', 'ajv', 'ajv-formats'],
  servers: ['mathjs'],
};

/** What a package has installed beside it: also those whose types are part of ours, as zod's in the tools that users define. */
export const INSTALLED: Readonly<Record<Bundled, readonly string[]>> = {
  dandori: [...OUTSIDE.dandori, '@modelcontextprotocol/server', 'zod'],
  servers: OUTSIDE.servers,
};

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
    kitchen: 'src/kitchen/main.ts',
    places: 'src/places/main.ts',
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
  });
  const { output } = await build.write({
    dir: directory,
    entryFileNames: '[name].js',
    chunkFileNames: 'part-[name]-[hash].js',
  });
  return output.flatMap((file) => (file.type === 'chunk' ? inside(file) : []));
}

function inside({ moduleIds }: OutputChunk): string[] {
  return moduleIds.filter((id) => !id.startsWith('\0'));
}
