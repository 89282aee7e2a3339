import { describe, expect, it } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import { STEP_TOOL } from '../../src/model/task.ts';
import type { Tool, ToolPolicy } from '../../src/model/tool.ts';
import { type CompileContext, type Compiled, compile } from '../../src/plan/compile.ts';
import { type Budget, worstCase } from '../../src/plan/estimate.ts';

function tool(name: string, policy: ToolPolicy & Pick<Tool, 'calls'> = {}): [string, Tool] {
  const server = name.split('.')[0] ?? '';
  return [
    name,
    {
      name,
      server,
      description: '',
      inputSchema: { type: 'object' },
      effect: 'read',
      trusted: true,
      ...policy,
    },
  ];
}

const TOOLS = new Map([
  tool('db.get'),
  tool('db.put', { effect: 'write', cost: 0.5 }),
  tool('db.drop', { effect: 'destructive' }),
  tool('files.write', { effect: 'write', resource: 'path:{path}' }),
  tool('files.list'),
  tool('log.add', { effect: 'write', independent: true }),
]);

function compiled(
  tasks: (Partial<Task> & { operation: string })[],
  more: Partial<CompileContext> = {},
): Extract<Compiled, { ok: true }> {
  const whole = tasks.map((task, index) => ({ id: `t${index + 1}`, args: {}, ...task }));
  const result = compile(whole, {
    tools: TOOLS,
    check: () => [],
    mode: 'planned',
    order: [],
    maxTasks: 100,
    done: new Map(),
    missing: new Map(),
    ...more,
  });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

const BUDGET: Budget = { ms: 600_000, cost: undefined, timeoutMs: 10_000, attempts: 3 };
const times: Record<string, number> = { 'db.get': 100, 'db.put': 300, 'db.drop': 50 };

describe('the cost of a plan is known before it runs', () => {
  it('counts calls, reads, writes and what cannot be undone, and finds the longest path', () => {
    const { estimate } = compiled(
      [
        { operation: 'db.get' },
        { operation: 'db.put' },
        { operation: 'db.drop' },
        { operation: 'db.get', args: { x: '${t1}' } },
      ],
      { budget: BUDGET, expectedMs: (operation) => times[operation] },
    );
    expect(estimate()).toEqual({
      calls: 4,
      reads: 2,
      writes: 2,
      irreversible: ['t3'],
      criticalPath: ['t1', 't2', 't3', 't4'],
      expectedMs: 550,
      worstMs: 120_000,
      cost: 0.5,
      worstCost: 1.5,
    });
  });

  it('a part that is left open is no call, and its duration is unknown', () => {
    const step = { operation: STEP_TOOL.name, args: { purpose: 'look' } };
    const tools = new Map([...TOOLS, [STEP_TOOL.name, STEP_TOOL]]);
    const of = (tasks: Parameters<typeof compiled>[0]) =>
      compiled(tasks, { tools, budget: BUDGET, expectedMs: (operation) => times[operation] }).estimate();
    const open = of([{ operation: 'db.get' }, { ...step, after: ['t1'] }]);
    expect(open).toMatchObject({ calls: 1, reads: 1, writes: 0, open: ['t2'] });
    expect(open).toMatchObject({ expectedMs: undefined, worstMs: undefined });
    const filled = of([step, { operation: 'db.get', step: 't1' }]);
    expect(filled).toMatchObject({ calls: 1, writes: 0, expectedMs: 100, worstMs: 30_000 });
    expect(filled).not.toHaveProperty('open');
  });

  it('a plan that is sure to cost too much is refused; one that may, or may take too long, is warned about', () => {
    const tasks = [{ id: 't1', operation: 'db.put', args: {} }];
    const at = (budget: CompileContext['budget']) =>
      compile(tasks, {
        tools: TOOLS,
        check: () => [],
        mode: 'planned',
        order: [],
        maxTasks: 9,
        done: new Map(),
        missing: new Map(),
        budget,
        expectedMs: (operation) => times[operation],
      });
    const late = at({ ...BUDGET, ms: 200 });
    expect(late).toMatchObject({
      ok: true,
      warnings: [{ code: 'over-budget', message: 'the plan takes about 0.3 s, and 0.2 s are left' }],
    });
    expect(late.ok && worstCase(late.estimate(), { ...BUDGET, ms: 200 })).toEqual([]);
    const tight = { ...BUDGET, ms: 1000 };
    const may = at(tight);
    expect(may.ok && worstCase(may.estimate(), tight)).toMatchObject([{ code: 'over-budget' }]);
    expect(at({ ...BUDGET, cost: 0.1 })).toMatchObject({ ok: false, diagnostics: [{ code: 'over-budget' }] });
    const poor = { ...BUDGET, cost: 1 };
    const retried = at(poor);
    expect(retried.ok && worstCase(retried.estimate(), poor)).toMatchObject([
      { code: 'over-budget', message: 'the plan may cost up to $1.5, and $1 are left' },
    ]);
    const exact = { ...BUDGET, cost: 1.5 };
    const enough = at(exact);
    expect(enough.ok && worstCase(enough.estimate(), exact)).toEqual([]);
    const fine = at(BUDGET);
    expect(fine.ok && worstCase(fine.estimate(), BUDGET)).toEqual([]);
  });
});

describe('how long a plan takes', () => {
  const reads = Array.from({ length: 6 }, () => ({ operation: 'db.get' }));
  const expected = (more: Partial<Budget>, tasks = reads) =>
    compiled(tasks, {
      budget: { ...BUDGET, ...more },
      expectedMs: (operation) => times[operation],
    }).estimate();

  it('depends on how many calls may run at once, all in all and at one server', () => {
    expect(expected({}).expectedMs).toBe(100);
    expect(expected({ concurrency: 2 }).expectedMs).toBe(300);
    expect(expected({ concurrency: 4, servers: { db: 3 } }).expectedMs).toBe(200);
    expect(expected({ concurrency: 2 }).worstMs).toBe(90_000);
    expect(expected({ concurrency: 6, backoff: 100 }).worstMs).toBe(30_300);
  });

  it('is what the scheduler needs, with the longest path first and groups that many wait for', () => {
    const many = Array.from({ length: 20 }, () => ({ operation: 'db.get' }));
    const tasks = [...many, { operation: 'db.put' }, ...many];
    expect(expected({ concurrency: 5 }, tasks).expectedMs).toBe(400 + 300 + 400);
    expect(expected({}, tasks).expectedMs).toBe(100 + 300 + 100);
  });
});

describe('why a task waits', () => {
  it('is said for each: a Ref, an after, an order rule, a hazard', () => {
    const { reasonsOf } = compiled(
      [
        { operation: 'db.get' },
        { operation: 'db.put', args: { v: '${t1.x}' } },
        { operation: 'files.list', after: ['t2'] },
        { operation: 'db.get' },
        { operation: 'log.add' },
      ],
      { order: [{ before: 'files.list', after: 'log.add' }] },
    );
    expect(reasonsOf('t2')).toEqual([{ task: 't1', text: 'its args.v uses ${t1.x}' }]);
    expect(reasonsOf('t3')).toEqual([{ task: 't2', text: 'it says after: t2' }]);
    expect(reasonsOf('t4')).toEqual([
      { task: 't2', text: 'both touch db: t2 writes it first, then t4 reads it' },
    ]);
    expect(reasonsOf('t5')).toEqual([{ task: 't3', text: 'log.add comes after files.list' }]);
  });

  it('finer resources overlap; one that depends on a value that is not there yet may be any of them', () => {
    const { tasks } = compiled([
      { operation: 'files.write', args: { path: '/a' } },
      { operation: 'files.write', args: { path: '/b' } },
      { operation: 'files.write', args: { path: '/a' } },
      { operation: 'files.write', args: { path: '${t1.next}' } },
    ]);
    expect(tasks.map(({ needs = [], waits = [] }) => [...needs, ...waits])).toEqual([
      [],
      [],
      ['t1'],
      ['t1', 't2', 't3'],
    ]);
  });

  it('two ways to write a path are one resource', () => {
    const write = (path: string) => ({ operation: 'files.write', args: { path } });
    const { tasks } = compiled(
      ['a.txt', './a.txt', 'b//a.txt', 'b/c/../a.txt', '/a.txt', '../a.txt'].map(write),
    );
    expect(tasks.map(({ waits = [] }) => waits)).toEqual([[], ['t1'], [], ['t3'], [], []]);
  });

  it('a method that calls other tools waits for what they touch, and is waited for, through whatever it calls', () => {
    const tools = new Map([
      ...TOOLS,
      tool('shop.look', { calls: ['db.get'] }),
      tool('shop.order', { effect: 'write', calls: ['shop.look', 'mail.post.send'] }),
      tool('mail.post.send', { effect: 'write' }),
      tool('mail.post.read'),
    ]);
    const { tasks, reasonsOf } = compiled(
      [
        { operation: 'db.put' },
        { operation: 'shop.look' },
        { operation: 'mail.post.read' },
        { operation: 'shop.order' },
        { operation: 'db.put' },
        { operation: 'mail.post.read' },
        { operation: 'db.get' },
      ],
      { tools },
    );
    expect(tasks.map(({ waits = [] }) => waits)).toEqual([
      [],
      ['t1'],
      [],
      ['t2', 't3', 't1'],
      ['t2', 't4'],
      ['t4'],
      ['t5'],
    ]);
    expect(reasonsOf('t2')).toEqual([
      { task: 't1', text: 'both touch db: t1 writes it first, then t2 reads it' },
    ]);
  });

  it('a wait between two reads is dropped from a model’s plan with a note, and kept in a person’s with a warning', () => {
    const tasks = [
      { operation: 'db.get' },
      { operation: 'files.list', after: ['t1'] },
      { operation: 'db.put', after: ['t1'] },
    ];
    const theirs = compiled(tasks);
    expect(theirs.tasks[1]?.needs).toEqual(['t1']);
    expect(theirs.warnings).toMatchObject([{ code: 'needless-after', task: 't2', path: ['after', 0] }]);
    const minds = compiled(tasks, { dropsNeedless: true });
    expect(minds.tasks[1]?.needs).toBeUndefined();
    expect(minds.tasks[2]?.needs).toEqual(['t1']);
    expect(minds.notes).toEqual([
      '"t2" waits for "t1", although both only read and it does not use its result: the wait is dropped',
    ]);
  });
});

describe('a wait that is a gate', () => {
  it('is never dropped: the first may fail what it expects, or a write may stand behind the second', () => {
    const gated = compiled(
      [
        { operation: 'db.get', expect: 'ok' },
        { operation: 'files.list', after: ['t1'] },
      ],
      { dropsNeedless: true },
    );
    expect(gated.tasks[1]?.needs).toEqual(['t1']);
    const writing = compiled(
      [
        { operation: 'db.get' },
        { operation: 'files.list', after: ['t1'] },
        { operation: 'db.put', args: { v: '${t2}' } },
      ],
      { dropsNeedless: true },
    );
    expect(writing.tasks[1]?.needs).toEqual(['t1']);
  });
});

describe('a read whose result is not used', () => {
  const dead = (tasks: (Partial<Task> & { operation: string })[], more: Partial<CompileContext> = {}) =>
    compiled(tasks, more)
      .warnings.filter(({ code }) => code === 'dead-step')
      .map(({ task }) => task);

  it('is told, unless it stands at the end, where the answer will use it', () => {
    const get = { operation: 'db.get' };
    expect(dead([get, get, get])).toEqual([]);
    expect(dead([{ ...get, expect: 'ok' }, get, { operation: 'files.list', args: { x: '${t2}' } }])).toEqual(
      [],
    );
    expect(dead([get, get, { operation: 'files.list', args: { x: '${t2}' } }])).toEqual(['t1']);
    expect(dead([{ operation: 'db.put' }, get, { operation: 'files.list', args: { x: '${t2}' } }])).toEqual(
      [],
    );
  });

  it('is told wherever it stands, where the answer is written already', () => {
    expect(
      dead([{ operation: 'db.get' }, { operation: 'files.list' }], { answerUses: new Set(['t1']) }),
    ).toEqual(['t2']);
  });
});
