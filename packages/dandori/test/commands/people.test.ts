import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { count, createHouse, DONE, task } from '../driver/house.ts';

describe('approval', () => {
  it('a destructive call is made only after a yes, and other branches do not wait for it', async () => {
    const house = createHouse({ 'a.drop': { effect: 'destructive' }, 'b.get': {} }, DONE);
    const run = await house.start('go', [task('d', 'a.drop', { args: { table: 'x' } }), task('g', 'b.get')], {
      approval: 'destructive',
    });
    const waiting = await house.drive(run);
    expect(house.toolbox.calls.map(({ call }) => call.operation)).toEqual(['b.get']);
    expect([...waiting.questions.values()][0]?.question).toMatchObject({
      kind: 'approval',
      text: 'Approve a.drop? (destructive)',
      context: {
        operation: 'a.drop',
        args: { table: 'x' },
        plan: { calls: 2, reads: 1, writes: 1, irreversible: ['d'], worstMs: 180_300, cost: 0 },
      },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await house.answer(run, 'q1', 'approve');
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.effects('a.drop')).toBe(1);
  });

  it('one that cannot be made is refused when there is room, without a question: a full lane stays full', async () => {
    const house = createHouse(
      { 'a.get': { run: () => ({}) }, 'b.get': { takes: 50 }, 'c.drop': { effect: 'destructive' } },
      DONE,
    );
    const tasks = [
      task('g', 'a.get'),
      task('long', 'b.get', { after: ['g'] }),
      task('d', 'c.drop', { args: { from: '${g.nothing}' } }),
    ];
    const state = await house.run('go', tasks, { approval: 'destructive', concurrency: 1 });
    expect(state.tasks.get('d')?.failure?.kind).toBe('invalid_args');
    expect(state.questions.size).toBe(0);
  });

  it('a rejected call is not made', async () => {
    const house = createHouse({ 'a.drop': { effect: 'destructive' }, 'b.get': {} }, DONE);
    const run = await house.start('go', [task('d', 'a.drop'), task('g', 'b.get', { after: ['d'] })], {
      approval: 'destructive',
    });
    await house.drive(run);
    await house.answer(run, 'q1', 'reject');
    const state = await house.drive(run);
    expect(house.toolbox.calls).toHaveLength(0);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'rejected' },
      missing: ['d a.drop: failed', 'g b.get: blocked'],
    });
  });

  it('shows the arguments as they will be sent', async () => {
    const house = createHouse(
      { 'a.find': { run: () => ({ id: 42 }) }, 'a.drop': { effect: 'destructive' } },
      DONE,
    );
    const run = await house.start(
      'go',
      [task('f', 'a.find'), task('d', 'a.drop', { args: { id: '${f.id}' } })],
      { approval: 'destructive' },
    );
    const state = await house.drive(run);
    expect([...state.questions.values()][0]?.question.context).toMatchObject({ args: { id: 42 } });
  });

  it('covers exactly that call: other arguments need another approval', async () => {
    const which: CallOutcome = {
      kind: 'ambiguous',
      question: 'Which?',
      options: [
        { label: 'a', value: 'a', args: { id: 1 } },
        { label: 'b', value: 'b', args: { id: 2 } },
      ],
    };
    const house = createHouse(
      { 'a.drop': { effect: 'destructive', run: ({ id }) => (id === 'milk' ? which : 'dropped') } },
      DONE,
    );
    const run = await house.start('go', [task('d', 'a.drop', { args: { id: 'milk' } })], {
      approval: 'destructive',
    });
    await house.drive(run);
    await house.answer(run, 'q1', 'approve');
    await house.drive(run);
    await house.answer(run, 'q2', 'b');
    const asked = await house.drive(run);
    expect(asked.questions.get('q3')?.question).toMatchObject({
      kind: 'approval',
      context: { args: { id: 2 } },
    });
    expect(house.toolbox.calls).toHaveLength(1);
    await house.answer(run, 'q3', 'approve');
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([{ id: 'milk' }, { id: 2 }]);
  });

  it('the user is not asked about a call that cannot be made', async () => {
    const house = createHouse({ 'a.find': { run: () => ({}) }, 'a.drop': { effect: 'destructive' } }, DONE);
    const state = await house.run(
      'go',
      [task('f', 'a.find'), task('d', 'a.drop', { args: { id: '${f.id}' } })],
      { approval: 'destructive' },
    );
    expect(state.questions.size).toBe(0);
    expect(state.tasks.get('d')?.failure?.kind).toBe('invalid_args');
  });
});

describe('ambiguity', () => {
  const which: CallOutcome = {
    kind: 'ambiguous',
    question: 'Which milk?',
    options: [
      { label: 'whole', value: 1, args: { item: 'm1' } },
      { label: 'skimmed', value: 2, args: { item: 'm2' } },
    ],
  };

  it('asks, changes the arguments by the choice and continues; other branches run meanwhile', async () => {
    const house = createHouse(
      {
        'shop.take': {
          effect: 'write',
          run: ({ item, count: wanted }) => (item === 'milk' ? which : ({ item, wanted } as JsonObject)),
        },
        'other.get': { takes: 1_000 },
      },
      DONE,
    );
    const run = await house.start('go', [
      task('m', 'shop.take', { args: { item: 'milk', count: 3 } }),
      task('o', 'other.get'),
    ]);
    const driving = drive(run, house.parts);
    await house.clock.advance(100);
    await house.answer(run, 'q1', 2);
    await house.clock.advance(100);
    // Taken up while the other branch is still at work.
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([
      {},
      { item: 'milk', count: 3 },
      { item: 'm2', count: 3 },
    ]);
    const state = await house.clock.runUntil(driving);
    expect(state.tasks.get('m')?.result).toEqual({ value: { item: 'm2', wanted: 3 } });
    expect(count(await house.events(run), 'run_resumed')).toBe(0);
  });

  it('an answer that is none of the options is refused and changes nothing', async () => {
    const house = createHouse({ 'shop.take': { run: ({ item }) => (item === 'milk' ? which : 'ok') } }, DONE);
    const run = await house.start('go', [task('m', 'shop.take', { args: { item: 'milk' } })]);
    await house.drive(run);
    await expect(house.answer(run, 'q1', 3)).rejects.toMatchObject({
      code: 'answer-invalid',
      fix: 'Answer one of: 1, 2.',
    });
    await expect(house.answer(run, 'q9', 1)).rejects.toMatchObject({
      code: 'question-not-found',
      fix: 'Open questions: q1.',
    });
    await house.answer(run, 'q1', 1);
    await expect(house.answer(run, 'q1', 2)).rejects.toMatchObject({ code: 'question-answered' });
    expect((await house.drive(run)).end?.outcome).toBe('answered');
  });
});

describe('a question of the mind', () => {
  it('stops the run until it is answered, and the mind then sees the answer', async () => {
    const house = createHouse({}, [
      [{ operation: 'ask', args: { question: 'Which colour?' } }],
      ({ state }) => [
        { operation: 'answer', args: { text: `It is ${state.questions.get('q1')?.answer?.value}.` } },
      ],
    ]);
    const run = await house.start('paint');
    expect((await house.drive(run)).questions.get('q1')?.question).toMatchObject({
      kind: 'missing_input',
      text: 'Which colour?',
    });
    await house.answer(run, 'q1', 'blue');
    expect((await house.drive(run)).end?.answer).toBe('It is blue.');
    house.mind.verify();
  });

  it('an answer in the same decision as the question does not end the run', async () => {
    const house = createHouse({}, [
      [
        { operation: 'ask', args: { question: 'Which colour?' } },
        { operation: 'answer', args: { text: 'red' } },
      ],
      [{ operation: 'answer', args: { text: 'blue' } }],
    ]);
    const run = await house.start('paint');
    await house.drive(run);
    await house.answer(run, 'q1', 'blue');
    expect((await house.drive(run)).end?.answer).toBe('blue');
  });
});

describe('several answers at once', () => {
  it('L6: exactly one wins, the others get an error', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')], { approval: 'writes' });
    await house.drive(run);
    const answers = Array.from({ length: 10 }, (_, index) =>
      answerQuestion(
        { run, question: 'q1', answer: index % 2 === 0 ? 'approve' : 'reject', by: `u${index}` },
        house.parts,
      ),
    );
    const settled = await Promise.allSettled(answers);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of settled)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'question-answered' });
    await house.drive(run);
    expect(count(await house.events(run), 'question_answered')).toBe(1);
  });
});
