import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../program.ts';

export interface Asked {
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface Answered {
  readonly code: number;
  /** The command has ended its process. */
  readonly isLast?: true;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BUNDLED = join(PROGRAM, '../../lib/code/start.js');
const START = existsSync(BUNDLED) ? BUNDLED : join(PROGRAM, '../../src/cli/start.ts');

/** Processes that wait for a command. */
const idle: ChildProcess[] = [];

/**
 * Runs a command of the published command line to its end, in a process that may have run others before it: most of the
 * time of a short command goes into starting Node and loading modules. Commands at the same time have processes of their own.
 */
export async function runCommand(asked: Asked): Promise<Finished> {
  const child = idle.pop() ?? begin();
  hold(child);
  child.send(asked);
  const ended = once(child, 'exit');
  const answered = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  if (answered === undefined)
    throw new Error(`The process of the commands has ended: ${asked.args.join(' ')}`);
  const { code, isLast, stdout, stderr } = answered[0] as Answered;
  letGo(child);
  if (!isLast) idle.push(child);
  return { code, signal: null, stdout, stderr };
}

function begin(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'command-process.ts'), [START], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.setMaxListeners(0);
  return child;
}

/** The tests end while such a process waits, and it ends with them. */
function letGo(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}
