import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createWorkers } from '../../src/workers/index.ts';
import { PROGRAM, service } from '../program.ts';

describe('worker processes', () => {
  it('tries again if the program of a process cannot be started', async () => {
    const said: string[] = [];
    const workers = createWorkers({
      count: 1,
      start: () => spawn(join(tmpdir(), 'no-such-program'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }),
      log: (line) => said.push(line),
    });
    await expect.poll(() => said.length).toBeGreaterThan(1);
    expect(said[0]).toContain("can't be started");
    expect(workers.list()).toEqual([]);
    await workers.close();
  });

  it('stops at once if the program of a process cannot be started', async () => {
    const start = () =>
      spawn(join(tmpdir(), 'no-such-program'), { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await createWorkers({ count: 1, start, log: () => {} }).close();
  });

  it('leaves a process out of the metrics that does not answer', async () => {
    const deaf = "process.send({ dandori: { type: 'ready' } }); process.on('message', () => {})";
    const workers = createWorkers({
      count: 1,
      start: () => spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
      log: () => {},
    });
    await expect.poll(() => workers.list().length).toBe(1);
    expect(await workers.metrics()).toEqual([]);
    await workers.close();
  });

  it('that all end at once are all started again soon', async () => {
    const said: string[] = [];
    const workers = createWorkers({
      count: 8,
      start: () => spawn(process.execPath, ['-e', ''], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
      log: (line) => said.push(line),
    });
    await expect.poll(() => said.length).toBeGreaterThanOrEqual(8);
    await workers.close();
    const soon = said.slice(0, 8).map((line) => line.slice(line.indexOf(';')));
    expect(new Set(soon)).toEqual(new Set(['; starting another one in 1 s.']));
  });

  it.each([
    ['has begun', async (child: ChildProcess) => once(child, 'message')],
    ['has just been started', async () => {}],
  ])('end with their server when one %s, whatever its services leave open', async (_, begun) => {
    const folder = await mkdtemp(join(tmpdir(), 'dandori-workers-'));
    const open = `setInterval(() => {}, 1000);
      export { default } from ${JSON.stringify(service('app/fixtures/office.ts'))};`;
    await writeFile(join(folder, 'open.ts'), open);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'dandori.yaml'), 'services: [./open.ts]');
    const child = fork(PROGRAM, ['work', '--for-server', '--config', join(folder, 'dandori.yaml')]);
    const exited = once(child, 'exit');
    try {
      await begun(child);
      child.disconnect();
      await exited;
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    }
  });
});
