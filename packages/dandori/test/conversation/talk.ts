import { spawn } from 'node:child_process';
import { expect } from 'vitest';
import type { Place } from '../cli/command.ts';
import { PROGRAM } from '../program.ts';

/** `dandori chat --json` as a program that talks to it would use it. */
export function talk(place: Place, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'chat', '--json', ...args], {
    cwd: place.folder,
    env: place.env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  const lines = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    child,
    ended,
    lines,
    say: (words: string) => void child.stdin.write(`${words}\n`),
    async hears(...expected: object[]) {
      await expect.poll(lines).toMatchObject(expected);
    },
  };
}
