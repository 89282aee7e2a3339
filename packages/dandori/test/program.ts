import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Where `installation.ts` puts the packages; what they need they find in the `node_modules` around it. */
export const INSTALLATION = join(import.meta.dirname, '../../../node_modules/.dandori');

const INSTALLED = join(INSTALLATION, 'node_modules/dandori/bin/dandori.js');
const SOURCE = join(import.meta.dirname, '../bin/dandori.js');

/** The command line: within vitest as it is published, and in scripts, before which nothing is built, the source. */
export const PROGRAM = process.env.VITEST !== undefined && existsSync(INSTALLED) ? INSTALLED : SOURCE;

/**
 * The oldest Node that the published package says it runs on, which npm brings as `node-lowest` to Linux on x64. Elsewhere
 * there is none, and what needs it is skipped.
 */
export const LOWEST_NODE = findLowestNode();

function findLowestNode(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('node-lowest/package.json');
    return join(dirname(manifest), 'bin/node');
  } catch {
    return undefined;
  }
}
