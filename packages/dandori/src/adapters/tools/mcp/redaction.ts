import { isHttp, type McpServerConfig } from './config.ts';

export type Redact = (text: string) => string;

/** Shorter values are words like `true` or `info`: they are no secrets, and blanking them makes a message unreadable. */
const MIN_SECRET = 6;

/** What a server says on stderr or in an error may repeat what it was given; reasons and failures are journaled. */
export function createRedaction(config: McpServerConfig, more: readonly string[] = []): Redact {
  const secrets = [...new Set([...secretsOf(config), ...more])]
    .filter((secret) => secret.length >= MIN_SECRET)
    // The longest first: one secret may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
}

function secretsOf(config: McpServerConfig): string[] {
  if (!isHttp(config)) return Object.values(config.env ?? {}).filter((value) => !isPath(value));
  // `Bearer abc`: the server may repeat the token alone.
  const headers = Object.values(config.headers ?? {}).flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...headers, ...urlSecrets(config.url)];
}

/** An error that does not say which file it is about helps nobody; a path that is secret is among the others' secrets. */
function isPath(value: string): boolean {
  return /^(~|\.{0,2})\/|^[A-Za-z]:\\/.test(value);
}

function urlSecrets(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  return [url.password, url.username, url.search.slice(1), ...url.searchParams.values()];
}

/** Where a server is, without what may be secret about it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return 'its url';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
