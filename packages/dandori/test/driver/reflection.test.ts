import { describe, expect, it } from 'vitest';
import type { Settings } from '../../src/model/settings.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse } from './house.ts';

const planning = (reflection?: { onError: boolean; interval: number }): Partial<Settings> => ({
  planning: {
    strategy: 'chain_of_thought',
    decomposition: 'moderate',
    revisions: 3,
    ...(reflection && { reflection }),
  },
});

const answer: ScriptedAction = { operation: 'answer', args: { text: 'done', achieved: true } };
const get = (n: number): ScriptedAction => ({ operation: 'a.get', args: { n } });
const TOOLS = { 'a.get': { run: () => 1 } };

describe('reflection', () => {
  it('is requested at an interval of tasks, together with the next decision', async () => {
    const house = createHouse(TOOLS, [
      [get(1)],
      [get(2)],
      (thought) => {
        expect(thought.brief?.reflect).toBe('interval');
        return [
          {
            operation: 'reflect',
            args: { status: 'success', evaluation: 'all well', revision_needed: false },
          },
          get(3),
        ];
      },
      (thought) => {
        expect(thought.brief?.reflect).toBeUndefined();
        return [answer];
      },
    ]);
    const state = await house.run('go', undefined, {
      mode: 'adaptive',
      ...planning({ onError: true, interval: 2 }),
    });
    expect(state.modelCalls).toBe(4);
    expect(state.reflections).toMatchObject([
      { decision: 3, trigger: 'interval', status: 'success', evaluation: 'all well', revisionNeeded: false },
    ]);
  });

  it.each([
    ['is off', undefined],
    ['is off for errors', { onError: false, interval: 100 }],
  ])('is not requested if it %s', async (_, reflection) => {
    const house = createHouse({ 'a.get': { faults: [{ kind: 'fail' as const }] } }, [[get(1)], [answer]]);
    const state = await house.run('go', undefined, planning(reflection));
    expect(house.mind.thoughts[1]?.brief?.reflect).toBeUndefined();
    expect(state.reflections).toEqual([]);
    expect(state.end?.outcome).toBe('answered');
  });

  it('alone does not say what to do next, so the mind is asked again', async () => {
    const alone: ScriptedAction = { operation: 'reflect', args: { status: 'success', evaluation: 'fine' } };
    const house = createHouse(TOOLS, [[alone], [answer]]);
    const state = await house.run('go');
    expect(state.decisions[0]?.failure?.message).toBe("The model didn't say what to do next");
    expect(state.end?.outcome).toBe('answered');
  });

  it('treats nonsense as unknown', async () => {
    const nonsense: ScriptedAction = { operation: 'reflect', args: { status: 'great', evaluation: 7 } };
    const house = createHouse({ 'a.get': { faults: [{ kind: 'fail' as const }] } }, [
      [get(1)],
      [nonsense, answer],
    ]);
    const state = await house.run('go', undefined, planning({ onError: true, interval: 3 }));
    expect(state.reflections).toMatchObject([{ status: 'failure', evaluation: '', revisionNeeded: false }]);
  });
});

describe('success criteria', () => {
  const plan: ScriptedAction = {
    operation: 'plan.propose',
    args: {
      success_criteria: ['it is 1', 'it is small'],
      tasks: [{ id: 'x', operation: 'a.get', args: {} }],
    },
  };
  const judged = (...met: boolean[]): ScriptedAction => ({
    operation: 'answer',
    args: { text: 'it is 1', achieved: true, criteria: met.map((one) => ({ met: one, because: 'seen' })) },
  });

  it('are judged before an answer counts as success', async () => {
    const house = createHouse(TOOLS, [[plan], [judged(true, true)]]);
    expect((await house.run('go')).end?.outcome).toBe('answered');
  });

  it('that are not met make the run fail, with the answer', async () => {
    const house = createHouse(TOOLS, [[plan], [judged(true, false)]]);
    expect((await house.run('go')).end).toMatchObject({
      outcome: 'failed',
      answer: 'it is 1',
      failure: { message: 'Not met: it is small' },
    });
  });

  it('that are forgotten are asked for once', async () => {
    const house = createHouse(TOOLS, [[plan], [answer], [judged(true, true)]]);
    const state = await house.run('go');
    expect(state.decisions[1]?.failure?.message).toMatch(/success criteria/);
    expect(state.end?.outcome).toBe('answered');
  });

  it('that are forgotten again make the run fail, with the answer', async () => {
    const house = createHouse(TOOLS, [[plan], [answer], [judged(true)]]);
    expect((await house.run('go')).end).toMatchObject({ outcome: 'failed', answer: 'it is 1' });
  });

  it('cannot be judged before the results are there', async () => {
    const early = [plan, { operation: 'answer', args: { text: '${x}', criteria: [true, true] } }];
    const house = createHouse(TOOLS, [early, [judged(true, true)]]);
    const state = await house.run('go');
    expect(state.modelCalls).toBe(2);
    expect(state.end?.outcome).toBe('answered');
  });

  it('are not lost by planning again', async () => {
    const again: ScriptedAction = {
      operation: 'plan.propose',
      args: { success_criteria: [], tasks: [{ id: 'y', operation: 'a.get', args: { n: 2 } }] },
    };
    const house = createHouse(TOOLS, [[plan], [again], [answer], [judged(true, true)]]);
    const state = await house.run('go');
    expect(state.decisions[2]?.failure?.message).toMatch(/success criteria/);
    expect(state.end?.outcome).toBe('answered');
  });

  it('are ignored for an answer that says that the goal was not reached', async () => {
    const house = createHouse(TOOLS, [
      [plan],
      [{ operation: 'answer', args: { text: 'no', achieved: false } }],
    ]);
    expect((await house.run('go')).end).toMatchObject({ outcome: 'failed', answer: 'no' });
  });
});
