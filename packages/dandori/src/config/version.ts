import { readFileSync } from 'node:fs';

/** From package.json, two folders up both from `src/config` and from `lib/config`, as it is published. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
