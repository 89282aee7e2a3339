import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BIN = join(import.meta.dirname, '../../bin/dandori.js');

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of its own in which the real command is run, as a user would. */
export interface Place extends AsyncDisposable {
  readonly folder: string;
  write(name: string, text: string): Promise<string>;
  dandori(...args: string[]): Promise<Finished>;
  /** Starts it without waiting for its end. */
  begin(...args: string[]): { child: ChildProcess; finished: Promise<Finished> };
}

export async function openPlace(env: NodeJS.ProcessEnv = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-cli-'));
  const surroundings = {
    ...process.env,
    NO_COLOR: '1',
    LANG: 'C',
    DANDORI_DATA_DIR: join(folder, 'data'),
    ...env,
  };
  const begin = (...args: string[]) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd: folder,
      env: surroundings,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const finished = new Promise<Finished>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    });
    return { child, finished };
  };
  return {
    folder,
    async write(name, text) {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
    dandori: (...args) => begin(...args).finished,
    begin,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
