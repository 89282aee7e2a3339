import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { openPlace } from './command.ts';

describe('dandori completion', () => {
  it('completes commands, options and their values in bash', async () => {
    await using place = await openPlace();
    const { code, stdout } = await place.dandori('completion', 'bash');
    expect(code).toBe(0);
    await place.write('completion.bash', stdout);
    const complete = (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(' ');
      const script = `source completion.bash; COMP_WORDS=(dandori ${list}); COMP_CWORD=${words.length}; _dandori; echo "\${COMPREPLY[*]}"`;
      return execFileSync('bash', ['-c', script], { cwd: place.folder, encoding: 'utf8' }).trim().split(' ');
    };
    expect(complete('ad')).toEqual(['add']);
    expect(complete('run', '--mode', 'pl')).toEqual(['planned']);
    expect(complete('add', '--fr')).toEqual(['--from']);
    expect(complete('run', '--li')).toEqual(['']);
  });

  it('knows every command in every shell, and no other shell', async () => {
    await using place = await openPlace();
    const names = createProgram()
      .commands.map((command) => command.name())
      .filter((name) => name !== 'menu');
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await place.dandori('completion', shell);
      expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(stdout))).toEqual([]);
      expect(stdout).not.toContain('menu');
    }
    expect((await place.dandori('completion', 'tcsh')).code).toBe(2);
  });
});
