import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { pruneRuns } from '../../src/commands/prune.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import { compareRuns } from '../../src/history/diff.ts';
import { type ForkOptions, forkRun } from '../../src/history/fork.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { createHouse, DONE, type House, task } from '../driver/house.ts';

const answer: Reply = [{ operation: 'answer', args: { text: 'done' } }];

/** Writes take longer than reads, so that calls are under way at most events. */
const TOOLS: Record<string, FunctionTool> = {
  'a.read': { run: ({ n }) => ({ n: Number(n) + 1 }), takes: 10 },
  'b.put': { effect: 'write', run: ({ n }) => ({ put: n ?? null }), takes: 30 },
  'c.set': { effect: 'idempotent', run: ({ n }) => ({ set: n ?? null }), takes: 20 },
  'd.put': { effect: 'write', run: () => 'ok', takes: 25, faults: [{ kind: 'lost_after' }] },
};

const PLAN = [
  task('r', 'a.read', { args: { n: 1 } }),
  task('w', 'b.put', { args: { n: '${r.n}' } }),
  task('i', 'c.set', { args: { n: '${r.n}' } }),
  task('v', 'b.put', { args: { n: 3 }, after: ['w'] }),
  task('l', 'a.read', { args: { n: 5 }, after: ['v', 'i'] }),
];

const fork = (house: House, run: string, options: ForkOptions) => forkRun(run, options, house.parts);
const calls = ({ toolbox }: House) => toolbox.calls.map(({ call }) => call.task);

/** The calls of the source up to the fork, by event. */
function begunBy(events: readonly Event[], seq: number): string[] {
  return events.flatMap((event) =>
    event.type === 'task_started' && event.seq <= seq ? [event.data.task] : [],
  );
}

describe('after a failure, a fork', () => {
  const failing = { ...TOOLS, 'e.read': { faults: [{ kind: 'fail' as const }], run: () => 'ok' } };
  const plan = [task('r', 'a.read', { args: { n: 1 } }), task('f', 'e.read', { after: ['r'] })];

  it.each([
    ['start', ['r', 'f']],
    ['failed', ['f']],
  ] as const)('from %s calls %j again', async (from, again) => {
    const house = createHouse(failing, [answer, answer, answer]);
    const run = await house.start('go', plan);
    expect((await house.drive(run)).end?.outcome).toBe('failed');
    const before = calls(house).length;
    const forked = await fork(house, run, { from });
    expect((await house.drive(forked.run)).end?.outcome).toBe('answered');
    expect(calls(house).slice(before)).toEqual(again);
  });
});

describe('a fork', () => {
  it('K1, K2: at any event makes no call of its past again, and comes to the same end', async () => {
    const source = createHouse(TOOLS, [answer]);
    const run = await source.start('go', PLAN);
    const end = await source.drive(run);
    const events = await source.events(run);
    for (let at = 1; at < events.length; at++) {
      const house = createHouse(TOOLS, [answer], {
        journal: source.parts.journal,
        blobs: source.parts.blobs,
      });
      const forked = await fork(house, run, { at });
      const state = await house.drive(forked.run);
      const past = begunBy(events, forked.forkedFrom.seq);
      expect(calls(house).filter((id) => past.includes(id))).toEqual([]);
      expect([...calls(house), ...past].sort()).toEqual(['i', 'l', 'r', 'v', 'w']);
      expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
      for (const [id, { result }] of end.tasks) expect(state.tasks.get(id)?.result).toEqual(result);
      expect(state.forkedFrom).toEqual({ run, seq: forked.forkedFrom.seq });
    }
    expect(await source.events(run)).toEqual(events);
  });

  it('K2: a call that was under way is taken over as it ended, lost and failed ones too', async () => {
    const house = createHouse(TOOLS, []);
    const run = await house.start('go', [task('x', 'd.put'), task('y', 'a.read', { args: { n: 1 } })]);
    await house.drive(run);
    const events = await house.events(run);
    const started = events.find((event) => event.type === 'task_started' && event.data.task === 'x');
    const forked = await fork(house, run, { at: started?.seq ?? 0 });
    expect(forked.settled).toEqual(['x']);
    const state = await house.drive(forked.run);
    expect(state.tasks.get('x')).toMatchObject({ status: 'waiting', isInDoubt: true });
    expect(house.toolbox.effects('d.put')).toBe(1);
  });

  it('K2: a call without a known end is in doubt, and is sent again only with its old key', async () => {
    const house = createHouse(TOOLS, [answer]);
    const run = await house.start('go', [task('i', 'c.set', { args: { n: 1 } })]);
    await house.drive(run);
    const started = (await house.events(run)).find(({ type }) => type === 'task_started');
    // The journal of a run that is still under way.
    const journal = createHouse({}).parts.journal;
    await journal.create(run, (await house.events(run)).slice(0, started?.seq));
    const other = createHouse(TOOLS, [answer], { journal });
    const forked = await fork(other, run, { at: started?.seq ?? 0 });
    expect(forked.settled).toEqual([]);
    const state = await other.drive(forked.run);
    expect(state.end?.outcome).toBe('answered');
    expect(other.toolbox.calls.map(({ call }) => call.key)).toEqual([`${run}/i`]);
  });

  it('K3: takes over a decision with what it proposed, and repeats one that was not finished', async () => {
    const house = createHouse(TOOLS, [[{ id: 'r', operation: 'a.read', args: { n: 1 } }], answer]);
    const { run } = await house.run('go');
    const events = await house.events(run);
    const made = events.find(({ type }) => type === 'decision_made')?.seq ?? 0;
    expect((await fork(house, run, { at: made })).forkedFrom.seq).toBe(made + 1);
    expect(events[made]?.type).toBe('plan_proposed');
    const asked = createHouse(TOOLS, DONE, { journal: house.parts.journal });
    const early = await fork(asked, run, { at: made - 1 });
    expect((await asked.drive(early.run)).end).toMatchObject({ outcome: 'answered', answer: 'done' });
    expect(asked.mind.thoughts).toHaveLength(1);
  });

  it('gives another answer, by default from right before the old one', async () => {
    const tools: Record<string, FunctionTool> = {
      ...TOOLS,
      'x.drop': { effect: 'destructive', run: () => 'gone' },
    };
    const house = createHouse(tools, [answer]);
    const run = await house.start('go', [task('d', 'x.drop')], { approval: 'destructive' });
    await house.drive(run);
    await house.answer(run, 'q1', 'reject');
    expect((await house.drive(run)).end?.outcome).toBe('failed');
    const other = createHouse(tools, [answer], { journal: house.parts.journal });
    const forked = await fork(other, run, { answers: { q1: 'approve' } });
    const state = await other.drive(forked.run);
    expect(state.end?.outcome).toBe('answered');
    expect(other.toolbox.effects('x.drop')).toBe(1);
    const [mine, theirs] = [await house.events(run), await other.events(forked.run)];
    const diff = compareRuns(
      { events: mine, state: fold(mine) ?? state },
      { events: theirs, state: fold(theirs) ?? state },
    );
    expect(diff).toMatchObject({ isSame: false, commonSeq: forked.forkedFrom.seq });
    expect(diff.differences.map(({ kind, what }) => `${kind} ${what}`)).toContain('outcome d');
  });

  it('that chooses otherwise calls under a key of its own, for it is another call', async () => {
    const options = ['x', 'y'].map((value) => ({ label: value, value, args: { which: value } }));
    const tools: Record<string, FunctionTool> = {
      'x.drop': {
        effect: 'write',
        run: ({ which }): CallOutcome | Json =>
          which === undefined ? { kind: 'ambiguous', question: 'Which?', options } : { dropped: which },
      },
    };
    const house = createHouse(tools, [answer]);
    const run = await house.start('go', [task('d', 'x.drop')]);
    await house.drive(run);
    await house.answer(run, 'q1', 'x');
    await house.drive(run);
    const other = createHouse(tools, [answer], { journal: house.parts.journal });
    const forked = await fork(other, run, { answers: { q1: 'y' } });
    await other.drive(forked.run);
    expect(house.toolbox.calls.map(({ call }) => call.key)).toEqual([`${run}/d`, `${run}/d`]);
    expect(other.toolbox.calls.map(({ call }) => [call.args, call.key])).toEqual([
      [{ which: 'y' }, `${forked.run}/d`],
    ]);
  });

  it('says yes to nothing for who may not: neither with an answer nor with a plan of their own', async () => {
    const house = createHouse(TOOLS, [answer]);
    const questions = { whenExpired: 'decline' as const, answerers: ['boss'] };
    const run = await house.start('go', [task('w', 'b.put')], { approval: 'plan', questions });
    await house.drive(run);
    for (const by of ['intern', undefined])
      await expect(fork(house, run, { answers: { q1: 'approve' }, by })).rejects.toMatchObject({
        code: 'answer-not-allowed',
      });
    await answerQuestion({ run, question: 'q1', answer: 'approve', by: 'boss' }, house.parts);
    const at = (await house.events(run)).length;
    const edited = await fork(house, run, { at, tasks: [task('x', 'b.put')], by: 'intern' });
    const state = await house.drive(edited.run);
    expect([...state.questions.values()].map(({ answer: given }) => given?.by)).toEqual(['boss', undefined]);
    expect(calls(house)).toEqual([]);
    const allowed = await fork(house, run, { answers: { q1: 'approve' }, by: 'boss' });
    expect((await house.drive(allowed.run)).end?.outcome).toBe('answered');
  });

  it('K2: takes over the end of a call that asked the user while it was open, and does not ask again', async () => {
    const desk: FunctionTool = {
      effect: 'write',
      run: async (_, call) => ({ told: (await call.elicit?.({ text: 'Who?' })) as Json }),
    };
    const source = createHouse({ 'desk.book': desk }, [answer]);
    const run = await source.start('book', [task('b', 'desk.book')]);
    const work = drive(run, source.parts);
    while ((await source.events(run)).every(({ type }) => type !== 'question_asked'))
      await source.clock.advance(0);
    await source.answer(run, 'q1', 'Aki');
    await source.clock.runUntil(work);
    const events = await source.events(run);
    const started = events.find(({ type }) => type === 'task_started')?.seq ?? 0;
    for (let at = started; at < events.length; at++) {
      const house = createHouse({ 'desk.book': desk }, [answer], { journal: source.parts.journal });
      const forked = await fork(house, run, { at });
      const state = await house.drive(forked.run);
      expect(calls(house), `at ${at}`).toEqual([]);
      expect(state.end?.outcome, `at ${at}`).toBe('answered');
      expect(state.tasks.get('b')?.result).toEqual({ value: { told: { action: 'accept' } } });
    }
    await expect(fork(source, run, { answers: { q1: 'Ben' } })).rejects.toMatchObject({
      code: 'question-answered',
      message: 'The call of b that asked q1 was made, and has ended with what it was told then.',
      fix: expect.stringContaining(`--at ${started - 1}`),
    });
  });

  it('K2: of a call that ended for input takes over all that it asked for', async () => {
    const desk: FunctionTool = {
      effect: 'write',
      run: (_, { inputs }): Json | CallOutcome =>
        inputs === undefined
          ? {
              kind: 'input_wanted',
              requests: ['a', 'b'].map((name) => ({ name, text: `${name}?` })),
            }
          : { given: Object.keys(inputs.responses) },
    };
    const source = createHouse({ 'desk.book': desk }, [answer]);
    const run = await source.start('book', [task('b', 'desk.book')]);
    await source.drive(run);
    const events = await source.events(run);
    const started = events.find(({ type }) => type === 'task_started')?.seq ?? 0;
    for (let at = started; at <= events.length; at++) {
      const house = createHouse({ 'desk.book': desk }, [answer], { journal: source.parts.journal });
      const forked = await fork(house, run, { at });
      expect(forked.settled, `at ${at}`).toEqual(at === started ? ['b'] : []);
      await house.answer(forked.run, 'q1', 'A');
      await house.answer(forked.run, 'q2', 'B');
      const state = await house.drive(forked.run);
      expect(calls(house), `at ${at}`).toEqual(['b']);
      expect(state.tasks.get('b')?.result).toEqual({ value: { given: ['a', 'b'] } });
    }
  });

  it('K2: gives what it takes over an id that is free, though an earlier one was left out', async () => {
    const asks: FunctionTool = {
      effect: 'write',
      run: () => ({ kind: 'ambiguous', question: 'Which?', options: [{ label: 'x', value: 'x' }] }),
    };
    const house = createHouse({ 'desk.book': asks, 'shop.buy': asks }, []);
    const asked = await house.start('book', [task('b', 'desk.book'), task('c', 'shop.buy')]);
    await house.drive(asked);
    // As if a command came in between, so that the first question was dropped and its id was not used.
    const later = (event: Event): Event => {
      if (event.type !== 'question_asked') return { ...event, run: 'later' };
      const question = { ...event.data.question, id: event.data.question.id === 'q1' ? 'q2' : 'q3' };
      return { ...event, run: 'later', data: { ...event.data, question } };
    };
    const events = (await house.events(asked)).map(later);
    await house.parts.journal.create('later', events);
    const first = events.find(({ type }) => type === 'question_asked')?.seq ?? 0;
    const forked = await fork(house, 'later', { at: first });
    const { questions, tasks } = await house.drive(forked.run);
    expect([...questions.keys()]).toEqual(['q2', 'q3']);
    expect(tasks.get('c')).toMatchObject({ status: 'waiting', isInDoubt: false });
  });

  it('runs an edited plan: started tasks stay, others are replaced, and a plan that does not compile is refused', async () => {
    const source = createHouse(TOOLS, [answer]);
    const run = await source.start('go', PLAN);
    await source.drive(run);
    const events = await source.events(run);
    const at = events.find((event) => event.type === 'task_succeeded' && event.data.task === 'w')?.seq ?? 0;
    const house = createHouse(TOOLS, [answer], { journal: source.parts.journal });
    const edited = [...PLAN.slice(0, 3), task('z', 'a.read', { args: { n: '${w.put}' } })];
    const forked = await fork(house, run, { at, tasks: edited });
    const state = await house.drive(forked.run);
    expect([...state.tasks.keys()].sort()).toEqual(['i', 'r', 'w', 'z']);
    expect(calls(house)).not.toContain('v');
    expect(state.tasks.get('z')?.result).toEqual({ value: { n: 3 } });
    expect(state.revisions).toMatchObject([
      {
        changes: [
          { kind: 'add', task: 'z' },
          { kind: 'remove', task: 'v' },
          { kind: 'remove', task: 'l' },
        ],
      },
    ]);
    const before = (await source.parts.journal.list()).length;
    const broken = [...PLAN.slice(0, 3), task('z', 'a.read', { args: { n: '${nobody.n}' } })];
    await expect(fork(house, run, { at, tasks: broken })).rejects.toMatchObject({
      code: 'plan-invalid',
      diagnostics: [expect.objectContaining({ code: 'dangling-ref', task: 'z' })],
    });
    const changed = [task('r', 'a.read', { args: { n: 9 } }), ...PLAN.slice(1)];
    await expect(fork(house, run, { at, tasks: changed })).rejects.toMatchObject({
      code: 'plan-invalid',
      message: expect.stringContaining('r has started'),
    });
    expect(await source.parts.journal.list()).toHaveLength(before);
  });

  it('tells what the other run has called since, as the fork may call it too', async () => {
    const house = createHouse(TOOLS, [answer]);
    const run = await house.start('go', PLAN);
    await house.drive(run);
    expect((await fork(house, run, { at: 3 })).later.map(({ task: id }) => id)).toEqual(['w', 'v']);
  });

  it.each<[string, ForkOptions, string]>([
    ['no event', {}, 'usage'],
    ['an event that is not there', { at: 99 }, 'usage'],
    ['a question that was not asked', { at: 3, answers: { q1: 'x' } }, 'question-not-found'],
    ['the end', { at: 8 }, 'run-ended'],
  ])('refuses %s', async (_, options, code) => {
    const house = createHouse(TOOLS, [answer]);
    const run = await house.start('go', [task('r', 'a.read', { args: { n: 1 } })]);
    await house.drive(run);
    await expect(fork(house, run, options)).rejects.toMatchObject({ code });
  });

  it('of a fork keeps the first keys, and replays with its past held against the run that it comes from', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 3, max: 13 }), fc.integer({ min: 3, max: 13 }), async (one, two) => {
        const house = createHouse(TOOLS, [answer, answer, answer]);
        const run = await house.start('go', PLAN);
        await house.drive(run);
        const first = await fork(house, run, { at: one });
        await house.drive(first.run);
        const length = (await house.events(first.run)).length;
        const second = await fork(house, first.run, { at: Math.min(two, length - 1) });
        // House.drive replays, which compares the past with that of the other run.
        const state = await house.drive(second.run);
        expect(state.end?.outcome).toBe('answered');
      }),
      { numRuns: 25 },
    );
  });

  it('K4: shares large results, which prune leaves as long as one of the runs is there', async () => {
    await using temporary = await createTemporaryJournal();
    const tools = { 'a.large': { run: () => 'x'.repeat(40_000) }, 'a.read': { run: () => 1 } };
    const house = createHouse(tools, [answer, answer], { ...temporary, clock: systemClock });
    const run = await house.start('go', [
      task('g', 'a.large'),
      task('r', 'a.read', { args: { n: 1 }, after: ['g'] }),
    ]);
    await drive(run, house.parts);
    const forked = await fork(house, run, {
      at: (await house.events(run)).findIndex(({ type }) => type === 'task_succeeded') + 1,
    });
    const state = await drive(forked.run, house.parts);
    const stored = () =>
      readdirSync(join(temporary.directory, 'blobs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.json'),
      );
    const later = { ...house.parts, clock: { now: () => Date.now() + 90 * 86_400_000, at: () => () => {} } };
    await temporary.journal.remove(run, (await house.events(run)).length);
    expect(await pruneRuns({ olderThan: 1e15 }, later)).toMatchObject({ runs: [], blobs: { count: 0 } });
    expect(stored()).toHaveLength(1);
    const result = state.tasks.get('g')?.result;
    expect(result !== undefined && 'blob' in result && (await temporary.blobs.get(result.blob)).length).toBe(
      40_002,
    );
    expect(await pruneRuns({ olderThan: 0 }, later)).toMatchObject({ blobs: { count: 1 } });
    expect(stored()).toEqual([]);
  });
});
