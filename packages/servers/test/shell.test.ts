import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isAllowed, parseAllowed } from '../src/shell/allowed.ts';
import { Host } from './host.ts';

let root: string;
let host: Host;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'dandori-shell-')));
  await mkdir(join(root, 'sub'));
  await writeFile(
    join(root, 'print.mjs'),
    'console.log(process.cwd(), JSON.stringify(process.argv.slice(2)))',
  );
  host = await Host.start('shell', {
    args: [
      '--root',
      root,
      '--allow',
      'node print.mjs *',
      '--allow',
      'node -e *',
      '--allow',
      'node --version',
      '--allow',
      'git status',
    ],
    env: { OPENAI_API_KEY: 'sk-hidden' },
  });
});
afterAll(async () => {
  await host.stop();
  await rm(root, { recursive: true, force: true });
});

const node = (script: string, more: Record<string, unknown> = {}) =>
  host.call('run_command', { command: 'node', args: ['-e', script], ...more });

test('runs an allowed command with its arguments unchanged', async () => {
  const args = ['$(id)', '; rm -rf /', '*', 'a b', '"'];
  const { data } = await host.call('run_command', { command: 'node', args: ['print.mjs', ...args] });
  expect(data).toMatchObject({ exit_code: 0, timed_out: false, stdout: `${root} ${JSON.stringify(args)}\n` });
});

test.each([[['print.mjs']], [['--version', 'more']]])('keeps to the list: node %j', async (args) => {
  const { isError, text } = await host.call('run_command', { command: 'node', args });
  // The first is allowed with any arguments, also none; the second is allowed alone.
  expect(isError).toBe(args[0] === '--version');
  if (isError) expect(text).toContain('Allowed: node print.mjs *, node -e *, node --version, git status');
});

test('lets git run no program that a folder in the workspace names', async () => {
  const repository = join(root, 'repository');
  for (const folder of ['objects', 'refs']) await mkdir(join(repository, folder), { recursive: true });
  await writeFile(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
  const program = `touch ${join(root, 'ran')}; false`;
  await writeFile(
    join(repository, 'config'),
    `[core]\nrepositoryformatversion = 0\nbare = false\nworktree = .\nfsmonitor = "${program}"\n`,
  );
  const { data } = await host.call('run_command', { command: 'git', args: ['status'], cwd: 'repository' });
  expect(data).toMatchObject({ exit_code: 128, stderr: expect.stringContaining('safe.bareRepository') });
  await expect(readFile(join(root, 'ran'))).rejects.toThrow('ENOENT');
});

test('lets no option through where only names may follow', async () => {
  for (const option of ['--output=/tmp/x', '-o'])
    expect((await host.call('run_command', { command: 'node', args: ['print.mjs', option] })).isError).toBe(
      true,
    );
  expect(isAllowed([parseAllowed('git log **')], 'git', ['log', '--oneline'])).toBe(true);
  expect(isAllowed([parseAllowed('git log *')], 'git', ['log', '--oneline'])).toBe(false);
});

test.each(['bash', '/bin/sh', 'node;id', './node', 'node print.mjs'])(
  'runs nothing else: %s',
  async (command) => {
    expect((await host.call('run_command', { command, args: ['-c', 'id'] })).isError).toBe(true);
  },
);

test('tells how a command ended, and what it printed before', async () => {
  const { data } = await node('console.log("out"); console.error("err"); process.exit(3)');
  expect(data).toMatchObject({ exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
  expect(data.summary).toContain('exit code 3');
});

test('ends a command that takes too long', async () => {
  const { data } = await node('setInterval(() => {}, 1000)', { timeout_seconds: 1 });
  expect(data).toMatchObject({ timed_out: true, exit_code: null });
});

test('ends a command that its caller gave up, with all that it started', async () => {
  const file = join(root, 'child');
  const child = `require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`;
  const script = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}]); setInterval(() => {}, 1000)`;
  const caller = new AbortController();
  const call = host.client.callTool(
    { name: 'run_command', arguments: { command: 'node', args: ['-e', script] } },
    { signal: caller.signal },
  );
  const given = expect(call).rejects.toThrow();
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).not.toBe('');
  const pid = Number(await readFile(file, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  caller.abort();
  await given;
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test('bounds the output and keeps its beginning and its end', async () => {
  const { data } = await node(
    'console.log("first"); console.log("x".repeat(2_000_000)); console.log("last")',
  );
  expect(data.truncated).toBe(true);
  expect(String(data.stdout).length).toBeLessThan(70_000);
  expect(data.stdout).toMatch(/^first\n/);
  expect(data.stdout).toMatch(/last\n$/);
});

test('gives its input, and none of the secrets of the server', async () => {
  const { data } = await node(
    'process.stdin.on("data", (d) => console.log(String(d), process.env.OPENAI_API_KEY ?? "none"))',
    { input: 'hello' },
  );
  expect(data.stdout).toBe('hello none\n');
});

test('stays inside its folder', async () => {
  await symlink('/', join(root, 'away'));
  expect((await node('0', { cwd: '..' })).isError).toBe(true);
  expect((await node('0', { cwd: 'away' })).isError).toBe(true);
  expect((await node('console.log(process.cwd())', { cwd: 'sub' })).data.stdout).toBe(
    `${join(root, 'sub')}\n`,
  );
});

test('shows in a preview what it would run, and runs nothing', async () => {
  const file = join(root, 'made');
  const script = `require("fs").writeFileSync(${JSON.stringify(file)}, "")`;
  const preview = await host.call(
    'run_command',
    { command: 'node', args: ['-e', script] },
    { 'dandori/preview': true },
  );
  expect(preview.data.summary).toContain('Run node -e');
  await expect(readFile(file)).rejects.toThrow('ENOENT');
});

test('allows nothing until it is told to, and says how', async () => {
  const bare = await Host.start('shell', { args: ['--root', root] });
  expect((await bare.call('run_command', { command: 'node', args: ['--version'] })).text).toContain(
    '--allow "npm test"',
  );
  expect((await bare.call('list_commands')).data.commands).toEqual([]);
  await bare.stop();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
