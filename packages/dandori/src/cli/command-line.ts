import type { Command } from 'commander';
import { milliseconds } from '../documents/field.ts';
import { DandoriError } from '../model/error.ts';
import { createProgram } from './program.ts';
import { SERVER } from './workplace.ts';

interface Hints {
  /** Finds a command in a text. */
  readonly pattern: RegExp;
  readonly takes: (command: string, option: '--config' | '--server') => boolean;
}

let hints: Hints | undefined;

/** Derives the commands and their options from the definitions. The program that is about to run has them already. */
export function takeHints(program: Command): void {
  hints = hintsOf(program);
}

function hintsOf(program: Command): Hints {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    options: command.options.map(({ long }) => long),
  }));
  const names = [...commands.map(({ name }) => name), '--help'];
  return {
    pattern: new RegExp(`\\bdandori (${names.join('|')})(?![\\w-])`, 'g'),
    takes: (command, option) =>
      commands.some(({ name, options }) => name === command && options.includes(option)),
  };
}

/**
 * Rewrites the commands in a text so that the user can type them as shown. They get the program name,
 * configuration and server of the current command. Otherwise they would not find the run.
 */
export function asTyped(text: string, config?: string): string {
  hints ??= hintsOf(createProgram());
  const { pattern, takes } = hints;
  const server = process.env[SERVER] ?? '';
  return text.replaceAll(pattern, (_whole, command: string) =>
    [
      commandName(process.env),
      command,
      ...(config !== undefined && takes(command, '--config') ? ['--config', quoted(config)] : []),
      ...(server !== '' && takes(command, '--server') ? ['--server', quoted(server)] : []),
    ].join(' '),
  );
}

/**
 * The name that the user types to start the program. npm sets these variables for a script. Only our own
 * `start` script takes a goal.
 */
function commandName({ npm_lifecycle_event: script, npm_package_name: name }: NodeJS.ProcessEnv): string {
  if (script === undefined) return 'dandori';
  return script === 'start' && name === 'dandori-workspace' ? 'npm start --' : 'npx dandori';
}

/** Finds `--config` in a command line that could not be parsed. */
export function configIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => /^--config(=|$)/.test(word));
  const [, file] = argv[at]?.split(/=(.*)/s) ?? [];
  return at < 0 ? undefined : (file ?? argv[at + 1]);
}

/** A word as a shell takes it. */
export function quoted(word: unknown): string {
  const text = String(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Parses the duration that an option takes, to milliseconds. */
export function durationIn(option: string, text: string): number {
  const span = milliseconds(text);
  if (span !== undefined) return span;
  throw new DandoriError('usage', `${option} takes a duration, not "${text}".`, {
    fix: 'Write a number with a unit: 30d, 12h or 90m.',
  });
}

export function eventNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new DandoriError('usage', `${option} takes the number of an event, not "${text}".`, {
    fix: '`dandori log` shows the number of each event first.',
  });
}
