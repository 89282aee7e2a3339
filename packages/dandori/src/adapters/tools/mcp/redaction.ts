import { secretsIn, withForms } from '../../../core/declared-secrets.ts';
import type { McpServerConfig } from './config.ts';

export type Redact = (text: string) => string;

/** What a server says on stderr or in an error may repeat what it was given; reasons and failures are journaled. */
export function createRedaction(config: McpServerConfig, more: readonly string[] = []): Redact {
  const secrets = [...new Set([...withForms(secretsIn(config)), ...more])]
    .filter((secret) => secret !== '')
    // The longest first: one secret may be the beginning of another.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
}

/** Where a server is, without what may be secret about it. */
export function publicUrl(text: string): string {
  if (!URL.canParse(text)) return 'its url';
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
