import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import {
  type AskedQuestion,
  createMemoryStore,
  type Dandori,
  type DandoriOptions,
  type Event,
  type JsonObject,
  type Live,
  openDandori,
  type Task,
} from '../../src/index.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { service, started } from '../program.ts';

const OFFICE = service('app/fixtures/office.ts');

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'dandori-workers-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const open = (options: DandoriOptions = {}) =>
  openDandori({ cwd, workers: 2, services: [OFFICE], approval: 'never', ...options });
const task = (tool: string, args: JsonObject = {}): Task[] => [
  { id: 't1', operation: `office.${tool}`, args },
];
const named = (tool: string, name: string) => task(tool, { folder: cwd, name });
const run = (dandori: Dandori, tasks: Task[]) => dandori.run('Do it', { tasks });
const letGo = (folder = cwd) => writeFile(join(folder, 'go'), '');
const calls = (folder = cwd) => {
  try {
    return readFileSync(join(folder, 'calls.txt'), 'utf8').trim().split('\n');
  } catch {
    return [];
  }
};
const processOf = (call: string | undefined) => Number(call?.split(' ').at(-1));
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a program with workers', () => {
  const heard: Event[] = [];
  const live: Live[] = [];
  let home: string;
  let dandori: Dandori;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'dandori-workers-'));
    const onEvent = (event: Event) => heard.push(event);
    dandori = await open({ cwd: home, onEvent, onLive: (one) => live.push(one) });
  });
  afterAll(async () => {
    await dandori.close();
    await rm(home, { recursive: true, force: true });
  });

  it('has its runs driven by two other processes in equal parts, and hears all of them from the first event on', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => run(dandori, named('look', name)));
    await expect.poll(() => calls().length).toBe(6);
    const callsOf = Map.groupBy(calls(), processOf);
    expect(callsOf.keys()).not.toContain(process.pid);
    expect([...callsOf.values()].map(({ length }) => length)).toEqual([3, 3]);
    await letGo();
    const reports = await Promise.all(all.map((one) => one.report()));
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['answered']));
    for (const { id } of all) {
      const events = heard.filter((event) => event.run === id).map(({ seq }) => seq);
      expect(events).toEqual(events.map((_, index) => index + 1));
      expect((await dandori.open(id).replay()).differences).toEqual([]);
    }
    const { tasks } = await run(dandori, task('count')).report();
    expect(tasks.t1?.result).toEqual({ huge: 2n ** 70n });
    expect(live).toContainEqual(expect.objectContaining({ type: 'task_progress', message: 'halfway' }));
  });

  it('yields the events and the live updates of a run in their order', async () => {
    const seen: (Event | Live)[] = [];
    for await (const one of dandori.run('Count', { tasks: task('count'), live: true })) seen.push(one);
    const events = seen.filter((one) => 'seq' in one);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(-1)?.type).toBe('run_finished');
    expect(seen.map(({ type }) => type)).toContain('task_progress');
  });

  it('answers questions in place, and approves calls', async () => {
    await letGo();
    const asking = { onQuestion: ({ kind }: AskedQuestion) => kind === 'approval' || 'b' };
    const sent = dandori.run('Send', { tasks: named('send', 'a'), approval: 'writes', ...asking });
    expect((await sent.report()).tasks.t1?.status).toBe('succeeded');
    expect(calls()).toHaveLength(1);
    const chosen = dandori.run('Choose', { tasks: task('choose'), ...asking });
    expect((await chosen.report()).outcome).toBe('answered');
  });

  it('tells everything of a run to its loop, also if the program opens the run a second time', async () => {
    await using one = await open({ workers: 1 });
    const first = one.run('Follow', { tasks: named('follow', 'a'), live: true });
    const seen: string[] = [];
    let second: Promise<unknown> | undefined;
    for await (const update of first) {
      if (update.type !== 'task_progress') continue;
      seen.push(update.message);
      if (second !== undefined) continue;
      second = one.open(first.id).output();
      // It is driven after the second drive of the first run was refused.
      await run(one, task('count')).report();
      await letGo();
    }
    expect(seen).toEqual(['begun', 'over']);
    await second;
  });

  it('cancels a call in another process', async () => {
    const controller = new AbortController();
    const aborted = dandori.run('Look', { tasks: named('look', 'a'), signal: controller.signal });
    await expect.poll(() => calls().length).toBe(1);
    controller.abort();
    expect((await aborted.report()).outcome).toBe('cancelled');
  });
});

describe('the processes of a program', () => {
  it('end with close, and its run can be opened again', async () => {
    const first = await open();
    const { id } = run(first, named('look', 'a'));
    await expect.poll(() => calls().length).toBe(1);
    const [pid] = calls().map(processOf);
    await first.close({ grace: 0 });
    expect(isAlive(pid ?? 0)).toBe(false);
    await letGo();
    await using second = await open({ workers: 1 });
    expect((await second.open(id).report()).outcome).toBe('open');
    await second.open(id).output();
    expect(calls()).toHaveLength(2);
  });

  it('are not needed to read a run after close', async () => {
    const closed = await open();
    const counting = run(closed, task('count'));
    const output = await counting.output();
    await closed.close();
    await closed.close();
    expect(await counting.output()).toEqual(output);
    const events = await Array.fromAsync(counting.events());
    expect(events.at(-1)?.type).toBe('run_finished');
  });

  it('do not keep close from ending if one of them is stopped', async () => {
    const stopped = await open();
    const { id } = run(stopped, named('look', 'a'));
    await expect.poll(() => calls().length).toBe(1);
    const pid = processOf(calls()[0]);
    process.kill(pid, 'SIGSTOP');
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
    await stopped.close({ grace: 0 });
    await letGo();
    await using next = await open();
    expect(await next.open(id).output()).toContain('a ');
  });

  it('may send messages of their own, such as those of process managers', async () => {
    const file = join(cwd, 'talking.ts');
    await writeFile(
      file,
      `if (/pool-worker/.test(process.argv[1]))
         for (const word of ['ready', null, { type: 'driven' }]) process.send?.(word);
       export { default } from ${JSON.stringify(OFFICE)};`,
    );
    await writeFile(join(cwd, 'package.json'), '{ "type": "module" }');
    await using talking = await open({ services: [file] });
    expect((await run(talking, task('count')).report()).outcome).toBe('answered');
  });

  it('are workers, also if the program is text on the command line', async () => {
    const library = new URL('../../src/index.ts', import.meta.url).href;
    const program = `
      if (process.connected) process.exit(5);
      const { openDandori } = await import('${library}');
      const dandori = await openDandori({ cwd: '${cwd}', workers: 1, services: ['${OFFICE}'] });
      const tasks = [{ id: 't1', operation: 'office.count', args: {} }];
      console.log((await dandori.run('Count', { tasks }).report()).outcome);
      await dandori.close();`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect(output).toBe('answered\n');
  });

  it('end with a program that is killed', async () => {
    const child = spawn(process.execPath, [started('app/fixtures/two-workers.ts'), cwd, OFFICE], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await expect.poll(() => calls().length).toBe(1);
    const [pid = 0] = calls().map(processOf);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    await letGo();
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe('a worker that ends', () => {
  it('loses nothing: a read is made again, and a write is asked about', async () => {
    await using dandori = await open({ workers: 1 });
    const read = run(dandori, named('look', 'a'));
    const written = run(dandori, named('send', 'b'));
    await expect.poll(() => calls().length).toBe(2);
    process.kill(processOf(calls()[0]), 'SIGKILL');
    await letGo();
    expect((await read.report()).outcome).toBe('answered');
    const { outcome, questions } = await written.report();
    expect({ outcome, kinds: questions.map(({ kind }) => kind) }).toEqual({
      outcome: 'waiting',
      kinds: ['in_doubt'],
    });
    await written.answer(questions[0]?.id ?? '', 'happened');
    expect((await written.report()).outcome).toBe('answered');
    expect(calls().filter((call) => call.startsWith('b'))).toHaveLength(1);
  });

  it('again and again does not end a run that gets further in between', async () => {
    await using dandori = await open();
    const folders = await Promise.all([1, 2, 3, 4].map(() => mkdtemp(join(cwd, 'look-'))));
    const looks = folders.map((folder, index) => ({
      id: `t${index}`,
      operation: 'office.look',
      args: { folder, name: `look ${index}` },
      ...(index > 0 && { after: [`t${index - 1}`] }),
    }));
    const report = run(dandori, looks).report();
    for (const folder of folders) {
      await expect.poll(() => calls(folder).length).toBe(1);
      process.kill(processOf(calls(folder)[0]), 'SIGKILL');
      await expect.poll(() => calls(folder).length).toBe(2);
      await letGo(folder);
    }
    expect((await report).outcome).toBe('answered');
  });

  it('by its own tool, each time, is an error of the run that names the fix, and other runs go on', async () => {
    await using dandori = await open({ workers: 1 });
    const quitting = run(dandori, task('quit'));
    await expect(quitting.report()).rejects.toMatchObject({
      code: 'worker-failed',
      message: expect.stringContaining('exit code 7'),
      fix: expect.stringContaining('can be continued'),
    });
    expect((await run(dandori, task('count')).report()).outcome).toBe('answered');
    await quitting.cancel();
    expect((await quitting.report()).outcome).toBe('cancelled');
  });

  it('before it could begin is an error of openDandori', async () => {
    const file = join(cwd, 'closed.ts');
    await writeFile(
      file,
      `if (/pool-worker/.test(process.argv[1])) throw new Error('There is no database here');
       export { default } from ${JSON.stringify(OFFICE)};`,
    );
    await writeFile(join(cwd, 'package.json'), '{ "type": "module" }');
    await expect(open({ services: [file] })).rejects.toMatchObject({
      code: 'worker-failed',
      message: expect.stringMatching(/before they were ready.*There is no database here/),
      fix: expect.stringContaining('Fix the module'),
    });
  });
});

describe('what stays in the process of a program', () => {
  const look = { description: 'Looks', effect: 'read' as const, input: z.object({}), run: () => 'seen' };
  it.each<[string, DandoriOptions, string]>([
    ['functions', { tools: { look } }, "services: ['./tools.ts']"],
    ['a model object', { model: createScriptedMind([]) }, "model: 'openai/gpt-5-mini'"],
    ['a store', { store: createMemoryStore() }, 'planning.history.directory'],
    ['runs in memory', { planning: { history: { storage_type: 'memory' } } }, 'storage_type to jsonl'],
    [
      'a clock',
      { clock: { now: () => 0 } as unknown as NonNullable<DandoriOptions['clock']> },
      'leave out workers',
    ],
    ['too many', { workers: 65 }, 'workers:'],
    ['a text', { workers: '2' as unknown as number }, 'workers:'],
  ])('%s: refused with the fix', async (_, options, fix) => {
    await expect(openDandori({ cwd, workers: 2, ...options })).rejects.toMatchObject({
      fix: expect.stringContaining(fix),
    });
  });
});
