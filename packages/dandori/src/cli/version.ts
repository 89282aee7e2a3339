import { readFileSync } from 'node:fs';

/** From package.json, which lies two folders up both in the source and in what is published. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
