import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PROGRAM } from '../program.ts';
import type { Place } from './command.ts';

export interface Terminal extends AsyncDisposable {
  /** Resolves when this has been shown since the last thing that was typed. */
  shows(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** All that was shown so far, with its control codes. */
  output(): string;
  /** How it ended. */
  readonly code: Promise<number | null>;
  /** Kills Dandori itself, as a crash would. */
  kill(): Promise<void>;
  /** All that was shown, when it has ended. */
  readonly ended: Promise<string>;
}

export const DOWN = '\u001b[B';
export const ENTER = '\r';

/** The real command in a pseudo-terminal, by `script` of util-linux. */
export function openTerminal(place: Place, env: NodeJS.ProcessEnv, ...args: string[]): Terminal {
  const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn(
    'script',
    ['-qfec', `echo $$ > pid; stty cols 200 rows 50; exec ${words}`, '/dev/null'],
    {
      cwd: place.folder,
      env: { ...process.env, LANG: 'C', NO_COLOR: '1', TERM: 'xterm', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let all = '';
  let since = 0;
  const waiting = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    all += text;
    for (const look of waiting) look();
  });
  const ended = new Promise<string>((resolve) => {
    child.on('close', () => resolve(all));
  });
  const code = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return {
    ended,
    code,
    output: () => all,
    shows: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (all.slice(since).search(text instanceof RegExp ? text : escaped(text)) < 0) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended without ${text}:\n${all}`)));
      }),
    type: (keys) => {
      since = all.length;
      child.stdin.write(keys);
    },
    async kill() {
      process.kill(Number(await readFile(join(place.folder, 'pid'), 'utf8')), 'SIGKILL');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function escaped(text: string): RegExp {
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
}
