import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply, ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { planView } from '../../src/views/plan.ts';
import { count, createHouse } from './house.ts';

const planning: Settings['planning'] = {
  strategy: 'chain_of_thought',
  decomposition: 'moderate',
  reflection: { onError: true, interval: 100 },
  revisions: 3,
};
const PLANNED: Partial<Settings> = { mode: 'planned', planning };

const answer: ScriptedAction = { operation: 'answer', args: { text: 'done', achieved: true } };
const revise = (args: JsonObject): ScriptedAction => ({ operation: 'plan.revise', args });

const tools = (): Record<string, FunctionTool> => ({
  'a.get': { run: () => ({ n: 1 }) },
  'b.get': { faults: [{ kind: 'fail', message: 'b is closed' }], run: () => ({ n: 2 }) },
  'c.get': { run: () => ({ n: 3 }) },
  'd.put': { effect: 'write', run: (args) => ({ put: args }) },
});

const PLAN: Reply = [
  { id: 't1', operation: 'a.get' },
  { id: 't2', operation: 'b.get' },
  { id: 't3', operation: 'd.put', args: { sum: ['${t1.n}', '${t2.n}'] } },
];

describe('a plan that meets an error', () => {
  it('costs one more call: the mind reflects and changes the rest', async () => {
    const house = createHouse(tools(), [
      PLAN,
      (thought) => {
        expect(thought.brief).toEqual({ reflect: 'error', revisionsLeft: 3 });
        return [
          {
            operation: 'reflect',
            args: { status: 'partial', evaluation: 'b is shut', revision_needed: true },
          },
          revise({ reason: 'b is closed', replace: [{ id: 't2', operation: 'c.get', args: {} }] }),
        ];
      },
      [answer],
    ]);
    const run = await house.start('go', undefined, PLANNED);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(state.modelCalls).toBe(3);
    expect(house.toolbox.effects('a.get')).toBe(1);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ sum: [1, 3] });
    expect(state.tasks.get('t2')).toMatchObject({ status: 'failed', isSuperseded: true });
    expect(state.tasks.get('t2_2')).toMatchObject({ status: 'succeeded' });
    expect(planView(state)).toMatchObject({
      status: 'completed',
      version: 2,
      revisions: [{ reason: 'b is closed', changes: [{ kind: 'replace', task: 't2' }] }],
      reflections: [{ trigger: 'error', status: 'partial', evaluation: 'b is shut', revisionNeeded: true }],
    });
    const types = (await house.events(run)).map(({ type }) => type);
    expect(types.filter((type) => type === 'plan_revised' || type === 'reflection_made')).toEqual([
      'reflection_made',
      'plan_revised',
    ]);
  });

  it('counts plain new tasks as a revision too', async () => {
    const house = createHouse(tools(), [PLAN, [{ id: 'x', operation: 'c.get' }], [answer]]);
    const state = await house.run('go', undefined, PLANNED);
    expect(state.revisions).toMatchObject([{ changes: [{ kind: 'add', task: 'x' }] }]);
    expect(state.reflections).toMatchObject([{ by: 'runtime', status: 'partial', revisionNeeded: true }]);
  });

  it('can continue without the failed task', async () => {
    const house = createHouse(tools(), [
      PLAN,
      [
        revise({
          reason: 'not needed',
          remove: ['t2'],
          replace: [{ id: 't3', operation: 'd.put', args: { sum: ['${t1.n}'] } }],
        }),
      ],
      [answer],
    ]);
    const state = await house.run('go', undefined, PLANNED);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ sum: [1] });
    expect(state.end?.outcome).toBe('answered');
    expect(state.tasks.get('t3')).toMatchObject({ status: 'succeeded', attempts: 1 });
  });

  it('can be shortened, with an answer in the same turn', async () => {
    const house = createHouse(tools(), [PLAN, [revise({ reason: 'enough', remove: ['t3'] }), answer]]);
    const state = await house.run('go', undefined, PLANNED);
    expect(state.end).toMatchObject({ outcome: 'answered' });
    expect(state.tasks.has('t3')).toBe(false);
  });

  it('is compiled again: a mistake in a change is reported, and can be corrected by another change', async () => {
    const house = createHouse(tools(), [
      PLAN,
      [revise({ reason: 'r', replace: [{ id: 't2', operation: 'c.got', args: { a: '${nobody.x}' } }] })],
      (thought) => {
        expect(thought.state.decisions.at(-1)?.diagnostics?.map(({ code }) => code)).toContain(
          'dangling-ref',
        );
        return [revise({ replace: [{ id: 't2_2', operation: 'c.get', args: {} }] })];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, PLANNED);
    expect(state.end?.outcome).toBe('answered');
    expect(state.revisions).toHaveLength(1);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ sum: [1, 3] });
  });

  it.each([
    ['its removals', { remove: ['t2'] }, { remove: ['t2', 't3'] }, []],
    [
      'what it replaces',
      { replace: [{ id: 't2', operation: 'c.get', args: { a: '${nobody.x}' } }] },
      { replace: [{ id: 't2', operation: 'c.get', args: {} }] },
      [{ sum: [1, 3] }],
    ],
    [
      'what it adds',
      { remove: ['t2', 't3'], add: [{ id: 't4', operation: 'd.put', args: { n: '${nobody.x}' } }] },
      { add: [{ id: 't4', operation: 'd.put', args: { n: '${t1.n}' } }] },
      [{ n: 1 }],
    ],
  ])('is accepted if a refused change is written again with %s', async (_, wrong, right, puts) => {
    const house = createHouse(tools(), [
      PLAN,
      [revise({ reason: 'r', ...wrong })],
      [revise({ reason: 'again', ...right })],
      [answer],
    ]);
    const state = await house.run('go', undefined, PLANNED);
    expect(state.end?.outcome).toBe('answered');
    expect(state.revisions).toHaveLength(1);
    const { calls } = house.toolbox;
    expect(calls.filter(({ call }) => call.operation === 'd.put').map(({ call }) => call.args)).toEqual(puts);
  });

  it('takes an order also for a list that was refused', async () => {
    const put = (id: string, n: string) => ({ id, operation: 'd.put', args: { n } });
    const house = createHouse(tools(), [
      [put('t1', '${nobody.x}'), put('t2', 'two')],
      [revise({ replace: [put('t1', 'one')], order: ['t2', 't1'] })],
      [answer],
    ]);
    await house.run('go', undefined, PLANNED);
    expect(house.toolbox.calls.map(({ call }) => call.args)).toEqual([{ n: 'two' }, { n: 'one' }]);
  });

  it('reorders the remaining tasks', async () => {
    const order: string[] = [];
    const write: FunctionTool = {
      effect: 'write',
      run: ({ n }) => {
        order.push(String(n));
        return null;
      },
    };
    const house = createHouse({ 'b.get': { faults: [{ kind: 'fail' }] }, 'c.get': {}, 'disk.put': write }, [
      [
        { id: 't1', operation: 'b.get' },
        { id: 't2', operation: 'disk.put', args: { n: 'two' }, after: ['t1'] },
        { id: 't3', operation: 'disk.put', args: { n: 'three' }, after: ['t1'] },
      ],
      [
        revise({
          reason: 'the other way round',
          replace: [{ id: 't1', operation: 'c.get', args: {} }],
          order: ['t3', 't2'],
        }),
      ],
      [answer],
    ]);
    await house.run('go', undefined, PLANNED);
    expect(order).toEqual(['three', 'two']);
  });

  it.each([
    ['what has succeeded', { remove: ['t1'] }, /t1 is succeeded/],
    ['what is not there', { remove: ['t9'] }, /no task "t9"/],
    ['nothing', {}, /changes nothing/],
    ['by garbage', { replace: 'all' }, /list of actions/],
    ['by garbage ids', { remove: [5] }, /list of ids/],
  ])('refuses to change %s', async (_, args, message) => {
    const house = createHouse(tools(), [PLAN, [revise(args)], [answer]]);
    const state = await house.run('go', undefined, PLANNED);
    expect(state.decisions[1]?.failure?.message).toMatch(message);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.effects('a.get')).toBe(1);
  });

  it('is revised a limited number of times, and ends with its results', async () => {
    const broken: FunctionTool = {
      run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'no' } }) as never,
    };
    const house = createHouse({ 'a.get': { run: () => 5 }, 'b.get': broken }, [
      [
        { id: 't1', operation: 'a.get' },
        { id: 't2', operation: 'b.get', args: { try: 1 } },
      ],
      [revise({ reason: 'r', replace: [{ id: 't2', operation: 'b.get', args: { try: 2 } }] })],
      (thought) => {
        expect(thought.purpose).toBe('conclude');
        return [{ operation: 'answer', args: { text: 'only a', achieved: false } }];
      },
    ]);
    const run = await house.start('go', undefined, {
      ...PLANNED,
      planning: { ...planning, revisions: 1 },
    });
    const state = await house.drive(run);
    expect(state.end).toMatchObject({ outcome: 'exhausted', answer: 'only a' });
    expect(state.end?.missing?.[0]).toMatch(/1 revision .*max_revisions/);
    expect(count(await house.events(run), 'plan_revised')).toBe(1);
  });

  it('changes the tasks of a failed step, and the later steps continue', async () => {
    const house = createHouse(tools(), [
      [
        {
          operation: 'plan.propose',
          args: {
            steps: [
              { id: 's1', description: 'look', tasks: [{ id: 'x', operation: 'b.get', args: {} }] },
              { id: 's2', description: 'write', after: ['s1'] },
            ],
          },
        },
      ],
      (thought) => {
        expect(thought.brief).toMatchObject({
          reflect: 'error',
          progress: { done: 0, total: 2, failed: ['s1'] },
        });
        return [revise({ reason: 'r', replace: [{ id: 'x', operation: 'c.get', args: {} }] })];
      },
      (thought) => {
        expect(thought.brief?.steps).toEqual(['s2']);
        return [{ operation: 'd.put', args: { n: '${s1.n}' } }];
      },
      [answer],
    ]);
    const state = await house.run('go', undefined, { ...PLANNED, mode: 'hierarchical' });
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ n: 3 });
    expect(planView(state)?.steps).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });

  it('may be proposed again, and its understanding of the goal counts', async () => {
    const propose = (criterion: string, operation: string): ScriptedAction => ({
      operation: 'plan.propose',
      args: {
        objective: `by ${operation}`,
        success_criteria: [criterion],
        steps: [{ id: 's1', description: 'look', tasks: [{ id: 'x', operation, args: {} }] }],
      },
    });
    const house = createHouse(tools(), [
      [propose('b is known', 'b.get')],
      [propose('c is known', 'c.get')],
      [{ operation: 'answer', args: { text: 'done', criteria: [{ met: true }] } }],
    ]);
    const state = await house.run('go', undefined, { ...PLANNED, mode: 'hierarchical' });
    expect(planView(state)).toMatchObject({
      objective: 'by c.get',
      successCriteria: ['c is known'],
      revisions: [{ changes: [{ kind: 'add' }, { kind: 'add' }] }],
    });
  });

  it('continues without the task that made its step fail', async () => {
    const house = createHouse(tools(), [
      [
        {
          operation: 'plan.propose',
          args: {
            steps: [
              {
                id: 's1',
                description: 'look',
                tasks: [
                  { id: 'w', operation: 'a.get', args: {} },
                  { id: 'x', operation: 'b.get', args: {} },
                ],
              },
              { id: 's2', description: 'look again', after: ['s1'] },
            ],
          },
        },
      ],
      [revise({ reason: 'w is enough', remove: ['x'] })],
      [{ operation: 'c.get' }],
      [answer],
    ]);
    const state = await house.run('go', undefined, { ...PLANNED, mode: 'hierarchical' });
    expect(planView(state)?.steps).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });
});
