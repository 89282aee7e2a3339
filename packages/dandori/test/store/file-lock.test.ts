import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { tryLock } from '../../src/store/files/lock.ts';
import { createRandom } from '../simulator/random.ts';

const RIVALS = 3;
/** With the first three, two processes once held the lock, because a late process could remove a guard. */
const SCHEDULES = [562, 834, 1095, ...Array.from({ length: 100 }, (_, index) => index + 1)];
const LONGEST_BURST = 10;
const PAUSED = 0;
const ALLOWED = 1;
const DONE = 2;

const identity = (startedAt: string) => JSON.stringify({ pid: 2 ** 22 - 1, startedAt, host: hostname() });
const nameOf = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 12);

let directory: string;
let rivals: Worker[];
const turns = new Int32Array(new SharedArrayBuffer(4 * RIVALS));

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'dandori-lock-'));
  turns.fill(ALLOWED);
  rivals = Array.from(
    { length: RIVALS },
    (_, index) =>
      new Worker(new URL('./fixtures/rival.ts', import.meta.url), { workerData: { turns, index } }),
  );
  await Promise.all(rivals.map((rival) => once(rival, 'message')));
});

afterAll(async () => {
  await Promise.all(rivals.map((rival) => rival.terminate()));
  rmSync(directory, { recursive: true });
});

/** All processes want the lock; the seed chooses which of them takes the next step on the disk. Returns the number of processes that got it. */
async function compete(path: string, seed: number): Promise<number> {
  const random = createRandom(seed);
  let next = 0;
  let burst = 0;
  turns.fill(ALLOWED);
  const gotIt = rivals.map(async (rival, index) => {
    const answer = once(rival, 'message');
    rival.postMessage(path);
    const [isHolder] = await answer;
    Atomics.store(turns, index, DONE);
    Atomics.notify(turns, index);
    return isHolder === true;
  });
  const isPaused = async (index: number) => {
    for (;;) {
      const turn = Atomics.load(turns, index);
      if (turn !== ALLOWED) return turn === PAUSED;
      const changed = Atomics.waitAsync(turns, index, ALLOWED, 1_000);
      if (changed.async) await changed.value;
    }
  };
  for (;;) {
    const paused: number[] = [];
    for (let index = 0; index < RIVALS; index++) if (await isPaused(index)) paused.push(index);
    const [first, ...others] = paused;
    if (first === undefined) break;
    // In bursts: what goes wrong is that one stands still in the middle while another goes all the way.
    if (--burst < 0 || !paused.includes(next)) {
      next = random.pick([first, ...others]);
      burst = random.below(LONGEST_BURST);
    }
    Atomics.store(turns, next, ALLOWED);
    Atomics.notify(turns, next);
  }
  return (await Promise.all(gotIt)).filter(Boolean).length;
}

describe('F2, F3: the lock of a dead process', () => {
  it.each([
    ['alone', false],
    ['with the guard of one who died while it took the lock away', true],
  ])('%s, is had by one of three, in whatever order they take their steps', async (_, hasThief) => {
    for (const seed of SCHEDULES) {
      const path = join(directory, `lock${seed}`);
      writeFileSync(path, identity('holder'));
      if (hasThief) writeFileSync(`${path}.${nameOf(identity('holder'))}`, identity('thief'));
      expect(await compete(path, seed), `schedule ${seed}`).toBe(1);
      expect(readdirSync(directory)).toEqual([`lock${seed}`]);
      rmSync(path);
    }
  });
});

describe('a process that holds a lock', () => {
  let folder: string;
  const take = (name: string) => {
    const lock = tryLock(join(folder, name));
    if ('heldBy' in lock) throw new Error(`${name} is held by process ${lock.heldBy.pid}`);
    return lock.unlock;
  };
  const holderOf = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')).pid;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dandori-locks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('takes more of the same folder, and each is kept until it is given up itself', () => {
    const [giveUpFirst, giveUpSecond] = [take('one'), take('two')];
    expect('heldBy' in tryLock(join(folder, 'two'))).toBe(true);
    giveUpFirst();
    expect(readdirSync(folder)).toEqual(['two']);
    const giveUpThird = take('three');
    giveUpSecond();
    expect(readdirSync(folder)).toEqual(['three']);
    expect(holderOf('three')).toBe(process.pid);
    giveUpThird();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('signs the next one itself, although its first was deleted, or is held by another process by now', () => {
    const giveUps = [take('one')];
    rmSync(join(folder, 'one'));
    giveUps.push(take('two'));
    rmSync(join(folder, 'two'));
    writeFileSync(join(folder, 'two'), identity('another'));
    giveUps.push(take('three'));
    expect([holderOf('two'), holderOf('three')]).toEqual([2 ** 22 - 1, process.pid]);
    for (const giveUp of giveUps) giveUp();
    expect(readdirSync(folder)).toEqual(['two']);
  });
});

const LOCK = new URL('../../src/store/files/lock.ts', import.meta.url).href;
const WITHOUT_FILES = `
  const { openSync, closeSync } = await import('node:fs');
  const { tryLock } = await import('${LOCK}');
  tryLock('other');
  const files = [];
  try {
    for (;;) files.push(openSync('.', 'r'));
  } catch {}
  try {
    tryLock('lock');
  } catch (error) {
    process.stdout.write(error.code + ' ');
  }
  for (const file of files) closeSync(file);
  process.stdout.write(Object.keys(tryLock('lock')).join());
`;

describe('a process that can open no more files', () => {
  it('does not keep a lock that it could not take', () => {
    const node = [process.execPath, '--input-type=module', '-e', WITHOUT_FILES];
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n 64 && exec "$@"', 'sh', ...node], {
      cwd: directory,
    });
    expect(stdout.toString()).toBe('EMFILE unlock');
  });
});
