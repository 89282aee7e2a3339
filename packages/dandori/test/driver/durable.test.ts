import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { cancelRun } from '../../src/commands/steer.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import type { Journal } from '../../src/store/journal.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { createHouse, DONE, SETTINGS, task } from './house.ts';

const which: CallOutcome = {
  kind: 'ambiguous',
  question: 'Which?',
  options: [{ label: 'b', value: 'b', args: { id: 2 } }],
};

/** A run on real files and the real clock, with one call that ends only when the test says so. */
async function createPlace() {
  const temporary = await createTemporaryJournal();
  const toolbox = createFunctionToolbox(systemClock, {
    'slow.get': {},
    'shop.take': { effect: 'write', run: ({ id }) => (id === undefined ? which : 'taken') },
  });
  const gate = Promise.withResolvers<CallOutcome>();
  const asked = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const parts: Parts = {
    journal: temporary.journal,
    blobs: temporary.blobs,
    clock: systemClock,
    toolbox: {
      ...toolbox,
      call: (call) => {
        call.signal.addEventListener('abort', () =>
          gate.resolve({ kind: 'lost', cause: 'cancelled', message: 'aborted' }),
        );
        return call.operation === 'slow.get' ? gate.promise : toolbox.call(call);
      },
    },
    mind: createScriptedMind(DONE),
    check: () => [],
    secrets: [],
    driver: 'test',
    onEvent({ type, data }) {
      if (type === 'question_asked') asked.resolve();
      if (type === 'task_succeeded' && data.task === 'm') taken.resolve();
    },
  };
  const { run } = await startRun(
    { goal: 'go', settings: SETTINGS, tasks: [task('s', 'slow.get'), task('m', 'shop.take')] },
    parts,
  );
  return Object.assign(temporary, { parts, run, gate, asked: asked.promise, taken: taken.promise });
}

describe('a run on disk', () => {
  it.each(['the same journal', 'another journal on the same folder'])(
    'an answer through %s is taken up while the driver waits for something else',
    async (which) => {
      await using place = await createPlace();
      const { parts, run, gate } = place;
      const driving = drive(run, parts);
      await place.asked;
      const journal = which === 'the same journal' ? parts.journal : createJsonlJournal(place.directory);
      await answerQuestion({ run, question: 'q1', answer: 'b' }, { ...parts, journal });
      await place.taken;
      gate.resolve({ kind: 'succeeded', result: 1 });
      expect((await driving).end?.outcome).toBe('answered');
      expect(brokenLaws(await parts.journal.read(run))).toEqual([]);
    },
  );

  it('a cancel reaches a call that never ends', async () => {
    await using place = await createPlace();
    const { parts, run } = place;
    const driving = drive(run, parts);
    await place.asked;
    await cancelRun({ run, reason: 'stop' }, parts);
    expect((await driving).end).toMatchObject({ outcome: 'cancelled', failure: { message: 'stop' } });
    expect(brokenLaws(await parts.journal.read(run))).toEqual([]);
  });

  it('a driver does not read back what it wrote itself', async () => {
    await using place = await createPlace();
    const { parts, run } = place;
    let reads = 0;
    const read: Journal['read'] = (...about) => {
      reads++;
      return place.journal.read(...about);
    };
    const driving = drive(run, { ...parts, journal: { ...parts.journal, read } });
    await place.asked;
    const readsOfItsOwn = reads;
    await cancelRun({ run, reason: 'stop' }, parts);
    await driving;
    expect(readsOfItsOwn).toBe(1);
  });

  it('the journal gives the same state as the drive', async () => {
    await using place = await createPlace();
    const { parts, run, gate } = place;
    gate.resolve({ kind: 'succeeded', result: { text: '日本', big: 'x'.repeat(50_000) } });
    const waiting = await drive(run, parts);
    await answerQuestion({ run, question: 'q1', answer: 'b' }, parts);
    const state = await drive(run, parts);
    expect(waiting.tasks.get('s')?.result).toMatchObject({ blob: { bytes: 50_026 } });
    expect(state.tasks.get('s')?.result).toEqual(waiting.tasks.get('s')?.result);
    expect(state.end?.outcome).toBe('answered');
  });
});

describe('while the disk holds back a write', () => {
  it('a read starts, and calls that change something or cost money wait', async () => {
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    const real = createMemoryJournal();
    const journal: Journal = {
      ...real,
      async append(...append) {
        await isFree;
        await real.append(...append);
      },
    };
    const called: string[] = [];
    const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
    const run = async (name: string) => {
      called.push(name);
      if (name === 'read') read();
      return name;
    };
    const toolbox = createFunctionToolbox(systemClock, {
      'a.first': { run: () => run('first') },
      'a.read': { run: () => run('read') },
      'b.write': { effect: 'write', run: () => run('write') },
      'c.dear': { cost: 0.01, run: () => run('dear') },
    });
    const mind = createScriptedMind(DONE);
    const blobs = createMemoryBlobs();
    const parts: Parts = {
      journal,
      blobs,
      clock: systemClock,
      toolbox,
      mind,
      check: () => [],
      secrets: [],
      driver: 'test',
    };
    const after = ['f'];
    const tasks = [
      task('f', 'a.first'),
      task('w', 'b.write', { after }),
      task('d', 'c.dear', { after }),
      task('r', 'a.read', { after }),
    ];
    const started = await startRun({ goal: 'go', settings: SETTINGS, tasks }, parts);
    const driving = drive(started.run, parts);
    await isRead;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(called).toEqual(['first', 'read']);
    free();
    expect((await driving).end?.outcome).toBe('answered');
    expect(called.toSorted()).toEqual(['dear', 'first', 'read', 'write']);
    expect(brokenLaws(await real.read(started.run))).toEqual([]);
  });

  it('the progress of a read is told before its start is on the disk, and of every wave', async () => {
    const told: string[] = [];
    const house = createHouse({ 'a.read': { run: (_, { progress, task }) => progress?.(task) ?? 1 } }, DONE, {
      onLive: (live) => live.type === 'task_progress' && told.push(live.message),
    });
    await house.run('go', [task('a', 'a.read'), task('b', 'a.read', { after: ['a'] })]);
    expect(told).toEqual(['a', 'b']);
  });

  it('a read after a write waits until the outcome of the write is journaled', async () => {
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const real = createMemoryJournal();
    const journal: Journal = {
      ...real,
      async append(run, after, events, claim) {
        if (events.some(({ type }) => type === 'task_succeeded')) {
          hold();
          await isFree;
        }
        await real.append(run, after, events, claim);
      },
    };
    const called: string[] = [];
    const run = (name: string) => {
      called.push(name);
      return name;
    };
    const toolbox = createFunctionToolbox(systemClock, {
      'a.write': { effect: 'write', run: () => run('write') },
      'a.read': { run: () => run('read') },
    });
    const blobs = createMemoryBlobs();
    const mind = createScriptedMind(DONE);
    const house = { journal, blobs, clock: systemClock, toolbox, mind };
    const parts: Parts = { ...house, check: () => [], secrets: [], driver: 'test' };
    const tasks = [task('w', 'a.write'), task('r', 'a.read', { after: ['w'] })];
    const started = await startRun({ goal: 'go', settings: SETTINGS, tasks }, parts);
    const driving = drive(started.run, parts);
    await isHeld;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(called).toEqual(['write']);
    free();
    expect((await driving).end?.outcome).toBe('answered');
    expect(called).toEqual(['write', 'read']);
  });

  it('a read after a write that happened, as the user says, waits until that is journaled', async () => {
    const { promise: isFree, resolve: free } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const called: string[] = [];
    const lost: CallOutcome = { kind: 'lost', cause: 'connection_lost', message: 'gone' };
    const tools: Record<string, FunctionTool> = {
      'a.write': { effect: 'write', run: () => lost },
      'b.read': { run: () => called.push('read') },
    };
    const house = createHouse(tools, DONE);
    const tasks = [task('w', 'a.write'), task('r', 'b.read', { after: ['w'] })];
    const run = await house.start('go', tasks);
    await house.drive(run);
    await house.answer(run, 'q1', 'happened');
    const { journal } = house.parts;
    const append: Journal['append'] = async (...append) => {
      hold();
      await isFree;
      await journal.append(...append);
    };
    const driving = drive(run, { ...house.parts, journal: { ...journal, append } });
    await isHeld;
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    expect(called).toEqual([]);
    free();
    expect((await house.clock.runUntil(driving)).end?.outcome).toBe('answered');
    expect(called).toEqual(['read']);
  });

  it.each([
    ['reads that end at once', 'scripted', 'decision_started'],
    ['such reads and a decision of the built-in planner', 'built-in', 'run_finished'],
  ])('%s are one write with their outcomes, wave after wave', async (_, mind, last) => {
    const appends: string[][] = [];
    const real = createMemoryJournal();
    const journal: Journal = {
      ...real,
      async append(run, after, events) {
        appends.push(events.map(({ type }) => type));
        await real.append(run, after, events);
      },
    };
    // On a clock of its own, because what takes long is not collected.
    const parts = { journal, mind: createScriptedMind(DONE, mind) };
    const house = createHouse({ 'a.read': { run: () => 1 } }, [], parts);
    const tasks = [
      task('a', 'a.read'),
      task('b', 'a.read', { after: ['a'] }),
      task('c', 'a.read', { after: ['b'] }),
    ];
    expect((await house.run('go', tasks)).end?.outcome).toBe('answered');
    const wave = ['task_started', 'task_succeeded'];
    expect(appends[0]?.slice(0, 8)).toEqual(['plan_approved', ...wave, ...wave, ...wave, 'decision_started']);
    expect(appends[0]?.at(-1)).toBe(last);
  });
});
