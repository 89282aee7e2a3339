import { describe, expect, it } from 'vitest';
import { addBudget } from '../../src/engine/inbox.ts';
import type { Mind } from '../../src/ports/mind.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse, SETTINGS } from './house.ts';

const get = (n: number): ScriptedAction[] => [{ operation: 'a.get', args: { n } }];
const answer = (text: string, achieved = true): ScriptedAction[] => [
  { operation: 'answer', args: { text, achieved } },
];
const TOOLS = { 'a.get': { run: () => 1 } };
const limits = (more: object) => ({ limits: { ...SETTINGS.limits, ...more } });

describe('a run that has used up a limit', () => {
  it('goes on when more is added, with what it has', async () => {
    const house = createHouse(TOOLS, [get(1), get(2), answer('half', false), get(3), answer('whole')]);
    const run = await house.start('go', undefined, limits({ steps: 2 }));
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'exhausted', answer: 'half' });
    await addBudget({ run, steps: 1 }, house.parts);
    const state = await house.drive(run);
    expect(house.mind.thoughts[3]).toMatchObject({ purpose: 'act', brief: { isContinued: true } });
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'whole' });
    expect(house.toolbox.effects('a.get')).toBe(3);
  });

  it('stays ended where it has ended in any other way', async () => {
    const house = createHouse(TOOLS, [answer('done')]);
    const run = await house.start('go');
    await house.drive(run);
    await expect(addBudget({ run, steps: 1 }, house.parts)).rejects.toMatchObject({ code: 'run-ended' });
  });

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

  it('that are used up end the run with what it has', async () => {
    const house = createHouse(TOOLS, [decided(get(1)), decided(get(2))]);
    const state = await house.run('go', undefined, limits({ tokens: 200 }));
    expect(state.end).toMatchObject({ outcome: 'exhausted', answer: expect.stringContaining('a.get: 1') });
    expect(state.end?.missing?.[0]).toMatch(/200 tokens.*max_tokens/);
  });

  it.each([
    ['tokens', limits({ tokens: 250 })],
    ['cost', limits({ cost: 0.25 })],
  ])('are set aside before a call: %s are never overrun', async (limit, settings) => {
    const house = createHouse(TOOLS, [decided(get(1)), decided(get(2))]);
    const mind: Mind = { ...house.mind, weigh: async () => ({ tokens: 100, cost: 0.1 }) };
    const run = await house.start('go', undefined, settings);
    const state = await house.drive(run, { mind });
    expect(state.calls).toBe(2);
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
