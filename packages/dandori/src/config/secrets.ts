import type { Expansion } from './environment.ts';
import { valueAt } from './place.ts';
import { isRecord } from './record.ts';

/** Shorter ones cannot be told from ordinary text. */
const SHORTEST = 6;
const SECRET_NAME =
  /key|token|secret|pass(?!age|enger|ing|ive)|pwd|auth|credential|cookie|session|bearer|signature|private/i;
const HARMLESS_HEADER = /^(accept.*|content-type|user-agent|mcp-protocol-version)$/i;

/**
 * Everything that must never be written to a journal or a log: the values of environment variables, of `env` and of
 * `headers`. Plain words, numbers and paths are left out unless their name says that they are secret: with
 * `NODE_ENV: production` the word would otherwise vanish from every result.
 */
export function collectSecrets(
  config: unknown,
  expansions: readonly Expansion[],
  apiKeys: readonly (string | undefined)[] = [],
): string[] {
  const found = new Set<string>();
  const add = (name: string, value: unknown) => {
    if (typeof value !== 'string' || value.length < SHORTEST || value.includes('${')) return;
    if (SECRET_NAME.test(name) || !isHarmless(value)) found.add(value);
  };
  for (const { variable, value } of expansions) add(variable, value);
  const servers = valueAt(config, ['mcpServers']);
  const called = [
    ...(isRecord(servers) ? Object.values(servers) : []),
    valueAt(config, ['user_config_api']),
    valueAt(config, ['telemetry']),
  ];
  for (const server of called) {
    for (const [name, value] of entries(server, 'env')) add(name, value);
    for (const [name, value] of entries(server, 'headers')) {
      if (HARMLESS_HEADER.test(name)) continue;
      add(name, value);
      // An error of a server may quote the token without the scheme before it.
      if (typeof value === 'string') add(name, /^\w+ +(\S+)$/.exec(value)?.[1]);
    }
    for (const key of ['url', 'endpoint'])
      for (const part of secretUrlParts(valueAt(server, [key]))) add('secret', part);
  }
  for (const model of [
    ['model', 'base_url'],
    ['model', 'fallback', 'base_url'],
  ])
    for (const part of secretUrlParts(valueAt(config, model))) add('secret', part);
  for (const apiKey of apiKeys) add('key', apiKey);
  return longestFirst(found);
}

/** What a person put in the file by mistake (`api_key: sk-…`): an error must not repeat it. */
export function strayedSecrets(value: unknown): string[] {
  const found = new Set<string>();
  const walk = (current: unknown, name: string) => {
    if (typeof current === 'object' && current !== null) {
      for (const [key, item] of Object.entries(current)) walk(item, Array.isArray(current) ? name : key);
    } else if (
      typeof current === 'string' &&
      current.length >= SHORTEST &&
      SECRET_NAME.test(name) &&
      !isVariableName(current)
    ) {
      found.add(current);
    }
  };
  walk(value, '');
  return longestFirst(found);
}

/**
 * For a line of a file. It keeps its length, so that a caret under it stays right, and it is done before the line is
 * cut: half a secret would not be found again.
 */
export function maskLine(line: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '•'.repeat(secret.length)), line);
}

/** For a file that cannot be parsed, so that its secrets are not known. */
export function maskUnparsedLine(line: string): string {
  const value = /((?:key|token|secret|pass\w*|authorization)["']?\s*[:=]\s*)(\S.*)$/i;
  return line.replace(value, (_whole, name: string, rest: string) => name + '•'.repeat(rest.length));
}

/** Longest first, so that a secret that holds another one goes as a whole. */
export function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '•••'), text);
}

function isHarmless(value: string): boolean {
  return /^[A-Za-z]+$/.test(value) || /^[\d.]+$/.test(value) || /^(~|\.{0,2})\/|^[A-Za-z]:\\/.test(value);
}

function isVariableName(value: string): boolean {
  return /^[A-Z_][A-Z0-9_]*$/.test(value) || value.includes('${');
}

function entries(server: unknown, key: string): [string, unknown][] {
  const group = valueAt(server, [key]);
  return isRecord(group) ? Object.entries(group) : [];
}

function secretUrlParts(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return [];
  const { password, searchParams } = new URL(url);
  return [
    password,
    ...[...searchParams].filter(([name]) => SECRET_NAME.test(name)).map(([, value]) => value),
  ];
}

function longestFirst(secrets: ReadonlySet<string>): string[] {
  return [...secrets].sort((a, b) => b.length - a.length);
}
