import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Path, pathText } from '../documents/place.ts';
import type { Problem } from '../documents/problem.ts';
import { isObject } from '../model/json.ts';
import { nearest } from '../model/text.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Expansion {
  readonly variable: string;
  readonly value: string;
  /** Written as `${secret:NAME}`. */
  readonly isMarked: boolean;
}

interface Expanded {
  readonly value: unknown;
  readonly expansions: readonly Expansion[];
  readonly problems: readonly Problem[];
}

const EXPANDED = ['mcpServers', 'user_config_api', 'telemetry', 'store'];

/**
 * Fills `${NAME}`, `${secret:NAME}` and `${NAME:-default}`. It does so in all of `mcpServers`,
 * `user_config_api`, `telemetry` and `store`, and in the `base_url` of models.
 */
export function expandVariables(written: unknown, env: Environment): Expanded {
  const expansions: Expansion[] = [];
  const problems: Problem[] = [];
  const expandAll = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return expandText(value, { path, env, expansions, problems });
    if (Array.isArray(value)) return value.map((item, index) => expandAll(item, [...path, index]));
    if (!isObject(value)) return value;
    // A disabled server is not checked: a missing or wrong variable may be the reason why it is disabled.
    if (path.length === 2 && value.disabled === true) return { disabled: true };
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, expandAll(item, [...path, key])]),
    );
  };
  if (!isObject(written)) return { value: written, expansions, problems };
  const value = { ...written };
  for (const key of EXPANDED) if (value[key] !== undefined) value[key] = expandAll(value[key], [key]);
  const withAddress = (model: unknown, path: Path): unknown => {
    if (!isObject(model)) return model;
    const { base_url, fallback } = model;
    return {
      ...model,
      ...(typeof base_url === 'string' && { base_url: expandAll(base_url, [...path, 'base_url']) }),
      ...(fallback !== undefined && { fallback: withAddress(fallback, [...path, 'fallback']) }),
    };
  };
  if (value.model !== undefined) value.model = withAddress(value.model, ['model']);
  return { value, expansions, problems };
}

/** `process.env` inherits names such as `constructor`, which are not environment variables. */
export function readVariable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/** The problem for a variable that is not set: which variable, what for, and how to fix it. */
export function missingVariable(
  name: string,
  place: { path: Path; env: Environment; hint?: string },
): Problem {
  const near = nearest(name, Object.keys(place.env));
  const hint =
    near === undefined ? (place.hint ?? `set it: export ${name}=…`) : `did you mean ${near}, which is set?`;
  const message = `the environment variable ${name} is not set, and ${pathText(place.path)} needs it`;
  return { path: place.path, at: 'value', message, hint, kind: 'variable' };
}

interface Expanding {
  readonly path: Path;
  readonly env: Environment;
  readonly expansions: Expansion[];
  readonly problems: Problem[];
}

function expandText(text: string, { path, env, expansions, problems }: Expanding): string {
  return text.replace(
    /\$\$\{|\$\{([^}]*)(\}|$)/g,
    (whole, inner: string | undefined, closing: string | undefined) => {
      if (inner === undefined) return '${';
      const isWhole = closing === '}' && !inner.includes('${');
      const match = isWhole ? /^(secret:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) : null;
      const variable = match?.[2];
      if (variable === undefined) {
        problems.push(malformed(whole, inner, path));
        return whole;
      }
      const given = readVariable(env, variable);
      // As in a shell, the default also replaces an empty value.
      const fallback = match?.[3];
      const value = fallback !== undefined && given === '' ? fallback : (given ?? fallback);
      if (value === undefined) {
        const hint = `set it (export ${variable}=…), or give a default: \${${variable}:-…}`;
        problems.push(missingVariable(variable, { path, env, hint }));
        // The reference stays in the text, so that later checks can see that the value is incomplete.
        return whole;
      }
      if (given === value) expansions.push({ variable, value, isMarked: match?.[1] !== undefined });
      return value;
    },
  );
}

function malformed(whole: string, inner: string, path: Path): Problem {
  const isNested = inner.includes('${');
  const name = /^(?:env|input):([A-Za-z_]\w*)$/.exec(inner)?.[1];
  return {
    path,
    at: 'value',
    message: `${pathText(path)}: ${whole} is not an environment variable`,
    hint: isNested
      ? "a default is plain text and can't contain another variable"
      : name === undefined
        ? 'write ${NAME}, ${secret:NAME} or ${NAME:-default}, and $${ where ${ is meant as text'
        : `write \${${name}}`,
  };
}

/** A shell expands `~`. Without this, a folder named `~` would be created. */
export function resolvePath(folder: string, path: string): string {
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : resolve(folder, path);
}
