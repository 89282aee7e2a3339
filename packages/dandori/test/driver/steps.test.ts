import { describe, expect, it } from 'vitest';
import { createBuiltInMind } from '../../src/mind/built-in/planner.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { planView } from '../../src/views/plan.ts';
import { count, createHouse, SETTINGS } from './house.ts';

const HIERARCHICAL = {
  mode: 'hierarchical' as const,
  planning: {
    strategy: 'chain_of_thought' as const,
    decomposition: 'moderate' as const,
    reflection: { onError: true, interval: 100 },
    revisions: 3,
  },
};

const propose = (args: ScriptedAction['args']): ScriptedAction => ({ operation: 'plan.propose', args });
const answer: ScriptedAction = { operation: 'answer', args: { text: 'done', achieved: true } };

const TOOLS = {
  'a.get': { run: () => ({ n: 1 }) },
  'b.get': { run: () => ({ n: 2 }) },
  'c.put': { effect: 'write' as const, run: (args: JsonObject) => ({ put: args }) },
};

describe('a plan of steps', () => {
  it('that a limit ends is described by its calls and the purposes of its steps', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          steps: [
            { id: 's1', description: 'look', tasks: [{ id: 'x', operation: 'a.get', args: {} }] },
            { id: 's2', description: 'write it down', after: ['s1'] },
          ],
        }),
      ],
    ]);
    const limits = { ...SETTINGS.limits, calls: 1 };
    const { end } = await house.run('go', undefined, { ...HIERARCHICAL, limits });
    expect(end?.answer).toBe(
      'No final answer was written. The results so far, as the tools returned them:\n- a.get: {"n":1}',
    );
    expect(end?.missing?.slice(1)).toEqual(['s2 write it down: not run']);
  });

  it('plans the tasks of each step when it starts, and answers when all are done', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          objective: 'to know',
          steps: [
            { id: 's1', description: 'look', expected: 'a number' },
            { id: 's2', description: 'write', after: ['s1'] },
          ],
        }),
      ],
      (thought) => {
        expect(thought.state.tasks.get('s1')?.task.args).toEqual({ purpose: 'look', expected: 'a number' });
        expect(thought.purpose).toBe('generate');
        expect(thought.brief?.steps).toEqual(['s1']);
        expect(thought.brief?.progress).toEqual({ done: 0, total: 2, current: ['s1'] });
        return [{ operation: 'a.get' }];
      },
      (thought) => {
        expect(thought.brief?.steps).toEqual(['s2']);
        expect(thought.brief?.progress).toEqual({ done: 1, total: 2, current: ['s2'] });
        return [{ operation: 'c.put', args: { from: '${s1.n}' } }];
      },
      (thought) => {
        expect(thought.purpose).toBe('act');
        expect(thought.brief?.progress).toEqual({ done: 2, total: 2 });
        return [answer];
      },
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
    expect(house.toolbox.calls.map(({ call }) => [call.operation, call.args])).toEqual([
      ['a.get', {}],
      ['c.put', { from: 1 }],
    ]);
    expect(planView(state)).toMatchObject({
      status: 'completed',
      objective: 'to know',
      steps: [
        { id: 's1', description: 'look', status: 'completed', tasks: ['t1'] },
        { id: 's2', description: 'write', status: 'completed', after: ['s1'] },
      ],
    });
    house.mind.verify();
  });

  it('plans the tasks of all ready steps in one call', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          steps: [
            { id: 's1', description: 'a' },
            { id: 's2', description: 'b' },
          ],
        }),
      ],
      (thought) => {
        expect(thought.brief?.steps).toEqual(['s1', 's2']);
        return [
          { id: 'x', operation: 'a.get', step: 's1' },
          { id: 'y', operation: 'b.get', step: 's2' },
        ];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end?.outcome).toBe('answered');
    expect(state.tasks.get('s2')).toMatchObject({ status: 'succeeded', result: { value: { n: 2 } } });
  });

  it('makes no model call for tasks that the plan already has, and keeps their order', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          steps: [
            { id: 's1', description: 'look', tasks: [{ id: 'x', operation: 'a.get', args: {} }] },
            {
              id: 's2',
              description: 'write',
              after: ['s1'],
              tasks: [{ id: 'y', operation: 'c.put', args: { n: '${x.n}' } }],
            },
          ],
        }),
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([{}, { n: 1 }]);
    expect(state.end?.outcome).toBe('answered');
    house.mind.verify();
  });

  it('orders generated tasks with those that the plan came with', async () => {
    const order: string[] = [];
    const write = (name: string) => ({
      effect: 'write' as const,
      takes: 10,
      run: () => {
        order.push(name);
        return null;
      },
    });
    const house = createHouse({ 'disk.one': write('one'), 'disk.two': write('two'), 'a.get': { takes: 1 } }, [
      [
        propose({
          steps: [
            { id: 's1', description: 'first' },
            {
              id: 's2',
              description: 'then',
              after: ['s1'],
              tasks: [{ id: 'y', operation: 'disk.one', args: {} }],
            },
            { id: 's3', description: 'beside' },
          ],
        }),
      ],
      [
        { id: 'a', operation: 'a.get', step: 's1' },
        { id: 'b', operation: 'disk.two', step: 's3' },
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end?.outcome).toBe('answered');
    expect(order).toEqual(['two', 'one']);
    const [first, second] = house.toolbox.calls.filter(({ call }) => call.operation.startsWith('disk'));
    expect(second?.startedAt).toBeGreaterThanOrEqual(first?.endedAt ?? Number.POSITIVE_INFINITY);
  });

  it('may be left to be decided within a list of tasks', async () => {
    const house = createHouse(TOOLS, [
      [
        { id: 't1', operation: 'a.get' },
        {
          id: 'later',
          operation: 'task.generate_list',
          args: { purpose: 'what ${t1.n} asks for' },
          after: ['t1'],
        },
        { id: 't3', operation: 'c.put', args: { n: '${later.n}' } },
      ],
      (thought) => {
        expect(thought.brief?.steps).toEqual(['later']);
        return [{ id: 'x', operation: 'b.get' }];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, { mode: 'planned' });
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 2 });
  });

  it('can be done without tasks, and given up', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          steps: [
            { id: 's1', description: 'known already' },
            { id: 's2', description: 'impossible', after: ['s1'] },
            { id: 's3', description: 'never', after: ['s2'] },
          ],
        }),
      ],
      [{ operation: 'plan.update_step', args: { step: 's1', status: 'completed', note: 'it is 5' } }],
      [{ operation: 'plan.update_step', args: { step: 's2', status: 'failed', note: 'no tool' } }],
      (thought) => {
        expect(thought.brief?.progress).toMatchObject({ done: 1, total: 3, failed: ['s2'] });
        return [{ operation: 'answer', args: { text: 'not possible', achieved: false } }];
      },
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end?.outcome).toBe('failed');
    expect(planView(state)).toMatchObject({
      status: 'failed',
      steps: [{ status: 'completed' }, { status: 'failed' }, { status: 'failed' }],
    });
  });

  it('reports a list that names no step, and asks again', async () => {
    const house = createHouse(TOOLS, [
      [
        propose({
          steps: [
            { id: 's1', description: 'a' },
            { id: 's2', description: 'b' },
          ],
        }),
      ],
      [{ operation: 'a.get' }],
      [
        { id: 'x', operation: 'a.get', step: 's1' },
        { id: 'y', operation: 'b.get', step: 's2' },
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.decisions[1]?.failure?.message).toMatch(/for which step.*s1, s2/);
    expect(state.end?.outcome).toBe('answered');
  });

  it.each([
    ['nothing', {}],
    ['steps that are no list', { steps: 'many' }],
    ['a step that is a number', { steps: [5] }],
    ['a step without a description', { steps: [{ id: 's1' }] }],
    ['a task that is none', { steps: [{ id: 's1', description: 'x', tasks: [{ foo: 1 }] }] }],
    ['criteria that are no list', { success_criteria: 'all', steps: [{ id: 's1', description: 'x' }] }],
  ])('refuses a proposal of %s, and ends', async (_, args) => {
    const house = createHouse(TOOLS, [[propose(args)], [propose(args)], [propose(args)]]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'unusable_output' } });
    expect(state.end?.failure?.message).toMatch(/plan\.propose/);
  });

  it('finds a cycle of steps before anything runs', async () => {
    const cyclic = propose({
      steps: [
        { id: 's1', description: 'a', after: ['s2'] },
        { id: 's2', description: 'b', after: ['s1'] },
      ],
    });
    const house = createHouse(TOOLS, [[cyclic], [cyclic], [cyclic]]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.end?.failure?.message).toMatch(/s1 → s2 → s1|s2 → s1 → s2/);
  });

  it('continues after a crash at every event, without planning again', async () => {
    const script = () => [
      [
        propose({
          steps: [
            { id: 's1', description: 'look' },
            { id: 's2', description: 'write', after: ['s1'] },
          ],
        }),
      ],
      [{ id: 'x', operation: 'a.get' }],
      [{ id: 'y', operation: 'c.put', args: { n: '${x.n}' } }],
      [answer],
    ];
    const whole = createHouse(TOOLS, script());
    const run = await whole.start('go', undefined, HIERARCHICAL);
    await whole.drive(run);
    const events = await whole.events(run);
    for (let length = 1; length < events.length; length++) {
      // A decision and what it proposes are written together.
      if (events[length - 1]?.type === 'decision_made') continue;
      const rest = script().slice(count(events.slice(0, length), 'decision_made'));
      const house = createHouse(TOOLS, rest);
      await house.parts.journal.create(run, events.slice(0, length));
      let state = await house.drive(run);
      const doubt = [...state.questions.values()].find((open) => open.answer === undefined);
      if (doubt !== undefined) {
        await house.answer(run, doubt.question.id, 'again');
        state = await house.drive(run);
      }
      expect(state.end, `after event ${length}`).toMatchObject({ outcome: 'answered', answer: 'done' });
      expect(count(await house.events(run), 'plan_proposed')).toBe(3);
    }
  });

  it('respects the limit of tasks', async () => {
    const steps = Array.from({ length: 4 }, (_, index) => ({ id: `s${index}`, description: 'x' }));
    const house = createHouse(TOOLS, [[propose({ steps })], [propose({ steps })], [propose({ steps })]]);
    const limits = { ...SETTINGS.limits, tasks: 3 };
    const state = await house.run('go', undefined, { ...HIERARCHICAL, limits });
    expect(state.end?.failure?.message).toMatch(/max_subtasks|3 are allowed/);
  });
});

describe('plan.get', () => {
  it('returns the current plan, as a result like any other', async () => {
    const house = createHouse(TOOLS, [
      [propose({ objective: 'to know', steps: [{ id: 's1', description: 'look' }] })],
      [{ id: 'x', operation: 'a.get' }],
      [{ id: 'p', operation: 'plan.get' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, HIERARCHICAL);
    expect(state.tasks.get('p')?.result).toMatchObject({
      value: {
        objective: 'to know',
        steps: [{ id: 's1', status: 'completed', tasks: ['x'] }],
        tasks: [
          { id: 'x', operation: 'a.get', status: 'succeeded', step: 's1' },
          { id: 'p', operation: 'plan.get', status: 'running' },
        ],
      },
    });
  });
});

describe('a plan file with an open part', () => {
  const tasks: Task[] = [
    { id: 't1', operation: 'a.get', args: {} },
    { id: 'rest', operation: 'task.generate_list', args: { purpose: 'the rest' }, after: ['t1'] },
    { id: 't3', operation: 'c.put', args: { n: '${rest.n}' } },
  ];

  it('asks the mind for that part alone', async () => {
    const house = createHouse(TOOLS, [[{ id: 'x', operation: 'b.get' }], [answer]]);
    const state = await house.run('go', tasks);
    expect(house.mind.thoughts.map(({ purpose }) => purpose)).toEqual(['generate', 'answer']);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 2 });
  });

  it('is not done if the mind answers instead', async () => {
    const house = createHouse(TOOLS, [[answer]]);
    expect((await house.run('go', tasks)).end).toMatchObject({ outcome: 'failed', answer: 'done' });
    expect(house.toolbox.effects('c.put')).toBe(0);
  });

  it('cannot be run by the built-in planner, which says so', async () => {
    const house = createHouse(TOOLS, [], { mind: createBuiltInMind() });
    const state = await house.run('go', tasks);
    expect(state.end).toMatchObject({ outcome: 'failed' });
    expect(state.end?.answer).toMatch(/language model/);
  });
});
