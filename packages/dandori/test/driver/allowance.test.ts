import { describe, expect, it } from 'vitest';
import { addBudget } from '../../src/commands/steer.ts';
import type { Mind } from '../../src/mind/mind.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse, SETTINGS, task } from './house.ts';

const get = (n: number): ScriptedAction[] => [{ operation: 'a.get', args: { n } }];
const answer = (text: string, achieved = true): ScriptedAction[] => [
  { operation: 'answer', args: { text, achieved } },
];
const TOOLS = { 'a.get': { run: () => 1 } };
const limits = (more: object) => ({ limits: { ...SETTINGS.limits, ...more } });

describe('a run that has used up a limit', () => {
  it('continues when more is added, with its results', async () => {
    const house = createHouse(TOOLS, [get(1), get(2), answer('half', false), get(3), answer('whole')]);
    const run = await house.start('go', undefined, limits({ steps: 2 }));
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'exhausted', answer: 'half' });
    await addBudget({ run, steps: 1 }, house.parts);
    const state = await house.drive(run);
    expect(house.mind.thoughts[3]).toMatchObject({ purpose: 'act', brief: { isContinued: true } });
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'whole' });
    expect(house.toolbox.effects('a.get')).toBe(3);
  });

  it('keeps its answer if the addition does not help', async () => {
    const house = createHouse(TOOLS, [get(1), get(2), answer('half', false)]);
    const run = await house.start('go', undefined, limits({ steps: 2 }));
    await house.drive(run);
    await addBudget({ run, time: 1_000 }, house.parts);
    expect((await house.drive(run)).end).toMatchObject({
      outcome: 'exhausted',
      answer: 'half',
      limit: 'steps',
    });
  });

  it('repeats the reads that the time limit stopped, and asks about the writes', async () => {
    const house = createHouse({
      'a.get': { takes: 6_000, run: () => 5 },
      'b.put': { effect: 'write', takes: 6_000, run: () => null },
      'c.put': { effect: 'write', run: (args) => args },
    });
    const plan = [task('g', 'a.get'), task('p', 'b.put'), task('h', 'c.put', { args: { n: '${g}' } })];
    const run = await house.start('go', plan, limits({ time: 4_000 }));
    const stopped = await house.drive(run);
    expect(stopped.end).toMatchObject({ outcome: 'exhausted', limit: 'time' });
    expect(stopped.end?.missing?.slice(1)).toEqual([
      'g a.get: not run',
      'p b.put: outcome unconfirmed',
      'h c.put: not run',
    ]);
    await addBudget({ run, time: 60_000 }, house.parts);
    const asked = await house.drive(run);
    expect(asked.tasks.get('g')).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 5 });
    expect(asked.questions.get('q1')?.question).toMatchObject({ kind: 'in_doubt', task: 'p' });
    await house.answer(run, 'q1', 'happened');
    expect((await house.drive(run)).tasks.get('p')?.status).toBe('succeeded');
    expect(house.toolbox.calls.filter(({ call }) => call.operation === 'b.put')).toHaveLength(1);
  });

  it('stays ended if it has ended for any other reason', async () => {
    const house = createHouse(TOOLS, [answer('done')]);
    const run = await house.start('go');
    await house.drive(run);
    await expect(addBudget({ run, steps: 1 }, house.parts)).rejects.toMatchObject({ code: 'run-ended' });
  });

  it.each([
    ['cost', { cost: 0.25 }, /\$0\.25.*max_cost/],
    ['tasks', { tasks: 2 }, /2 tasks.*max_subtasks/],
  ])(
    'ends as exhausted if the compiler refused a plan for it (%s) and the mind gives up',
    async (limit, more, missing) => {
      const many = [1, 2, 3].map((n) => ({ operation: 'a.get', args: { n } }));
      const house = createHouse({ 'a.get': { run: () => 1, cost: 0.1 } }, [
        many,
        answer('too much', false),
        many,
        answer('whole'),
      ]);
      const run = await house.start('go', undefined, limits(more));
      const { end } = await house.drive(run);
      expect(end).toMatchObject({ outcome: 'exhausted', limit, answer: 'too much' });
      expect(end?.missing?.[0]).toMatch(missing);
      await addBudget({ run, [limit]: 1 }, house.parts);
      expect((await house.drive(run)).end).toMatchObject({ outcome: 'answered', answer: 'whole' });
    },
  );

  it('reaches the limit of tasks', async () => {
    const house = createHouse(TOOLS, [get(1), get(2), answer('two', false)]);
    const state = await house.run('go', undefined, limits({ tasks: 2 }));
    expect(state.end?.missing?.[0]).toMatch(/2 tasks.*max_subtasks/);
    expect(house.mind.thoughts[2]?.purpose).toBe('conclude');
  });
});

describe('tokens and money', () => {
  const usage = { inputTokens: 90, outputTokens: 10, cost: 0.1 };
  const decided = (actions: ScriptedAction[]) => ({
    kind: 'decided' as const,
    actions: actions.map((action, index) => ({ id: `t${index + 1}`, args: {}, ...action })),
    usage,
  });

  it('that are used up end the run with its results', async () => {
    const house = createHouse(TOOLS, [decided(get(1)), decided(get(2))]);
    const state = await house.run('go', undefined, limits({ tokens: 200 }));
    expect(state.end).toMatchObject({ outcome: 'exhausted', answer: expect.stringContaining('a.get: 1') });
    expect(state.end?.missing?.[0]).toMatch(/200 tokens.*max_tokens/);
  });

  it.each([
    ['tokens', limits({ tokens: 250 })],
    ['cost', limits({ cost: 0.25 })],
  ])('are reserved before a call: %s are never overrun', async (limit, settings) => {
    const house = createHouse(TOOLS, [decided(get(1)), decided(get(2))]);
    const mind: Mind = { ...house.mind, weigh: async () => ({ tokens: 100, cost: 0.1 }) };
    const run = await house.start('go', undefined, settings);
    const state = await house.drive(run, { mind });
    expect(state.modelCalls).toBe(2);
    expect(state.end?.outcome).toBe('exhausted');
    const reached = (await house.events(run)).find(({ type }) => type === 'limit_reached');
    expect(reached?.data).toMatchObject({ limit });
    house.mind.verify();
  });

  it('that were added are used', async () => {
    const house = createHouse(TOOLS, [decided(get(1)), decided(get(2)), decided(answer('done'))]);
    const mind: Mind = { ...house.mind, weigh: async () => ({ tokens: 100 }) };
    const run = await house.start('go', undefined, limits({ tokens: 250 }));
    await house.drive(run, { mind });
    await addBudget({ run, tokens: 100 }, house.parts);
    expect((await house.drive(run, { mind })).end).toMatchObject({ outcome: 'answered', answer: 'done' });
  });
});
