import { isObject, valueAt } from '../model/json.ts';
import {
  isSecretParameter,
  markedSecret,
  secretsIn,
  secretsOf,
  urlSecrets,
  withForms,
} from '../secrets/index.ts';
import type { Expansion } from './environment.ts';

/** For text that is only displayed. Short, because a user may have put a key under any name. */
const SHORTEST = 6;

/**
 * Everything that the configuration declares as secret, and that must never be written to a journal or a log.
 * These are: keys of models, `${secret:NAME}`, variables, `env` and `headers` with secret names, and
 * passwords and secret parameters in addresses. All other values are ordinary text.
 */
export function collectSecrets(
  config: unknown,
  expansions: readonly Expansion[],
  apiKeys: readonly (string | undefined)[] = [],
): string[] {
  const servers = valueAt(config, ['mcpServers']);
  const called = [
    ...(isObject(servers) ? Object.values(servers) : []),
    valueAt(config, ['user_config_api']),
    valueAt(config, ['telemetry']),
  ];
  const models = [valueAt(config, ['model', 'base_url']), valueAt(config, ['model', 'fallback', 'base_url'])];
  return withForms([
    ...expansions.flatMap(({ variable, value, isMarked }) =>
      isMarked ? markedSecret(value) : secretsOf(variable, value),
    ),
    ...called.flatMap((one) => (isObject(one) ? secretsIn(one) : [])),
    ...models.flatMap((address) => (typeof address === 'string' ? urlSecrets(address) : [])),
    ...apiKeys.flatMap((key) => (key === undefined ? [] : markedSecret(key))),
  ]);
}

/** Secrets that a user put in the file by mistake (`api_key: sk-…`). An error must not repeat them. */
export function strayedSecrets(value: unknown): string[] {
  const found = new Set<string>();
  const walk = (current: unknown, name: string) => {
    if (typeof current === 'object' && current !== null) {
      for (const [key, item] of Object.entries(current)) walk(item, Array.isArray(current) ? name : key);
    } else if (
      typeof current === 'string' &&
      current.length >= SHORTEST &&
      isSecretParameter(name) &&
      !isVariableName(current)
    ) {
      found.add(current);
    }
  };
  walk(value, '');
  return longestFirst(found);
}

/**
 * Masks secrets in a line of a file. The line keeps its length, so that a caret under it stays right. Call
 * this before cutting the line: half a secret would not be found.
 */
export function maskLine(line: string, secrets: readonly string[]): string {
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '•'.repeat(secret.length)), line);
}

/** For a file that cannot be parsed, whose secrets are therefore unknown. */
export function maskUnparsedLine(line: string): string {
  const value = /((?:key|token|secret|pass\w*|authorization)["']?\s*[:=]\s*)(\S.*)$/i;
  return line.replace(value, (_whole, name: string, rest: string) => name + '•'.repeat(rest.length));
}

function isVariableName(value: string): boolean {
  return /^[A-Z_][A-Z0-9_]*$/.test(value) || value.includes('${');
}

function longestFirst(secrets: ReadonlySet<string>): string[] {
  return [...secrets].sort((a, b) => b.length - a.length);
}
