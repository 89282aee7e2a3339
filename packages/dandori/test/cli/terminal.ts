import { type ChildProcess, spawn } from 'node:child_process';
import { expect } from 'vitest';
import { BIN, type Place } from './command.ts';
import { Screen } from './screen.ts';

const COLUMNS = 100;

/** The real command at a real terminal, as far as it can tell: `script` gives it one. */
export interface Terminal extends AsyncDisposable {
  readonly child: ChildProcess;
  type(text: string): void;
  /** What is on the screen, and what has scrolled away above it. */
  lines(): string[];
  /** Waits until the whole screen matches. */
  shows(pattern: RegExp): Promise<void>;
  readonly ended: Promise<number | null>;
}

export function openTerminal(place: Place, ...args: string[]): Terminal {
  const command = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols ${COLUMNS} rows 40; exec ${command}`, '/dev/null'], {
    cwd: place.folder,
    env: { ...place.env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const screen = new Screen(COLUMNS);
  child.stdout?.setEncoding('utf8').on('data', (text: string) => screen.write(text));
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return {
    child,
    ended,
    type: (text) => void child.stdin?.write(text),
    lines: () => screen.lines(),
    async shows(pattern) {
      await expect.poll(() => screen.lines().join('\n'), { timeout: 15_000, interval: 20 }).toMatch(pattern);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
