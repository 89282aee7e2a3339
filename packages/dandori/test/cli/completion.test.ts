import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { openPlace } from './command.ts';

const isInstalled = (shell: string) => spawnSync(shell, ['--version']).error === undefined;

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

  it.skipIf(!isInstalled('fish'))('completes them in fish', async () => {
    await using place = await openPlace();
    await place.write('dandori.fish', (await place.dandori('completion', 'fish')).stdout);
    const complete = (line: string) =>
      execFileSync('fish', ['--no-config', '-c', `source dandori.fish; complete -C '${line}'`], {
        cwd: place.folder,
        encoding: 'utf8',
      })
        .trim()
        .split('\n')
        .map((found) => found.split('\t')[0]);
    expect(complete('dandori ad')).toEqual(['add']);
    expect(complete('dandori run --mode pl')).toEqual(['planned']);
    expect(complete('dandori add --fr')).toEqual(['--from']);
  });

  it.skipIf(!isInstalled('zsh'))('completes them in zsh, at the Tab key', async () => {
    await using place = await openPlace();
    await place.write('_dandori', (await place.dandori('completion', 'zsh')).stdout);
    await place.write(
      '.zshrc',
      `PS1='> '; dandori() { echo "called with: $*" }; autoload -Uz compinit; compinit -u -D; source ./_dandori\necho prepared\n`,
    );
    const shell = spawn('script', ['-qfec', 'exec zsh -i', '/dev/null'], {
      cwd: place.folder,
      env: { ...process.env, ZDOTDIR: place.folder, TERM: 'dumb' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const ended = once(shell, 'close');
    await expect.poll(() => shown).toMatch(/prepared[\s\S]*> /);
    shell.stdin.write('dandori ad\t\r');
    await expect.poll(() => shown).toContain('called with: add');
    shell.stdin.write('dandori run --mode pl\t\r');
    await expect.poll(() => shown).toContain('called with: run --mode planned');
    shell.stdin.write('exit\r');
    await ended;
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
