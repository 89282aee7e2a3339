import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { DandoriError, messageOf } from '../../model/error.ts';
import { type Environment, readVariable } from '../environment.ts';

const FILE = '.env';

/**
 * Variables that decide which programs run and what they load. A file that came with a project must not set
 * them.
 */
const NEVER =
  /^(?:PATH|PATHEXT|HOME|USERPROFILE|SHELL|COMSPEC|IFS|ENV|BASH_ENV|EDITOR|VISUAL|BROWSER|PAGER|TMPDIR|TEMP|TMP)$|^(?:NODE_|npm_|LD_|DYLD_|GIT_|PYTHON|PERL|RUBY|JAVA_|SSL_|XDG_|BASH_FUNC)/i;

export interface LoadedVariables {
  /** Names that are set now because of the file. */
  readonly loaded: readonly string[];
  /** Names that a file may not set. */
  readonly refused: readonly string[];
}

/** Sets the variables of `.env` that the environment does not have yet. */
export function loadEnvFile(folder: string, env: NodeJS.ProcessEnv): LoadedVariables {
  const found = Object.entries(readEnvFile(folder));
  const isFree = (name: string) => readVariable(env, name) === undefined;
  const wanted = found.filter(([name]) => !NEVER.test(name) && isFree(name));
  for (const [name, value] of wanted) env[name] = value;
  return {
    loaded: wanted.map(([name]) => name),
    refused: found.map(([name]) => name).filter((name) => NEVER.test(name)),
  };
}

/** Empty if there is no such file. */
export function readEnvFile(folder: string): Environment {
  const file = join(folder, FILE);
  if (!existsSync(file)) return {};
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new DandoriError('file-unreadable', `${FILE} cannot be read: ${messageOf(error)}`, {
      cause: error,
      fix: 'check the permissions of the file',
    });
  }
}

/** Adds variables to `.env`, which only its owner may read afterwards. */
export function addToEnvFile(folder: string, variables: Readonly<Record<string, string>>): void {
  const entries = Object.entries(variables);
  if (entries.length === 0) return;
  const file = join(folder, FILE);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const lines = entries.map(([name, value]) => `${name}=${quoted(value)}\n`).join('');
  writeFileSync(file, `${before}${gap}${lines}`, { mode: 0o600 });
  chmodSync(file, 0o600);
}

/** The quotes that the value does not contain. Without special characters it needs none. */
function quoted(value: string): string {
  if (/^[\w./:@%+=,-]*$/.test(value)) return value;
  const quote = ["'", '"', '`'].find((one) => !value.includes(one) && (one !== '"' || !/\\n/.test(value)));
  if (quote !== undefined) return `${quote}${value}${quote}`;
  throw new DandoriError('usage', 'A value with all three kinds of quotes cannot be written to .env.', {
    fix: 'Set the variable in your shell.',
  });
}
