import { readFileSync } from 'node:fs';

/**
 * Read from package.json. It is two folders up, both from `src/config` and from the published `lib/config`.
 */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
