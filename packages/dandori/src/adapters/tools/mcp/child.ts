import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import type { StdioServerConfig } from './config.ts';

/** A server's process, with everything that it started itself. */
export interface Child {
  readonly pid: number | undefined;
  write(line: string): Promise<void>;
  /** Ends it: by closing its input, then by asking, then by force. Resolves when it is gone. */
  end(): Promise<void>;
  /** At once and without waiting: the last thing that a process that exits can do. */
  kill(): void;
}

export interface ChildEvents {
  readonly stdout: (chunk: Buffer) => void;
  readonly stderr: (text: string) => void;
  /** Once, when it is gone and all that it wrote has been read. */
  readonly gone: (how: string) => void;
}

const GRACE = 1_000;
/** A grandchild may hold the pipes open for ever. */
const DRAIN = 200;
/** Between two looks at stderr: who floods it waits, and not we. */
const REST = 10;

/** Rejects where it cannot be started. Only a few harmless variables of our environment are passed on. */
export async function startChild(config: StdioServerConfig, on: ChildEvents): Promise<Child> {
  const child = spawn(config.command, config.args ?? [], {
    env: { ...getDefaultEnvironment(), ...config.env },
    cwd: config.cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
    // Its own process group: `npx server` is three processes, and ending the first leaves the others behind. It also
    // keeps a Ctrl-C in the terminal from ending servers while a run is still being brought to an orderly end.
    detached: process.platform !== 'win32',
  });
  const gone = whenGone(child).then((how) => {
    signalGroup(child, 'SIGKILL');
    on.gone(how);
  });
  child.stdout.on('data', on.stdout);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    on.stderr(text);
    rest(child.stderr);
  });
  // Without a listener a failed write would end our process; the write's own callback tells it to who wrote.
  child.stdin.on('error', () => {});
  await started(child, config);

  return {
    pid: child.pid,
    write: (line) =>
      new Promise((resolve, reject) => {
        child.stdin.write(line, (error) => (error == null ? resolve() : reject(error)));
      }),
    async end() {
      child.stdin.end();
      if (await within(gone, GRACE)) return;
      signalGroup(child, 'SIGTERM');
      if (await within(gone, GRACE)) return;
      signalGroup(child, 'SIGKILL');
      await within(gone, GRACE);
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
}

function rest(stream: Readable): void {
  stream.pause();
  setTimeout(() => stream.resume(), REST);
}

function started(child: ChildProcess, config: StdioServerConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(describeSpawnError(error, config))),
    );
  });
}

function describeSpawnError(error: NodeJS.ErrnoException, { command, cwd }: StdioServerConfig): string {
  // Node says ENOENT for both.
  if (cwd !== undefined && !existsSync(cwd)) return `its directory ${cwd} does not exist`;
  if (error.code === 'ENOENT') return `the command "${command}" was not found`;
  if (error.code === 'EACCES') return `the command "${command}" may not be executed`;
  return `the command "${command}" could not be started: ${error.message}`;
}

function whenGone(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let how = 'it ended';
    child.once('exit', (code, signal) => {
      how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
      setTimeout(() => resolve(how), DRAIN);
    });
    child.once('close', () => resolve(how));
  });
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It is gone already, which is what was wanted.
  }
}

async function within(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([promise.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
