import { describe, expect, it } from 'vitest';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryBlobs } from '../../src/store/in-memory.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, DONE, task } from '../driver/house.ts';

const ROWS = Array.from({ length: 5_000 }, (_, index) => ({ index, city: `city ${index}` }));
const TOOLS = {
  'a.rows': { run: () => ({ rows: ROWS, total: ROWS.length }) },
  'a.text': { run: () => `${'x'.repeat(50_000)}the end` },
  'a.bad': { faults: [{ kind: 'fail' as const, message: 'no' }] },
  'a.put': { effect: 'write' as const, run: () => ({ done: true }), takes: 50 },
};
const check = createSchemaCheck();
const resultOf = (state: RunState, id: string) => {
  const result = state.tasks.get(id)?.result;
  return result !== undefined && 'value' in result ? result.value : undefined;
};

describe('result.read', () => {
  it.each([
    [{ path: 'rows[4321].city' }, { value: 'city 4321', total: 9 }],
    [
      { path: 'rows', from: 4_998 },
      { value: ROWS.slice(4_998), total: 5_000, from: 4_998 },
    ],
    [
      { path: 'rows[*].index', from: 10, count: 2 },
      { value: [10, 11], total: 5_000, from: 10, next: 12 },
    ],
    [{ path: 'total' }, { value: 5_000 }],
    [{}, { shape: '{rows: [5000 × {index: number, city: string}], total: number}' }],
  ])('gives a part of a result that is kept beside the journal: %j', async (args, expected) => {
    const house = createHouse(TOOLS, [
      [{ id: 't1', operation: 'a.rows' }],
      [{ id: 't2', operation: 'result.read', args: { task: 't1', ...args } }],
      ({ resultText }) => {
        // A mind gets to see all of it: it was cut to fit.
        expect(resultText('t2')).not.toContain('in all)');
        return [{ operation: 'answer', args: { text: 'done' } }];
      },
    ]);
    const state = await house.run('go');
    expect(state.tasks.get('t2')).toMatchObject({ status: 'succeeded', effect: 'read' });
    expect(resultOf(state, 't2')).toMatchObject(expected);
    expect(house.toolbox.calls.map(({ call }) => call.operation)).toEqual(['a.rows']);
  });

  it('reads characters of a text', async () => {
    const house = createHouse(TOOLS, [
      [{ id: 't1', operation: 'a.text' }],
      [{ id: 't2', operation: 'result.read', args: { task: 't1', from: 50_000 } }],
      ...DONE,
    ]);
    expect(resultOf(await house.run('go'), 't2')).toEqual({ value: 'the end', total: 50_007, from: 50_000 });
  });

  it('waits for what it reads where both are in one plan, and can be referred to', async () => {
    const house = createHouse(TOOLS, DONE);
    const state = await house.run('go', [
      task('t1', 'a.rows'),
      task('t2', 'result.read', { args: { task: 't1', path: 'rows[7]' } }),
      task('t3', 'a.put', { args: { city: '${t2.value.city}' } }),
    ]);
    expect(state.tasks.get('t3')).toMatchObject({ status: 'succeeded', sent: { city: 'city 7' } });
  });

  it('waits for no write, as it touches nothing', async () => {
    const house = createHouse(TOOLS, [
      [{ id: 't1', operation: 'a.text' }],
      [
        { id: 't2', operation: 'a.put' },
        { id: 't3', operation: 'result.read', args: { task: 't1' } },
        { id: 't4', operation: 'a.put' },
      ],
      ...DONE,
    ]);
    const { tasks } = await house.run('go');
    expect(tasks.get('t3')).toMatchObject({ waits: [], needs: [] });
    expect(tasks.get('t4')).toMatchObject({ waits: ['t2'] });
  });

  it('of a task that is not there or has failed is refused by the compiler, with the one that was meant', async () => {
    const house = createHouse(TOOLS, [
      [
        { id: 'find', operation: 'a.text' },
        { id: 'bad', operation: 'a.bad' },
      ],
      [{ id: 't3', operation: 'result.read', args: { task: 'fnd' } }],
      [{ id: 't4', operation: 'result.read', args: { task: 'bad' } }],
      ...DONE,
    ]);
    const run = await house.start('go');
    await house.drive(run);
    const rejected = (await house.events(run)).filter(({ type }) => type === 'plan_rejected');
    expect(rejected).toMatchObject([
      { data: { diagnostics: [{ code: 'dangling-ref', task: 't3', hint: 'did you mean "find"?' }] } },
      { data: { diagnostics: [{ code: 'dangling-ref', task: 't4' }] } },
    ]);
  });

  it('fails with the reason where the path is wrong or finds nothing', async () => {
    const house = createHouse(TOOLS, DONE);
    const { tasks } = await house.run('go', [
      task('g', 'a.rows'),
      task('x', 'result.read', { args: { task: 'g', path: 'rows[' } }),
      task('y', 'result.read', { args: { task: 'g', path: 'nothing' } }),
    ]);
    expect(tasks.get('x')?.failure).toMatchObject({ kind: 'invalid_args' });
    expect(tasks.get('y')?.failure?.message).toBe('path: nothing finds nothing in this result');
  });

  it('fails with the reason where the stored result is gone, and the run goes on', async () => {
    const house = createHouse(TOOLS, DONE);
    const plan = [
      task('g', 'a.rows'),
      task('p', 'a.put', { after: ['g'] }),
      task('x', 'result.read', { args: { task: 'g' }, after: ['p'] }),
    ];
    const run = await house.start('go', plan, { approval: 'writes' });
    await house.drive(run);
    await house.answer(run, 'q1', 'approve');
    const { tasks, end } = await house.drive(run, { blobs: createMemoryBlobs() });
    expect(tasks.get('p')?.status).toBe('succeeded');
    expect(tasks.get('x')?.failure).toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/missing|not there|gone|no /i),
    });
    expect(end).toMatchObject({ outcome: 'failed' });
  });

  it('has arguments that are checked like those of any tool', async () => {
    const house = createHouse(
      TOOLS,
      [
        [{ id: 't1', operation: 'a.text' }],
        [{ id: 't2', operation: 'result.read', args: { task: 't1', from: -1 } }],
        ...DONE,
      ],
      { check },
    );
    const run = await house.start('go');
    await house.drive(run);
    expect((await house.events(run)).find(({ type }) => type === 'plan_rejected')).toMatchObject({
      data: { diagnostics: [{ code: 'invalid-args', path: ['args', 'from'] }] },
    });
  });
});

describe('tool.search', () => {
  it('returns everything that a call of a tool needs, and never an own tool', async () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const house = createHouse(
      {
        'weather.now': { description: 'Gives the weather of a city.', inputSchema: schema },
        'files.read': { description: 'Reads a file.' },
      },
      [[{ id: 't1', operation: 'tool.search', args: { query: '天気 or a result', limit: 3 } }], ...DONE],
    );
    expect(resultOf(await house.run('go'), 't1')).toEqual({
      tools: [
        {
          name: 'weather.now',
          description: 'Gives the weather of a city.',
          effect: 'read',
          inputSchema: schema,
        },
      ],
      matches: 1,
    });
  });
});

describe("a tool of the user's with the name of one of ours", () => {
  it('takes its place, and is called', async () => {
    const house = createHouse({ 'result.read': { run: () => 'theirs' }, 'result.other': {} }, [
      [{ id: 't1', operation: 'result.read', args: { task: 'nobody' } }],
      ...DONE,
    ]);
    const state = await house.run('go');
    expect(resultOf(state, 't1')).toBe('theirs');
    expect(house.toolbox.effects('result.read')).toBe(1);
  });
});
