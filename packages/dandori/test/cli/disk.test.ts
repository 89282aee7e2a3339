import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { PROGRAM, started } from '../program.ts';

const COUNTER = started('cli/fixtures/counter-server.ts');
const SMALL_DISK = join(import.meta.dirname, 'fixtures/small-disk.ts');
const TASKS = 50;

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface SmallDisk extends AsyncDisposable {
  dandori(...args: string[]): Promise<Answer>;
  /** The plan, from its beginning. */
  run(): Promise<Answer>;
  fill(left: number): Promise<void>;
  free(): Promise<void>;
  remount(as: 'ro' | 'rw'): Promise<void>;
  /** The names of the effects that were done, in order; they are kept on another disk. */
  effects(): Promise<string[]>;
}

/** Mounts need a kernel that lets a user have a namespace of their own. */
const canMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

async function openSmallDisk(bytes: number): Promise<SmallDisk> {
  const outside = await mkdtemp(join(tmpdir(), 'dandori-disk-'));
  const folder = await mkdtemp(join(tmpdir(), 'dandori-small-'));
  const child = spawn('unshare', ['-Urm', process.execPath, SMALL_DISK, folder, String(bytes)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hear = async () => JSON.parse((await lines.next()).value ?? '{}');
  await hear();
  const tell = (request: object) => {
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return hear();
  };
  const file = join(outside, 'effects.txt');
  const config = {
    mcpServers: { counter: { command: process.execPath, args: [COUNTER], env: { COUNTER_FILE: file } } },
    planning: { history: { directory: join(folder, 'runs') } },
  };
  const plan = { goal: 'count', tasks: Array.from({ length: TASKS }, (_, index) => sendAfter(index)) };
  await writeFile(join(outside, 'dandori.yaml'), JSON.stringify(config));
  const planFile = join(outside, 'plan.json');
  await writeFile(planFile, JSON.stringify(plan));
  const shared = ['--config', join(outside, 'dandori.yaml')];
  return {
    dandori: (...args) => tell({ command: 'run', args: [process.execPath, PROGRAM, ...args, ...shared] }),
    run: () =>
      tell({ command: 'run', args: [process.execPath, PROGRAM, 'run', '--plan', planFile, ...shared] }),
    fill: (left) => tell({ command: 'fill', left }),
    free: () => tell({ command: 'free' }),
    remount: (as) => tell({ command: 'remount', args: [as] }),
    effects: async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean),
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
      await Promise.all([outside, folder].map((one) => rm(one, { recursive: true, force: true })));
    },
  };
}

/** One after another, each with more to write down than the one before left room for. */
function sendAfter(index: number): object {
  return {
    id: `t${index}`,
    operation: 'counter.send',
    args: { name: `n${index}` },
    after: index === 0 ? [] : [`t${index - 1}`],
    reasoning: 'because '.repeat(40),
  };
}

/** Continues as a user would who checks what was really done and answers accordingly. */
async function resumeToTheEnd(disk: SmallDisk): Promise<Answer> {
  for (;;) {
    const resumed = await disk.dandori('resume', 'last');
    if (resumed.code !== 3) return resumed;
    const { stdout } = await disk.dandori('show', 'last', '--json');
    for (const { id, context } of JSON.parse(stdout).questions) {
      const isDone = (await disk.effects()).includes(context.args.name);
      await disk.dandori('answer', 'last', id, isDone ? 'happened' : 'again');
    }
  }
}

describe.skipIf(!canMount)('a full disk', () => {
  it.each(IS_LONG ? [20, 26, 32] : [20])(
    'with %i kB left: no call is made that cannot be journaled, and with more space the run continues',
    async (kilobytes) => {
      await using disk = await openSmallDisk(1_000_000);
      await disk.fill(kilobytes * 1024);
      const stopped = await disk.run();
      expect(stopped.code).toBe(2);
      expect(stopped.stderr).toContain('The disk is full: make space');
      const before = await disk.effects();
      expect(before.length).toBeLessThan(TASKS);
      await disk.free();
      const end = stopped.stderr.includes('start the run again')
        ? await disk.run()
        : await resumeToTheEnd(disk);
      expect(end.code, end.stderr).toBe(0);
      expect(await disk.effects()).toEqual(Array.from({ length: TASKS }, (_, index) => `n${index}`));
    },
  );

  it('read-only: it says so before anything is called', async () => {
    await using disk = await openSmallDisk(1_000_000);
    await disk.remount('ro');
    const refused = await disk.run();
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('read-only') });
    expect(await disk.effects()).toEqual([]);
    await disk.remount('rw');
    expect((await disk.run()).code).toBe(0);
  });
});
