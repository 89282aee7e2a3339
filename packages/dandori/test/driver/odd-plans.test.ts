import { describe, expect, it } from 'vitest';
import { addBudget } from '../../src/commands/steer.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { planView } from '../../src/views/plan.ts';
import { report } from '../../src/views/report.ts';
import { createHouse } from './house.ts';

const SETTINGS: Partial<Settings> = {
  mode: 'hierarchical',
  planning: { strategy: 'chain_of_thought', decomposition: 'moderate', revisions: 3 },
};

const TOOLS: Record<string, FunctionTool> = {
  'a.get': { takes: 5, run: () => ({ n: 1 }) },
  'b.get': { takes: 1, run: () => ({ n: 2 }) },
  'c.fail': { run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'no' } }) },
};

const answer: ScriptedAction = { operation: 'answer', args: { text: 'done' } };
const propose = (...steps: JsonObject[]): ScriptedAction => ({
  operation: 'plan.propose',
  args: { steps: steps.map((step) => ({ description: 'x', ...step })) },
});
const revise = (args: JsonObject): ScriptedAction => ({ operation: 'plan.revise', args });
const update = (step: string, status = 'completed', note = 'known'): ScriptedAction => ({
  operation: 'plan.update_step',
  args: { step, status, note },
});
const open = (id: string, more: Partial<ScriptedAction> = {}): ScriptedAction => ({
  id,
  operation: 'task.generate_list',
  ...more,
});

describe('tasks and their steps', () => {
  it('a task that waits for its own step is refused, also where the step was planned before', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [{ id: 'x', operation: 'a.get', after: ['s1'] }],
      [{ id: 'x', operation: 'a.get' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions[1]?.diagnostics).toMatchObject([{ code: 'cycle' }]);
    expect(state.end?.outcome).toBe('answered');
  });

  it('and so is one that waits for a step around its step', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [open('inner')],
      [{ id: 'x', operation: 'a.get', after: ['s1'] }],
      [{ id: 'x', operation: 'a.get' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions[2]?.diagnostics?.[0]?.code).toBe('cycle');
    expect(planView(state)?.steps.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('a task of a step that has failed opens the steps around it, too, and must not wait for them', async () => {
    const house = createHouse(TOOLS, [
      [open('outer'), { id: 'bad', operation: 'c.fail' }, open('inner', { after: ['bad'], step: 'outer' })],
      [{ id: 'x', operation: 'a.get', after: ['outer'], step: 'inner' }],
      [{ id: 'x', operation: 'a.get', step: 'inner' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions[1]?.diagnostics?.[0]?.code).toBe('cycle');
    expect(planView(state)?.steps.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(state.end?.outcome).toBe('answered');
  });

  const NESTED = [
    open('outer'),
    open('inner', { step: 'outer' }),
    { id: 'bad', operation: 'c.fail', step: 'inner' },
    open('late', { step: 'inner' }),
  ];

  it('a step that fails because nothing of it is left ends the step around it, too', async () => {
    const house = createHouse(TOOLS, [NESTED, [revise({ remove: ['late'] })], [answer]]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)?.steps.map(({ status }) => status)).toEqual(['failed', 'failed']);
    house.mind.verify();
  });

  it('what stands for a task of a step belongs to it, too', async () => {
    const house = createHouse(TOOLS, [
      NESTED,
      [revise({ remove: ['bad'], replace: [{ id: 'late', operation: 'a.get', args: {} }] })],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)?.steps).toMatchObject([
      { id: 'outer', status: 'completed' },
      { id: 'inner', status: 'completed', tasks: ['bad', 'late'] },
    ]);
  });

  it('tasks that come too early for their step wait for what it waits for', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }, { id: 's2', after: ['s1'] })],
      [
        { id: 'y', operation: 'b.get', step: 's2' },
        { id: 'x', operation: 'a.get', step: 's1' },
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(house.toolbox.calls.map(({ call }) => call.task)).toEqual(['x', 'y']);
    expect(planView(state)?.steps).toMatchObject([{ tasks: ['x'] }, { tasks: ['y'] }]);
    house.mind.verify();
  });

  it('a task may be written before its step', async () => {
    const house = createHouse(TOOLS, [[{ id: 'x', operation: 'a.get', step: 's1' }, open('s1')], [answer]]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)?.steps).toMatchObject([{ id: 's1', status: 'completed', tasks: ['x'] }]);
    house.mind.verify();
  });

  it('a call with the name of its step leaves the others in the step', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [
        { id: 's1', operation: 'a.get', step: 's1' },
        { id: 'y', operation: 'b.get', step: 's1' },
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)?.steps).toMatchObject([{ status: 'completed', tasks: ['s1_2', 'y'] }]);
  });

  it('a step is replaced by a call, and its name is no step any more', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [revise({ replace: [{ id: 's1', operation: 'a.get', args: {} }] })],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)).toMatchObject({ status: 'completed', steps: [], tasks: ['s1'] });
  });

  it('a step that is in itself, or in one that is in it, is refused', async () => {
    const mutual = [open('s1', { step: 's2' }), open('s2', { step: 's1' })];
    const house = createHouse(TOOLS, [[open('s1', { step: 's1' })], mutual, [answer]]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions.map(({ diagnostics }) => diagnostics?.[0]?.code)).toEqual([
      'cycle',
      'cycle',
      undefined,
    ]);
  });

  it('a step of which every task is blocked from the start has failed, and is not asked for', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [update('s1', 'failed')],
      [{ id: 'x', operation: 'a.get', step: 's2', after: ['s1'] }, open('s2')],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.tasks.get('s2')?.status).toBe('failed');
    expect(house.mind.thoughts.at(-1)?.purpose).toBe('act');
  });
});

describe('a step that is ended by a word', () => {
  it('ends with its tasks where it gets tasks in the same turn', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }, { id: 's2', after: ['s1'] })],
      [{ id: 'x', operation: 'a.get' }, update('s1')],
      [{ id: 'y', operation: 'b.get', args: { n: '${s1.n}' } }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 1 });
    expect(planView(state)?.steps).toMatchObject([{ tasks: ['x'] }, { tasks: ['y'] }]);
  });

  it('keeps its result where the plan is changed in the same turn', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }, { id: 's2', after: ['s1'] })],
      [update('s1'), revise({ replace: [{ id: 's2', operation: 'b.get', args: { n: '${s1}' } }] })],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.tasks.get('s1')).toMatchObject({ status: 'succeeded', result: { value: 'known' } });
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([{ n: 'known' }]);
    house.mind.verify();
  });

  it('keeps it where it ends between a change that was refused and its correction', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }, { id: 's2', after: ['s1'] })],
      [revise({ add: [{ id: 'z', operation: 'no.tool', args: {} }] })],
      [update('s1')],
      [revise({ remove: ['z'] })],
      [{ id: 'y', operation: 'b.get' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.tasks.get('s1')?.result).toEqual({ value: 'known' });
    expect(state.end?.outcome).toBe('answered');
  });

  it.each([
    ['that is not there', update('nobody'), /no step "nobody"/],
    ['with a status that is none', update('s1', 'nearly'), /"completed" or "failed"/],
    ['that is a task', update('x'), /no step "x"/],
  ])('says so of one %s, and asks again', async (_, odd, message) => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }), { id: 'x', operation: 'a.get' }],
      [odd],
      [update('s1')],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions[1]?.failure).toMatchObject({ kind: 'unusable_output' });
    expect(state.decisions[1]?.failure?.message).toMatch(message);
    expect(state.end?.outcome).toBe('answered');
  });

  it('costs no more than the repairs where a mind ends the same one for ever', async () => {
    const again = Array.from({ length: 5 }, () => [update('s1')]);
    const house = createHouse(TOOLS, [[propose({ id: 's1' })], ...again]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'unusable_output' } });
    expect(state.end?.failure?.message).toMatch(/s1 has ended \(succeeded\)/);
    expect(state.modelCalls).toBe(5);
  });
});

describe('a plan that is taken apart', () => {
  it('a step goes with all that is in it, however deep', async () => {
    const house = createHouse(TOOLS, [
      [
        open('s0'),
        open('s1', { after: ['s0'] }),
        open('inner', { step: 's1' }),
        { id: 'x', operation: 'b.get', step: 'inner' },
      ],
      [revise({ remove: ['s1'], add: [{ id: 'y', operation: 'a.get', args: {}, step: 's0' }] })],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect([...state.tasks.keys()]).toEqual(['s0', 'y']);
    expect(planView(state)?.status).toBe('completed');
    house.mind.verify();
  });

  it('a step that loses the last of its tasks is asked for again', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' })],
      [open('inner')],
      [revise({ remove: ['inner'] })],
      (thought) => {
        expect(thought.brief?.steps).toEqual(['s1']);
        return [{ id: 'x', operation: 'a.get' }];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)).toMatchObject({ status: 'completed', steps: [{ id: 's1', tasks: ['x'] }] });
    house.mind.verify();
  });

  it('a step that loses what it still waits for is done with what it has', async () => {
    const house = createHouse(TOOLS, [
      [propose({ id: 's1' }, { id: 's2', after: ['s1'] })],
      [{ id: 'x', operation: 'a.get' }, open('inner')],
      [revise({ remove: ['inner'] })],
      [{ id: 'y', operation: 'b.get', args: { n: '${s1.n}' } }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 1 });
    expect(planView(state)?.status).toBe('completed');
  });

  it('what failed in a step that is replaced is no matter any more', async () => {
    const house = createHouse(TOOLS, [
      [
        propose(
          { id: 's1', tasks: [{ id: 'x', operation: 'c.fail', args: {} }] },
          { id: 's2', after: ['s1'] },
        ),
      ],
      [revise({ replace: [{ id: 's1', operation: 'a.get', args: {} }] })],
      [{ id: 'y', operation: 'b.get', args: { n: '${s1_2.n}' } }],
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)).toMatchObject({ status: 'completed', steps: [{ id: 's2' }], tasks: ['s1_2'] });
    expect(report(state).tasks.x).toMatchObject({ status: 'failed' });
  });

  it('a step that could not begin waits again for tasks that are repeated', async () => {
    const house = createHouse(TOOLS, [
      [
        propose(
          { id: 's1', tasks: [{ id: 'x', operation: 'c.fail', args: {} }] },
          { id: 's2', after: ['s1'], tasks: [{ id: 'y', operation: 'b.get', args: {} }] },
        ),
      ],
      [revise({ replace: [{ id: 'x', operation: 'a.get', args: {} }], remove: ['y'] })],
      (thought) => {
        expect(thought.brief?.steps).toEqual(['s2']);
        return [{ id: 'z', operation: 'b.get', args: { n: '${s1.n}' } }];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)).toMatchObject({ status: 'completed', steps: [{ id: 's1' }, { id: 's2' }] });
  });

  it.each([
    ['two plans at once', [propose({ id: 's1' }), propose({ id: 's2' })], /two plans/],
    ['a plan and a change', [propose({ id: 's3' }), revise({ remove: ['s1'] })], /one of the two/],
    [
      'two changes of one task',
      [revise({ remove: ['s1'], replace: [{ id: 's1', operation: 'a.get', args: {} }] })],
      /two things about "s1"/,
    ],
  ])('%s: the mind is told, and nothing is lost in silence', async (_, actions, message) => {
    const house = createHouse(TOOLS, [[propose({ id: 's1' })], actions, [update('s1')], [answer]]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(state.decisions[1]?.failure?.message).toMatch(message);
    expect(state.end?.outcome).toBe('answered');
  });
});

describe('plans of an unusual size', () => {
  it('a thousand criteria and a text of a million characters are taken as they are', async () => {
    const criteria = Array.from({ length: 1_000 }, (_, index) => `criterion ${index}`);
    const objective = 'o'.repeat(1_000_000);
    const judged = criteria.map((_, index) => ({ met: index !== 7 }));
    const house = createHouse(TOOLS, [
      [
        {
          operation: 'plan.propose',
          args: { objective, success_criteria: criteria, steps: [{ id: 's1', description: 'x' }] },
        },
      ],
      [update('s1')],
      // Before the second answer, the model is told which criterion is not met.
      [{ operation: 'answer', args: { text: 'done', criteria: judged } }],
      [{ operation: 'answer', args: { text: 'done', criteria: judged } }],
    ]);
    const state = await house.run('go', undefined, SETTINGS);
    expect(planView(state)?.objective).toHaveLength(1_000_000);
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'not_possible' } });
    expect(state.end?.failure?.message).toMatch(/criterion 7$/);
  });

  it('a thousand steps in each other end', async () => {
    const steps = Array.from({ length: 1_000 }, (_, index) =>
      open(`s${index}`, index === 0 ? {} : { step: `s${index - 1}` }),
    );
    const house = createHouse(TOOLS, [steps, [{ id: 'x', operation: 'a.get' }], [answer]]);
    const limits = { steps: 10, calls: 30, tasks: 2_000, time: 600_000 };
    const state = await house.run('go', undefined, { ...SETTINGS, limits });
    expect(state.tasks.get('s0')).toMatchObject({ status: 'succeeded', result: { value: { n: 1 } } });
  });
});

it('more budget is refused after a failure, and opens nothing', async () => {
  const house = createHouse(TOOLS, [[{ operation: 'answer', args: { text: 'no', achieved: false } }]]);
  const run = await house.start('go', undefined, SETTINGS);
  const state = await house.drive(run);
  expect(state.end?.outcome).toBe('failed');
  await expect(addBudget({ run, steps: 1 }, house.parts)).rejects.toThrow(/has ended \(failed\)/);
});

describe('a list that was refused', () => {
  it('is not corrected any more once what it held has been begun', async () => {
    const house = createHouse({ ...TOOLS, 'd.put': { ...TOOLS['c.fail'], effect: 'write' } }, [
      [
        { id: 'later', operation: 'task.generate_list', args: { purpose: 'x' } },
        { id: 'w', operation: 'd.put', after: ['later'] },
      ],
      // Waits for what waits for its own step.
      [{ id: 'x', operation: 'a.get', after: ['w'] }],
      [update('later'), { operation: 'ask', args: { question: 'which?' } }],
      [revise({})],
      [answer],
    ]);
    const run = await house.start('go', undefined, { mode: 'auto' });
    await house.drive(run);
    await house.answer(run, 'q1', 'this');
    const state = await house.drive(run);
    expect(state.decisions[1]?.diagnostics?.[0]?.code).toBe('cycle');
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.calls.filter(({ call }) => call.operation === 'd.put')).toHaveLength(1);
  });
});
