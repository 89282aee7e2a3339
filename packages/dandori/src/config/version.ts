import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Read from package.json. It is two folders up, both from `src/config` and from the published `lib/config`.
 */
export function version(): string {
  return manifest().version;
}

/** The oldest Node that Dandori runs on, such as `22.18`. */
export function lowestNode(): string {
  return manifest().engines.node.replace('>=', '');
}

function manifest(): { readonly version: string; readonly engines: { readonly node: string } } {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
}

const SCHEMA = 'node_modules/dandori/dandori.schema.json';

/**
 * The first line of a `dandori.yaml`, which tells editors where the schema is. The path is relative if the package is
 * installed in that folder.
 */
export function schemaLine(folder: string): string {
  const own = fileURLToPath(new URL('../../dandori.schema.json', import.meta.url));
  const address = existsSync(join(folder, SCHEMA)) ? `./${SCHEMA}` : own.replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${address}\n`;
}
