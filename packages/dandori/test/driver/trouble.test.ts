import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import { foldRun } from '../../src/run/state/apply.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { type CallOutcome, stopped } from '../../src/tools/toolbox.ts';
import { count, createHouse, DONE, type House, task } from './house.ts';

const BUSY = { kind: 'unavailable', message: 'busy', retryable: true };

describe('a call that takes too long', () => {
  it('a read is stopped at its timeout and retried', async () => {
    const house = createHouse({ 'a.get': { faults: [{ kind: 'hang' }], run: () => 7 } }, DONE);
    const from = house.clock.now();
    const state = await house.run('go', [task('g', 'a.get', { timeoutMs: 500 })]);
    expect(state.tasks.get('g')).toMatchObject({ status: 'succeeded', attempts: 2, result: { value: 7 } });
    expect(house.toolbox.calls.map(({ startedAt }) => startedAt - from)).toEqual([0, 600]);
  });

  it('the timeout of the settings applies if the task has none', async () => {
    const house = createHouse(
      { 'a.get': { faults: [{ kind: 'hang' }, { kind: 'hang' }, { kind: 'hang' }] } },
      DONE,
    );
    const state = await house.run('go', [task('g', 'a.get')], {
      task: { timeoutMs: 2_000, attempts: 3, backoff: 100 },
    });
    expect(state.tasks.get('g')).toMatchObject({
      status: 'failed',
      attempts: 3,
      failure: { kind: 'timeout', message: 'Timed out after 2 s.' },
    });
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'timeout' } });
  });

  it('a write is not retried by itself: the user is asked', async () => {
    const house = createHouse(
      { 'a.put': { effect: 'write', faults: [{ kind: 'hang' }] }, 'b.get': {} },
      DONE,
    );
    const run = await house.start('go', [
      task('p', 'a.put', { timeoutMs: 500, args: { x: 1 } }),
      task('g', 'b.get'),
    ]);
    const waiting = await house.drive(run);
    expect(waiting.end).toBeUndefined();
    expect(waiting.tasks.get('g')?.status).toBe('succeeded');
    expect([...waiting.questions.values()].map(({ question }) => question)).toMatchObject([
      {
        id: 'q1',
        kind: 'in_doubt',
        task: 'p',
        context: { operation: 'a.put', args: { x: 1 }, effect: 'write', attempt: 1 },
      },
    ]);
    await house.answer(run, 'q1', 'again');
    const state = await house.drive(run);
    expect(state.tasks.get('p')).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(house.toolbox.effects('a.put')).toBe(1);
  });
});

describe('a call whose answer was lost', () => {
  it('a write that succeeded leads to a question and is not repeated', async () => {
    const house = createHouse({ 'a.put': { effect: 'write', faults: [{ kind: 'lost_after' }] } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    await house.drive(run);
    await house.answer(run, 'q1', 'happened');
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.effects('a.put')).toBe(1);
  });

  it('given up, it fails, and the report does not claim that it was not done', async () => {
    const house = createHouse(
      { 'a.put': { effect: 'destructive', faults: [{ kind: 'lost_before' }] } },
      DONE,
    );
    const run = await house.start('go', [task('p', 'a.put')]);
    await house.drive(run);
    await house.answer(run, 'q1', 'give_up');
    const state = await house.drive(run);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { message: 'a.put was given up. Its outcome is unconfirmed.' },
    });
    expect(house.toolbox.calls).toHaveLength(1);
  });

  it('an idempotent call is sent again under the same key', async () => {
    const house = createHouse({ 'a.put': { effect: 'idempotent', faults: [{ kind: 'lost_after' }] } }, DONE);
    const state = await house.run('go', [task('p', 'a.put')]);
    expect(state.end?.outcome).toBe('answered');
    expect(new Set(house.toolbox.calls.map(({ call }) => call.key)).size).toBe(1);
    expect(house.toolbox.calls).toHaveLength(2);
  });
});

describe('a call with an odd result', () => {
  it('is noted in the journal, and the result is used', async () => {
    const odd: CallOutcome = { kind: 'succeeded', result: { n: 1 }, note: 'x must be a text' };
    const house = createHouse({ 'a.get': { run: () => odd } }, [
      [{ operation: 'answer', args: { text: '${g.n}' } }],
    ]);
    const run = await house.start('go', [task('g', 'a.get')]);
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'answered', answer: '1' });
    const succeeded = (await house.events(run)).find(({ type }) => type === 'task_succeeded');
    expect(succeeded?.data).toMatchObject({ result: { n: 1 }, note: 'x must be a text' });
  });
});

describe('a call whose toolbox breaks its contract', () => {
  it.each([
    ['a failure of an unknown kind', { kind: 'failed', failure: { kind: 'odd', message: 'x' } }],
    ['a failure without a message', { kind: 'failed', failure: { kind: 'tool_error' } }],
    ['a wait that is no number', { kind: 'failed', failure: { ...BUSY, retryAfter: Number.NaN } }],
    ['an unknown loss', { kind: 'lost', cause: 'odd', message: 'x' }],
    ['a question that is no text', { kind: 'ambiguous', question: 5, options: [] }],
  ])('%s: what it did is unknown, and the journal can be read', async (_, outcome) => {
    await using temporary = await createTemporaryJournal();
    const { journal, blobs } = temporary;
    const tools = { 'a.put': { effect: 'write' as const, run: () => outcome as CallOutcome } };
    const house = createHouse(tools, DONE, { journal, blobs, clock: systemClock });
    const run = await house.start('go', [task('p', 'a.put')]);
    await drive(run, house.parts);
    const state = foldRun(run, await house.events(run));
    expect(state.tasks.get('p')?.doubt?.message).toMatch(/^The call broke: /);
    expect(state.questions.get('q1')?.question.kind).toBe('in_doubt');
  });
});

describe('a call that fails', () => {
  it('is retried after a delay that doubles, if that may help', async () => {
    const fail = { kind: 'fail', retryable: true } as const;
    const house = createHouse({ 'a.get': { faults: [fail, fail] } }, DONE);
    const from = house.clock.now();
    const state = await house.run('go', [task('g', 'a.get')]);
    expect(house.toolbox.calls.map(({ startedAt }) => startedAt - from)).toEqual([0, 100, 300]);
    expect(state.end?.outcome).toBe('answered');
  });

  it.each([
    ['a write', 'write', true],
    ['a failure for good', 'read', false],
  ] as const)('is not tried again: %s', async (_, effect, retryable) => {
    const house = createHouse(
      { 'a.x': { effect, faults: [{ kind: 'fail', retryable, message: 'broken' }] } },
      DONE,
    );
    const state = await house.run('go', [task('g', 'a.x')]);
    expect(house.toolbox.calls).toHaveLength(1);
    expect(state.end).toMatchObject({ outcome: 'failed', answer: 'done', failure: { message: 'broken' } });
  });

  it('a tool that has gone since the plan was made fails its task, not the run', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    const gone: CallOutcome = {
      kind: 'failed',
      failure: { kind: 'unavailable', message: 'the server is down', retryable: true },
    };
    const state = await house.drive(run, { toolbox: { ...house.toolbox, call: async () => gone } });
    expect(state.tasks.get('g')).toMatchObject({ status: 'failed', attempts: 3 });
  });

  it.each<[string, () => Promise<CallOutcome>]>([
    ['rejects', () => Promise.reject(new Error('bug'))],
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
  ])(
    'a toolbox that %s against its contract does not kill the process, and the write is in doubt',
    async (_, call) => {
      const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
      const run = await house.start('go', [task('p', 'a.put')]);
      const state = await house.drive(run, { toolbox: { ...house.toolbox, call } });
      expect(state.tasks.get('p')).toMatchObject({ status: 'waiting', isInDoubt: true });
    },
  );

  it.each<[string, CallOutcome | Error, object]>([
    ['a bug of a toolbox', new Error('bug'), { code: 'call_broke', params: { reason: 'bug' } }],
    [
      'a call that was stopped',
      stopped(AbortSignal.abort(), 'a.put'),
      { code: 'call_stopped', params: { operation: 'a.put' } },
    ],
  ])('%s is journaled as a code, in the language of the run', async (_, outcome, said) => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('入れる', [task('p', 'a.put')]);
    const call = () => (outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome));
    await house.drive(run, { toolbox: { ...house.toolbox, call } });
    const lost = (await house.events(run)).find(({ type }) => type === 'task_in_doubt');
    expect(lost?.data).toMatchObject({ ...said, message: expect.stringMatching(/。$|：bug$/) });
  });

  it('a toolbox that returns its outcome and no promise works', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    const call = (() => ({ kind: 'succeeded', result: 1 })) as unknown as House['toolbox']['call'];
    const state = await house.drive(run, { toolbox: { ...house.toolbox, call } });
    expect(state.tasks.get('p')).toMatchObject({ status: 'succeeded', result: { value: 1 } });
  });

  const TOO_DEEP = /: it is nested more than 500 levels deep\.$/;
  it.each<[string, RegExp, () => unknown]>([
    [
      'a circle',
      /: it contains itself\.$/,
      () => {
        const circle: { self?: unknown } = {};
        circle.self = circle;
        return circle;
      },
    ],
    ['100,000 levels', TOO_DEEP, () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
    ['900 levels', TOO_DEEP, () => JSON.parse(`${'{"a":'.repeat(900)}1${'}'.repeat(900)}`)],
  ])('a result that cannot be written down (%s) fails its task, not the driver', async (_, why, make) => {
    const house = createHouse({ 'a.get': {}, 'b.get': {} }, DONE);
    const run = await house.start('go', [task('g', 'a.get'), task('h', 'b.get')]);
    const odd = async (): Promise<CallOutcome> => ({ kind: 'succeeded', result: make() as null });
    const state = await house.drive(run, {
      toolbox: { ...house.toolbox, call: (call) => (call.task === 'g' ? odd() : house.toolbox.call(call)) },
    });
    expect(state.tasks.get('g')?.failure).toMatchObject({
      kind: 'invalid_result',
      message: expect.stringMatching(why),
    });
    expect(state.tasks.get('h')?.status).toBe('succeeded');
  });

  it('a result that is missing counts as null', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    const nothing = async () => ({ kind: 'succeeded', result: undefined as unknown as null }) as const;
    const state = await house.drive(run, { toolbox: { ...house.toolbox, call: nothing } });
    expect(state.tasks.get('g')?.result).toEqual({ value: null });
  });
});

describe('cancel', () => {
  it('reaches every call, and the run ends with the reason', async () => {
    const house = createHouse({
      'a.get': { takes: 60_000 },
      'b.put': { effect: 'write', takes: 60_000 },
      'c.get': { run: () => 1 },
    });
    const run = await house.start('go', [
      task('g', 'a.get'),
      task('p', 'b.put'),
      task('q', 'c.get'),
      task('n', 'c.get', { after: ['g'] }),
    ]);
    const driving = drive(run, house.parts);
    await house.clock.advance(1_000);
    await house.cancel(run, 'changed my mind');
    const state = await house.clock.runUntil(driving);
    expect(house.toolbox.calls.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    expect(house.clock.now()).toBeLessThan(1_000_000 + 2_000);
    expect(state.end).toMatchObject({
      outcome: 'cancelled',
      answer: 'No final answer was written. The results so far, as the tools returned them:\n- c.get: 1',
      failure: { kind: 'cancelled', message: 'changed my mind' },
      missing: ['g a.get: failed', 'p b.put: outcome unconfirmed', 'n c.get: blocked'],
    });
  });

  it('C3: a call that ignores its abort is given up after the grace period, and its late outcome is ignored', async () => {
    const house = createHouse({ 'a.get': {} });
    const run = await house.start('go', [task('g', 'a.get')]);
    let finish: (outcome: CallOutcome) => void = () => {};
    const deaf = () =>
      new Promise<CallOutcome>((resolve) => {
        finish = resolve;
      });
    const driving = drive(run, { ...house.parts, toolbox: { ...house.toolbox, call: deaf } });
    await house.clock.advance(1_000);
    await house.cancel(run, 'stop');
    const state = await house.clock.runUntil(driving);
    expect(house.clock.now()).toBe(1_000_000 + 6_000);
    expect(state.end?.outcome).toBe('cancelled');
    const before = (await house.events(run)).length;
    finish({ kind: 'succeeded', result: 'late' });
    await house.clock.advance(10_000);
    expect(await house.events(run)).toHaveLength(before);
  });

  it('reaches a model call', async () => {
    const house = createHouse({});
    const run = await house.start('go');
    let aborted = false;
    const think = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>(() =>
        signal.addEventListener('abort', () => {
          aborted = true;
        }),
      );
    const driving = drive(run, { ...house.parts, mind: { name: 'slow', think } });
    await house.clock.advance(10);
    await house.cancel(run, 'stop');
    const state = await house.clock.runUntil(driving);
    expect(aborted).toBe(true);
    expect(state.end).toMatchObject({ outcome: 'cancelled', failure: { message: 'stop' } });
  });

  it('before the first call, prevents every call', async () => {
    const house = createHouse({ 'a.get': {} });
    const run = await house.start('go', [task('g', 'a.get')]);
    await house.cancel(run, 'no');
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('cancelled');
    expect(house.toolbox.calls).toHaveLength(0);
  });

  it('while the run waits for the user, takes effect at the next drive', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } });
    const run = await house.start('go', [task('p', 'a.put')], { approval: 'writes' });
    await house.drive(run);
    await house.cancel(run, 'no');
    await house.cancel(run, 'again');
    const state = await house.drive(run);
    expect(state.end).toMatchObject({ outcome: 'cancelled', failure: { message: 'no' } });
    await expect(house.cancel(run, 'late')).rejects.toMatchObject({ code: 'run-ended' });
  });
});

describe('time', () => {
  it('when it is up, calls are aborted and the run ends exhausted with its results', async () => {
    const house = createHouse({ 'a.get': { run: () => 5 }, 'b.get': { takes: 90_000 } });
    const state = await house.run('go', [task('g', 'a.get'), task('h', 'b.get', { timeoutMs: 100_000 })], {
      limits: { steps: 10, calls: 10, tasks: 10, time: 10_000 },
    });
    expect(house.clock.now()).toBe(1_010_000);
    expect(state.end).toMatchObject({
      outcome: 'exhausted',
      answer: 'No final answer was written. The results so far, as the tools returned them:\n- a.get: 5',
      missing: ['Limit reached: 10 s (execution.max_time)', 'h b.get: not run'],
    });
  });

  it('the user may take a week to answer', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')], { approval: 'writes' });
    await house.drive(run);
    await house.clock.advance(7 * 86_400_000);
    await house.answer(run, 'q1', 'approve');
    await house.clock.advance(86_400_000);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
  });

  it('a run may wait in a queue for days before its first drive', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    await house.clock.advance(3 * 86_400_000);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
  });

  it('looking after a run that waits writes nothing', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')], { approval: 'writes' });
    await house.drive(run);
    const before = (await house.events(run)).length;
    for (let times = 0; times < 3; times++) {
      await house.clock.advance(86_400_000);
      expect((await house.drive(run)).end).toBeUndefined();
    }
    expect(await house.events(run)).toHaveLength(before);
    await house.answer(run, 'q1', 'approve');
    await house.drive(run);
    expect(count(await house.events(run), 'run_resumed')).toBe(1);
  });

  it('driving a run that has ended changes nothing', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    await house.drive(run);
    const before = await house.events(run);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(await house.events(run)).toEqual(before);
  });
});

describe('S5: what a driver has begun does not outlive it', () => {
  it('a journal that cannot be written stops the drive and every call', async () => {
    const house = createHouse({ 'a.get': { takes: 60_000 }, 'b.get': { takes: 10 } });
    const run = await house.start('go', [task('g', 'a.get'), task('h', 'b.get')]);
    let appends = 0;
    const full = {
      ...house.parts.journal,
      append: (...args: Parameters<typeof house.parts.journal.append>) =>
        ++appends > 1 ? Promise.reject(new Error('disk full')) : house.parts.journal.append(...args),
    };
    await expect(house.clock.runUntil(drive(run, { ...house.parts, journal: full }))).rejects.toThrow(
      'disk full',
    );
    expect(house.toolbox.calls.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
    const claim = await house.parts.journal.claim(run);
    await claim.release();
  });

  it('a run that cannot be read lets go of its claim and of its watcher', async () => {
    const house = createHouse({});
    const run = await house.start('go');
    let watchers = 0;
    const broken = {
      ...house.parts.journal,
      read: () => Promise.reject(new Error('damaged')),
      watch: () => {
        watchers++;
        return () => void watchers--;
      },
    };
    await expect(drive(run, { ...house.parts, journal: broken })).rejects.toThrow('damaged');
    expect(watchers).toBe(0);
    await (await house.parts.journal.claim(run)).release();
  });
});
