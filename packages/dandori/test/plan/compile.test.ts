import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Diagnostic, DiagnosticCode } from '../../src/model/plan.ts';
import type { Task } from '../../src/model/task.ts';
import type { Effect, Tool } from '../../src/model/tool.ts';
import { type CompileContext, compile } from '../../src/plan/compile.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { IS_LONG } from '../long.ts';
import { type Planned, toTask } from '../run/facts.ts';
import { growth, LINEAR } from './growth.ts';

function tool(name: string, effect: Effect = 'read', inputSchema: JsonObject = { type: 'object' }): Tool {
  return { name, server: name.split('.')[0] ?? '', description: '', inputSchema, effect, trusted: true };
}

const weather: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'where' },
    days: { type: 'integer', maximum: 7 },
    unit: { enum: ['C', 'F'] },
    at: { anyOf: [{ type: 'string' }, { type: 'object', required: ['lat'] }] },
  },
  required: ['city'],
  additionalProperties: false,
};

const TOOLS = [
  tool('box.get'),
  tool('box.put', 'write'),
  tool('files.read_text_of_a_file'),
  tool('places.weather', 'read', weather),
  tool('other.put', 'write'),
];

const check = createSchemaCheck();

function surroundings(changes: Partial<CompileContext> = {}): CompileContext {
  return {
    tools: new Map(TOOLS.map((one) => [one.name, one])),
    check,
    mode: 'auto',
    order: [],
    maxTasks: 100,
    done: new Map(),
    missing: new Map(),
    ...changes,
  };
}

function problems(tasks: readonly Planned[], changes: Partial<CompileContext> = {}): Diagnostic[] {
  const compiled = compile(
    tasks.map((task) => toTask({ operation: 'box.get', ...task })),
    surroundings(changes),
  );
  return compiled.ok ? [] : compiled.diagnostics;
}

function checked(tasks: readonly Planned[], changes: Partial<CompileContext> = {}) {
  const compiled = compile(
    tasks.map((task) => toTask({ operation: 'box.get', ...task })),
    surroundings(changes),
  );
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.diagnostics));
  return compiled.tasks;
}

type Expected = Partial<Diagnostic> & { code: DiagnosticCode };
const city = (value: unknown, more: JsonObject = {}): Planned =>
  ({ id: 'w', operation: 'places.weather', args: { city: value, ...more } }) as unknown as Planned;

describe('what is wrong with a plan is found before its first effect, told with place and remedy', () => {
  it.each<[string, readonly Planned[], Partial<CompileContext>, Expected]>([
    [
      'no task',
      [],
      {},
      { code: 'empty-plan', message: 'the plan has no tasks', hint: 'add at least one task' },
    ],
    [
      'an id twice',
      [{ id: 'a' }, { id: 'a' }],
      {},
      {
        code: 'duplicate-id',
        task: 'a',
        path: ['id'],
        message: 'there are two tasks with the id "a"',
        hint: 'give each task its own id',
      },
    ],
    [
      'an id of an earlier plan',
      [{ id: 'a' }],
      { done: new Map([['a', 'box.get']]) },
      { code: 'duplicate-id', task: 'a' },
    ],
    [
      'an id with a dot',
      [{ id: 'a.b' }],
      {},
      { code: 'invalid-id', path: ['id'], hint: expect.stringContaining('begins with a letter') },
    ],
    ['an empty id', [{ id: '' }], {}, { code: 'invalid-id' }],
    [
      'a misspelt tool',
      [{ id: 'a', operation: 'box.gte' }],
      {},
      {
        code: 'unknown-operation',
        task: 'a',
        path: ['operation'],
        message: 'there is no tool "box.gte"',
        hint: 'did you mean "box.get"?',
      },
    ],
    [
      'a tool without its server',
      [{ id: 'a', operation: 'read_text_of_a_file' }],
      {},
      { code: 'unknown-operation', hint: 'did you mean "files.read_text_of_a_file"?' },
    ],
    [
      'a tool like no other',
      [{ id: 'a', operation: 'zzzzzzzzz' }],
      {},
      { code: 'unknown-operation', hint: '`dandori tools` lists them all' },
    ],
    [
      'a tool of a server that is down',
      [{ id: 'a', operation: 'mail.send' }],
      { missing: new Map([['mail', 'connection refused']]) },
      {
        code: 'unknown-operation',
        message: '"mail.send" is not there: the server "mail" is not available (connection refused)',
      },
    ],
    [
      'a missing argument',
      [{ id: 'w', operation: 'places.weather' }],
      {},
      { code: 'invalid-args', task: 'w', path: ['args', 'city'], hint: 'give "city" (string): where' },
    ],
    [
      'a wrong type',
      [city(7)],
      {},
      { code: 'invalid-args', path: ['args', 'city'], message: expect.stringContaining('places.weather') },
    ],
    [
      'a misspelt argument',
      [city('x', { unti: 'C' })],
      {},
      { code: 'invalid-args', hint: 'did you mean "unit"?' },
    ],
    ['a value out of range', [city('x', { days: 8 })], {}, { code: 'invalid-args', path: ['args', 'days'] }],
    [
      'a broken Ref',
      [city('${t1.')],
      {},
      { code: 'invalid-ref', path: ['args', 'city'], hint: 'write $${ where ${ is meant as text' },
    ],
    [
      'a Ref to a key in Japanese',
      [city('${t1.都市}')],
      {},
      { code: 'invalid-ref', hint: expect.stringContaining('in quotes') },
    ],
    [
      'a Ref to a missing task',
      [{ id: 'locate' }, city('${locatee.city}')],
      {},
      {
        code: 'dangling-ref',
        path: ['args', 'city'],
        message: 'it refers to "locatee", which is not in the plan',
        hint: 'did you mean "locate"?',
      },
    ],
    [
      'a text in shell style',
      [city('${HOME}')],
      {},
      { code: 'dangling-ref', hint: 'write $${ where ${ is meant as text' },
    ],
    [
      'a Ref to itself',
      [city('${w.x}')],
      {},
      { code: 'self-reference', task: 'w', message: '"w" refers to its own result' },
    ],
    ['waiting for itself', [{ id: 'a', after: ['a'] }], {}, { code: 'self-reference', path: ['after', 0] }],
    [
      'waiting for a missing task',
      [{ id: 'first' }, { id: 'b', after: ['first', 'frist'] }],
      {},
      { code: 'unknown-after', path: ['after', 1], hint: 'did you mean "first"?' },
    ],
    [
      'a cycle',
      [
        { id: 'a', args: { x: '${c}' } },
        { id: 'b', after: ['a'] },
        { id: 'c', args: { x: 'see ${b.y}' } },
      ],
      {},
      {
        code: 'cycle',
        message: 'these tasks wait for each other: a → c → b → a',
        hint: 'remove one of these references',
      },
    ],
    [
      'a broken condition',
      [{ id: 'a', expect: 'length(' }],
      {},
      { code: 'invalid-expect', task: 'a', path: ['expect'] },
    ],
    [
      'a placeholder',
      [city('{{city}}')],
      { mode: 'adaptive' },
      { code: 'placeholder', path: ['args', 'city'] },
    ],
    [
      'a Ref where real values are asked for',
      [city('${t1.city}')],
      { mode: 'adaptive' },
      { code: 'placeholder' },
    ],
    [
      'an order rule',
      [{ id: 'q', operation: 'box.put' }, { id: 'l' }],
      { order: [{ before: 'box.get', after: 'box.put' }] },
      {
        code: 'order-rule',
        task: 'q',
        message: 'box.put may only be called after box.get',
        hint: 'move box.get before "q"',
      },
    ],
    [
      'an order rule whose first part is missing',
      [{ id: 'q', operation: 'box.put' }],
      { order: [{ before: 'box.get', after: 'box.put' }] },
      { code: 'order-rule', hint: 'add a task with box.get before "q"' },
    ],
    [
      'too many tasks',
      [{ id: 'a' }, { id: 'b' }],
      { maxTasks: 1 },
      {
        code: 'too-many-tasks',
        message: 'the plan has 2 tasks, and 1 are allowed',
        hint: expect.stringContaining('max_subtasks'),
      },
    ],
  ])('%s', (_, tasks, changes, expected) => {
    expect(problems(tasks, changes)).toContainEqual(expect.objectContaining(expected));
  });

  it('what is wrong with the second of two tasks of one id is told of the second', () => {
    const twice = [{ id: 'a' }, { id: 'a', operation: 'box.nope', after: ['x'] }];
    expect(problems(twice)).toMatchObject([
      { code: 'duplicate-id', index: 1 },
      { code: 'unknown-operation', task: 'a', index: 1 },
      { code: 'unknown-after', task: 'a', index: 1 },
    ]);
  });

  it('everything is told in one go', () => {
    const codes = problems([
      { id: 'a', operation: 'nope', after: ['x'], expect: '(' },
      { id: 'a', args: { v: '${gone}' } },
    ]).map(({ code }) => code);
    expect(new Set(codes)).toEqual(
      new Set(['unknown-operation', 'unknown-after', 'invalid-expect', 'duplicate-id', 'dangling-ref']),
    );
  });

  it('a plan of 10,000 wrong tasks is refused quickly, with no more than a person can read', () => {
    const tasks = Array.from({ length: 10_000 }, (_, index) => ({
      id: `task${index}`,
      args: { v: `\${tsk${index}}` },
    }));
    expect(problems(tasks, { maxTasks: 10_000 })).toHaveLength(100);
  });

  it('one task that waits for unknown others is refused in time that grows with their number only', async () => {
    const others = Array.from({ length: 200 }, (_, index) => ({ id: `task${index}` }));
    const refused = (size: number) => {
      const after = Array.from({ length: size }, (_, index) => `tsk${index}`);
      expect(problems([...others, { id: 'last', after }], { maxTasks: 10_000 })).toHaveLength(100);
    };
    expect(await growth(refused, 20_000)).toBeLessThan(LINEAR);
  });

  it.runIf(IS_LONG)('a rule that 200,000 tasks break is told, and does not overflow the stack', () => {
    const tasks = Array.from({ length: 200_000 }, (_, index) => ({ id: `t${index}` }));
    const order = [{ before: 'box.put', after: 'box.get' }];
    expect(problems(tasks, { order, maxTasks: 200_000 })).toHaveLength(100);
  });
});

describe('what cannot be judged before the run is not refused', () => {
  it.each<[string, Planned]>([
    ['a Ref where a number is asked for', city('x', { days: '${l.n}' })],
    ['a Ref where one of a list is asked for', city('x', { unit: '${l.u}' })],
    ['a Ref where one of two forms is asked for', city('x', { at: { lat: '${l.lat}' } })],
    ['a Ref within a text', city('in ${l.city}')],
  ])('%s', (_, task) => {
    expect(problems([{ id: 'l' }, task])).toEqual([]);
  });

  it('but a Ref within a longer text is a text, and a number is asked for', () => {
    expect(problems([{ id: 'l' }, city('x', { days: 'about ${l.n}' })])).toMatchObject([
      { code: 'invalid-args', path: ['args', 'days'] },
    ]);
  });

  it('and where a schema allows no value at all, none will do', () => {
    const closed = tool('box.old', 'read', { type: 'object', properties: { gone: false } });
    const tools = new Map([...TOOLS, closed].map((one) => [one.name, one]));
    const plan: Planned[] = [{ id: 'a' }, { id: 'b', operation: 'box.old', args: { gone: '${a}' } }];
    expect(problems(plan, { tools })).toMatchObject([{ code: 'invalid-args', path: ['args', 'gone'] }]);
  });

  it('an expectation that something is absent which is never there is told, and not refused', () => {
    const outputSchema = { type: 'object', properties: { n: {} }, additionalProperties: false };
    const tools = new Map([['box.get', { ...tool('box.get'), outputSchema }]]);
    const plan = [toTask({ id: 'a', operation: 'box.get', expect: '!error' })];
    expect(compile(plan, surroundings({ tools }))).toMatchObject({
      ok: true,
      warnings: [{ code: 'unknown-field', task: 'a', path: ['expect'] }],
    });
    expect(problems([{ id: 'a', expect: 'error' }], { tools })).toMatchObject([{ code: 'unknown-field' }]);
  });

  it('an escaped ${ is a text in every mode', () => {
    expect(problems([city('$${HOME}')], { mode: 'adaptive' })).toEqual([]);
    expect(problems([city('$${HOME}')])).toEqual([]);
  });
});

describe('a mistake among many Refs', () => {
  it('is found, however many of them come before it', () => {
    const tool = {
      name: 'box.list',
      server: 'box',
      description: '',
      effect: 'read' as const,
      trusted: true,
      inputSchema: { type: 'object', properties: { l: { type: 'array', items: { type: 'number' } } } },
    };
    const refs = Array.from({ length: 200 }, () => '${r}');
    const tasks: Task[] = [
      { id: 'r', operation: 'box.get', args: {} },
      { id: 'w', operation: 'box.list', args: { l: [...refs, 'abc'] } },
    ];
    const tools = new Map([...surroundings({}).tools, [tool.name, tool]]);
    const compiled = compile(tasks, { ...surroundings({ tools }), check: createSchemaCheck() });
    expect(compiled).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'invalid-args', path: ['args', 'l', 200] }],
    });
  });
});

describe('an accepted plan', () => {
  it('says what each task needs and waits for', () => {
    const tasks: Planned[] = [
      { id: 'r' },
      { id: 'w', operation: 'box.put', args: { v: '${r}' } },
      { id: 'x', operation: 'box.put', after: ['w'] },
      { id: 'o', operation: 'other.put' },
      { id: 'z', args: { a: '${old.x}' } },
    ];
    expect(checked(tasks, { done: new Map([['old', 'box.get']]) })).toEqual([
      { id: 'r', effect: 'read', rank: 4000 },
      { id: 'w', effect: 'write', needs: ['r'], rank: 3000 },
      { id: 'x', effect: 'write', needs: ['w'], rank: 2000 },
      { id: 'o', effect: 'write', rank: 1000 },
      { id: 'z', effect: 'read', waits: ['x'], rank: 1000 },
    ]);
  });

  it('keeps an order rule by an edge, also where nothing refers', () => {
    const order = [{ before: 'places.weather', after: 'box.get' }];
    expect(checked([city('x'), { id: 'a' }], { order })).toContainEqual({
      id: 'a',
      effect: 'read',
      needs: ['w'],
      rank: 1000,
    });
    expect(checked([{ id: 'a' }], { order, done: new Map([['d', 'places.weather']]) })).toEqual([
      { id: 'a', effect: 'read', rank: 1000 },
    ]);
  });

  describe('an order rule is kept by what a task needs, wherever it is written', () => {
    const order = [{ before: 'places.weather', after: 'box.put' }];
    const put = (more: Partial<Planned>): Planned => ({ id: 'p', operation: 'box.put', ...more });

    it.each<[string, readonly Planned[]]>([
      ['after', [put({ after: ['w'] }), city('x')]],
      ['a Ref', [put({ args: { v: '${w.t}' } }), city('x')]],
      ['through others', [put({ after: ['m'] }), { id: 'm', args: { v: '${w.t}' } }, city('x')]],
      [
        'a later one than the first written',
        [{ ...city('x'), id: 'v', after: ['p'] }, put({ after: ['w'] }), city('x')],
      ],
    ])('%s', (_, tasks) => {
      const found = checked(tasks, { order }).find(({ id }) => id === 'p');
      expect(found?.needs).toContain('w');
    });

    it('also where the model’s wait between two reads is dropped as needless', () => {
      const reads = [{ before: 'places.weather', after: 'box.get' }];
      const tasks: Planned[] = [
        { id: 'a', after: ['m'] },
        { id: 'm', operation: 'files.read_text_of_a_file', after: ['w'] },
        city('x'),
      ];
      expect(checked(tasks, { order: reads, dropsNeedless: true })[0]?.needs).toContain('w');
    });

    it('and it is broken where what a task needs is something else', () => {
      expect(problems([put({ after: ['a'] }), { id: 'a' }, city('x')], { order })).toMatchObject([
        { code: 'order-rule', task: 'p' },
      ]);
    });

    it('in time in proportion to the plan', async () => {
      const ratio = await growth((size) => {
        const chain = Array.from({ length: size }, (_, index) =>
          toTask({
            id: `t${index}`,
            operation: 'box.put',
            after: [index + 1 < size ? `t${index + 1}` : 'w'],
          }),
        );
        expect(compile([...chain, toTask(city('x'))], surroundings({ order, maxTasks: size + 1 })).ok).toBe(
          true,
        );
      });
      expect(ratio).toBeLessThan(LINEAR);
    });
  });

  it('may use ids that are words of JavaScript', () => {
    const ids = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
    expect(
      checked(ids.map((id, index) => ({ id, ...(index > 0 && { after: [ids[index - 1] ?? ''] }) }))),
    ).toMatchObject([
      { id: 'constructor' },
      { id: '__proto__', needs: ['constructor'] },
      { id: 'toString', needs: ['__proto__'] },
      { id: 'hasOwnProperty', needs: ['toString'] },
    ]);
  });

  it('whatever the plan, needs and waits together have no cycle, so that it cannot hang', () => {
    const plan = fc.integer({ min: 1, max: 10 }).chain((size) =>
      fc.array(
        fc.record({
          operation: fc.constantFrom('box.get', 'box.put', 'other.put'),
          needs: fc.array(fc.nat(size - 1), { maxLength: 3 }),
        }),
        { minLength: size, maxLength: size },
      ),
    );
    fc.assert(
      fc.property(plan, (list) => {
        const tasks = list.map(({ operation, needs }, index) =>
          toTask({ id: `t${index}`, operation, after: needs.map((need) => `t${need}`) }),
        );
        const compiled = compile(tasks, surroundings());
        if (!compiled.ok) return;
        const left = new Map(
          compiled.tasks.map((task) => [task.id, [...(task.needs ?? []), ...(task.waits ?? [])]]),
        );
        for (let size = -1; size !== left.size; ) {
          size = left.size;
          for (const [id, before] of left) if (!before.some((one) => left.has(one))) left.delete(id);
        }
        expect(left.size).toBe(0);
      }),
    );
  });

  it.each<[string, (index: number) => Planned]>([
    ['a chain', (index) => ({ id: `t${index}`, ...(index > 0 && { args: { v: `\${t${index - 1}.x}` } }) })],
    ['a fan', (index) => ({ id: `t${index}`, ...(index > 0 && { args: { v: '${t0}' } }) })],
    [
      'writes between reads',
      (index) => ({ id: `t${index}`, operation: index % 50 === 49 ? 'box.put' : 'box.get' }),
    ],
  ])('takes time in proportion to its size: %s', async (_, make) => {
    const ratio = await growth((size) => {
      const tasks = Array.from({ length: size }, (__, index) =>
        toTask({ operation: 'box.get', ...make(index) }),
      );
      expect(compile(tasks, surroundings({ maxTasks: size })).ok).toBe(true);
    });
    expect(ratio).toBeLessThan(LINEAR);
  });

  it('a write that needs and waits for 10,000 others costs no more than they do', () => {
    const reads = Array.from({ length: 10_000 }, (_, index) => ({ id: `r${index}` }));
    const write = { id: 'w', operation: 'box.put', after: reads.map(({ id }) => id) };
    const compiled = checked([...reads, write], { maxTasks: 20_000 });
    expect(compiled.at(-1)?.needs).toHaveLength(10_000);
    expect(compiled.at(-1)?.waits).toBeUndefined();
  });
});
