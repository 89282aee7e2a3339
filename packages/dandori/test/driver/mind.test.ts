import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Thinking } from '../../src/mind/mind.ts';
import type { Failure } from '../../src/model/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { foldRun } from '../../src/run/state/apply.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { count, createHouse, DONE, task } from './house.ts';

const broken = (failure: Partial<Failure> = {}): Thinking => ({
  kind: 'failed',
  failure: { kind: 'model_error', message: 'broken', ...failure },
  usage: { inputTokens: 5, outputTokens: 1 },
});

describe('a mind that fails', () => {
  it('is called again after a delay if it is busy, and later if the server says so', async () => {
    const times: number[] = [];
    const house = createHouse({}, [
      broken({ retryable: true }),
      () => {
        times.push(house.clock.now());
        return broken({ retryable: true, retryAfter: 5_000 });
      },
      () => {
        times.push(house.clock.now());
        return [{ operation: 'answer', args: { text: 'at last' } }];
      },
    ]);
    const state = await house.run('go');
    expect(times).toEqual([1_000_100, 1_005_100]);
    expect(state.end?.answer).toBe('at last');
    expect(state.modelCalls).toBe(3);
    expect(state.usage).toEqual({ inputTokens: 10, outputTokens: 2 });
  });

  it('is called again at once if its output was broken, for a limited number of times', async () => {
    const house = createHouse({}, [broken(), broken(), broken({ message: 'the third time' })]);
    const state = await house.run('go');
    expect(house.clock.now()).toBe(1_000_000);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'model_error', message: 'the third time' },
    });
    house.mind.verify();
  });

  it('keeps the earlier results', async () => {
    const house = createHouse({ 'a.get': { run: () => 5 } }, [
      [{ operation: 'a.get' }],
      broken(),
      broken(),
      broken(),
    ]);
    expect((await house.run('go')).end).toMatchObject({
      outcome: 'failed',
      answer: 'No final answer was written. The results so far, as the tools returned them:\n- a.get: 5',
    });
  });

  it.each([
    ['an error', new Error('bug'), 'bug'],
    ['an object without a text', Object.create(null), 'unknown error'],
    ['an error whose message is no text', Object.assign(new Error(), { message: 5 }), '5'],
  ])('that throws %s against its contract fails like any other', async (_, thrown, reason) => {
    const house = createHouse({}, [
      () => {
        throw thrown;
      },
      [{ operation: 'answer', args: { text: 'ok' } }],
    ]);
    const state = await house.run('go');
    expect(state.decisions[0]?.failure).toMatchObject({
      message: `The model call broke: ${reason}`,
      code: 'mind_broke',
    });
    expect(state.end?.outcome).toBe('answered');
  });

  it('that returns no valid action has failed, and nothing hangs', async () => {
    const odd = { kind: 'decided', actions: [{ operation: 'a.get', args: {} }] } as unknown as Thinking;
    const house = createHouse({ 'a.get': {} }, [odd, odd, odd]);
    const state = await house.run('go');
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'model_error' } });
    expect(state.end?.failure?.message).toMatch(/something invalid: actions\[0\]\.id/);
    expect(house.toolbox.calls).toEqual([]);
  });

  const act = { kind: 'decided', actions: [{ id: 'a', operation: 'answer', args: { text: 'x' } }] };
  it.each([
    ['a cost that is no number', { ...act, usage: { inputTokens: 1, outputTokens: 1, cost: Number.NaN } }],
    ['a usage without tokens', { ...act, usage: {} }],
    ['reasoning that is no text', { ...act, reasoning: 5 }],
    ['a wait that is no number', broken({ retryable: true, retryAfter: Number.NaN })],
    ['a failure of an unknown kind', { kind: 'failed', failure: { kind: 'odd', message: 'x' } }],
    ['no failure', { kind: 'failed' }],
  ])('that returns %s has failed, and its journal can be read', async (_, said) => {
    await using temporary = await createTemporaryJournal();
    const { journal, blobs } = temporary;
    const house = createHouse({}, [said as Thinking, ...DONE], { journal, blobs, clock: systemClock });
    const run = await house.start('go');
    await drive(run, house.parts);
    const { decisions, end } = foldRun(run, await house.events(run));
    expect(decisions[0]?.failure?.code).toBe('mind_broke_contract');
    expect(end?.outcome).toBe('answered');
  });

  it('that decides on nothing has failed', async () => {
    const house = createHouse({}, [[], [], []]);
    expect((await house.run('go')).end).toMatchObject({
      outcome: 'failed',
      failure: { message: 'The model returned no action' },
    });
  });

  it.each([
    ['calls more tools', [{ operation: 'a.get' }]],
    ['asks back', [{ operation: 'ask', args: { question: '?' } }]],
  ])('that %s instead of an answer has failed, and is not called forever', async (_, said) => {
    const house = createHouse({ 'a.get': {} }, [said, said, said]);
    const state = await house.run('go', [task('g', 'a.get')]);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { message: 'The model was asked for the final answer and gave none' },
    });
    expect(house.toolbox.calls).toHaveLength(1);
    expect(state.questions.size).toBe(0);
  });
});

describe('a plan of the mind', () => {
  it('that is wrong goes back to it with the problems', async () => {
    const house = createHouse({ 'a.get': { run: () => 7 } }, [
      [{ operation: 'a.getxy' }],
      ({ state }) => {
        expect(state.decisions.at(-1)?.diagnostics).toMatchObject([
          { code: 'unknown-operation', hint: 'did you mean "a.get"?' },
        ]);
        return [{ operation: 'a.get' }, { operation: 'answer', args: { text: 'It is ${t1}.' } }];
      },
    ]);
    const state = await house.run('go');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'It is 7.' });
    house.mind.verify();
  });

  it('that is wrong can be corrected by sending only the changes', async () => {
    const house = createHouse({ 'a.get': { run: ({ n }) => n ?? 7 } }, [
      [
        { operation: 'a.get', args: { n: 1 } },
        { operation: 'a.fetch', args: { n: 2 } },
        { operation: 'a.drop' },
      ],
      [
        {
          operation: 'plan.revise',
          args: {
            replace: [{ id: 't2', operation: 'a.get', args: { n: 20 } }],
            remove: ['t3'],
            add: [{ id: 't4', operation: 'a.get', args: { n: '${t2}' } }],
          },
        },
        { operation: 'answer', args: { text: '${t1} ${t2} ${t4}' } },
      ],
    ]);
    const state = await house.run('go');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: '1 20 20' });
    house.mind.verify();
  });

  it('that gets two corrections at once takes both', async () => {
    const house = createHouse({ 'a.get': { run: ({ n }) => n ?? 7 } }, [
      [{ operation: 'a.fetch' }, { operation: 'a.drop' }],
      [
        {
          operation: 'plan.revise',
          args: { replace: [{ id: 't1', operation: 'a.get', args: { n: 1 } }], reason: 'one' },
        },
        { operation: 'plan.revise', args: { remove: ['t2'], reason: 'two' } },
        { operation: 'answer', args: { text: '${t1}' } },
      ],
    ]);
    expect((await house.run('go')).end).toMatchObject({ outcome: 'answered', answer: '1' });
    house.mind.verify();
  });

  it('that is corrected keeps what its other tasks refer to, whatever the new ones are called', async () => {
    const house = createHouse({ 'a.get': { run: ({ n }) => n ?? 7 } }, [
      [{ operation: 'a.get' }],
      [
        { id: 't2', operation: 'a.fetch' },
        { id: 't3', operation: 'a.get', args: { n: '${t1}' } },
      ],
      [
        {
          operation: 'plan.revise',
          args: { remove: ['t2'], add: [{ id: 't1', operation: 'a.get', args: { n: 99 } }] },
        },
        { operation: 'answer', args: { text: '${t3} ${t1}' } },
      ],
    ]);
    expect((await house.run('go')).end).toMatchObject({ outcome: 'answered', answer: '7 99' });
    house.mind.verify();
  });

  it.each<[string, JsonObject, RegExp]>([
    ['nothing that was refused', { replace: [{ id: 't9', operation: 'a.get', args: {} }] }, /no task "t9"/],
    ['no actions', { add: [{ operation: 'a.get' }] }, /add\[0\] is no action/],
    ['no list', { remove: 't1' }, /"remove" is a list/],
    ['nothing that is left', { remove: ['t1'] }, /empty-plan/],
    [
      'one task twice',
      { remove: ['t1'], replace: [{ id: 't1', operation: 'a.get', args: {} }] },
      /two things about "t1"/,
    ],
  ])('a correction that names %s is told so, and the run goes on', async (_, args, message) => {
    const house = createHouse({ 'a.get': { run: () => 7 } }, [
      [{ operation: 'a.fetch' }],
      [{ operation: 'plan.revise', args }],
      ({ state }) => {
        expect(state.decisions.at(-1)?.failure?.message).toMatch(message);
        return [
          { operation: 'plan.revise', args: { replace: [{ id: 't1', operation: 'a.get', args: {} }] } },
        ];
      },
      [{ operation: 'answer', args: { text: 'done' } }],
    ]);
    expect((await house.run('go')).end).toMatchObject({ outcome: 'answered' });
  });

  it('with one certain mistake is corrected without asking again, and the journal says so', async () => {
    const house = createHouse({ 'a.get': { run: () => 7 } }, [
      [{ operation: 'a.gett' }, { operation: 'answer', args: { text: 'It is ${t1}.' } }],
    ]);
    const state = await house.run('go');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'It is 7.' });
    const events = await house.parts.journal.read(state.run);
    expect(events.find(({ type }) => type === 'plan_approved')?.data).toMatchObject({
      notes: ['t1: a.gett is taken for a.get'],
    });
    house.mind.verify();
  });

  it('that stays wrong ends the run after a few tries, with the reasons', async () => {
    const wrong = [{ operation: 'nope' }];
    const house = createHouse({ 'a.get': {} }, [wrong, wrong, wrong]);
    const state = await house.run('go');
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: {
        kind: 'plan_error',
        message: 'No valid plan after 3 attempts. t1: there is no tool "nope"',
      },
    });
    house.mind.verify();
  });

  it('wrong plans and broken answers count together', async () => {
    const house = createHouse({ 'a.get': {} }, [[{ operation: 'nope' }], broken(), [{ operation: 'nope' }]]);
    expect((await house.run('go')).end?.outcome).toBe('failed');
    house.mind.verify();
  });

  it('a good plan in between resets the count', async () => {
    const wrong = [{ operation: 'nope' }];
    const right = [{ operation: 'a.get' }];
    const house = createHouse({ 'a.get': {} }, [wrong, wrong, right, wrong, wrong, right, ...DONE]);
    expect((await house.run('go')).end?.outcome).toBe('answered');
  });

  it('may count its tasks from t1 at every turn', async () => {
    const house = createHouse({ 'a.add': { run: ({ n }) => Number(n) + 1 } }, [
      [{ id: 't1', operation: 'a.add', args: { n: 1 } }],
      [
        { id: 't1', operation: 'a.add', args: { n: '${t1}' } },
        { id: 't2', operation: 'a.add', args: { n: '${t1}' } },
      ],
      [{ operation: 'answer', args: { text: '${t1_2} ${t2}' } }],
    ]);
    expect((await house.run('go')).end?.answer).toBe('3 4');
  });

  it('in adaptive mode goes back if it has placeholders', async () => {
    const house = createHouse({ 'a.get': {} }, [
      [{ operation: 'a.get', args: { city: '{{city}}' } }],
      ({ state }) => {
        expect(state.decisions.at(-1)?.diagnostics).toMatchObject([
          { code: 'placeholder', path: ['args', 'city'] },
        ]);
        return [{ operation: 'answer', args: { text: 'no' } }];
      },
    ]);
    await house.run('go', undefined, { mode: 'adaptive' });
    house.mind.verify();
  });

  it('may not have more tasks than the run has left', async () => {
    const tasks = Array.from({ length: 4 }, () => ({ operation: 'a.get' }));
    const house = createHouse({ 'a.get': {} }, [tasks, tasks.slice(0, 2), tasks.slice(0, 2), ...DONE]);
    const state = await house.run('go', undefined, {
      limits: { steps: 10, calls: 30, tasks: 3, time: 600_000 },
    });
    expect(state.decisions.map(({ diagnostics }) => diagnostics?.[0]?.code)).toEqual([
      'too-many-tasks',
      undefined,
      'too-many-tasks',
      undefined,
    ]);
  });
});

describe('limits', () => {
  const act = [{ operation: 'a.get' }];

  it('after the last step the mind answers with what it found, and the run is exhausted', async () => {
    const house = createHouse({ 'a.get': {} }, [
      act,
      act,
      [{ operation: 'answer', args: { text: 'so far' } }],
    ]);
    const state = await house.run('go', undefined, {
      limits: { steps: 2, calls: 30, tasks: 100, time: 600_000 },
    });
    expect(house.mind.thoughts.map(({ purpose }) => purpose)).toEqual(['act', 'act', 'conclude']);
    expect(state.end).toMatchObject({
      outcome: 'exhausted',
      answer: 'so far',
      missing: ['Limit reached: 2 steps (execution.max_steps)'],
    });
  });

  it('with the last model call too', async () => {
    const house = createHouse({ 'a.get': {} }, [
      act,
      act,
      [{ operation: 'answer', args: { text: 'so far' } }],
    ]);
    const state = await house.run('go', undefined, {
      limits: { steps: 30, calls: 3, tasks: 100, time: 600_000 },
    });
    expect(state.end).toMatchObject({ outcome: 'exhausted', answer: 'so far' });
    house.mind.verify();
  });

  it('a mind that never answers ends within its limits', async () => {
    const house = createHouse(
      { 'a.get': {} },
      Array.from({ length: 40 }, (_, index) => [{ operation: 'a.get', args: { page: index } }]),
    );
    const state = await house.run('go');
    expect(state.end?.outcome).toBe('exhausted');
    // Ten steps, and three times the closing answer.
    expect(state.modelCalls).toBe(13);
  });
});

describe('an answer whose Refs cannot be filled', () => {
  const tools = {
    'a.get': { run: () => ({ n: 5, none: null }) },
    'a.bad': { faults: [{ kind: 'fail' as const }] },
  };

  it.each([
    ['to a task that failed', 'It is ${b}.'],
    ['to a field that is not there', 'It is ${g.nobody}.'],
    ['to nothing, in a text', 'It is ${g.none}.'],
    ['broken', 'It is ${g.'],
  ])('%s: the user sees the existing results, and no raw Ref', async (_, text) => {
    const house = createHouse(tools, [[{ operation: 'answer', args: { text } }]]);
    const state = await house.run('go', [task('g', 'a.get'), task('b', 'a.bad')]);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      answer:
        'No final answer was written. The results so far, as the tools returned them:\n- a.get: {"n":5,"none":null}',
    });
  });

  it('without a result the user sees why it failed, and no raw Ref', async () => {
    const house = createHouse(tools, [[{ operation: 'answer', args: { text: '${b.x}' } }]]);
    const { end } = await house.run('go', [task('b', 'a.bad')]);
    expect(end?.failure?.message).toBe('it failed');
    expect(end?.answer).toBeUndefined();
  });
});

describe('a given plan', () => {
  it('is not replaced: only the answer is asked for', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const state = await house.run('go', [task('g', 'a.get')]);
    expect(house.mind.thoughts.map(({ purpose }) => purpose)).toEqual(['answer']);
    expect(state.end?.outcome).toBe('answered');
  });

  it('that is wrong ends at once and says why, without a model call', async () => {
    const house = createHouse({ 'a.get': {} });
    const state = await house.run('go', [task('g', 'a.gte'), task('h', 'a.get', { after: ['h'] })]);
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: {
        kind: 'plan_error',
        message: 'The plan has problems. g: there is no tool "a.gte"; h: "h" waits for itself',
      },
    });
    expect(state.modelCalls).toBe(0);
    expect(count(await house.events(state.run), 'task_started')).toBe(0);
  });
});
