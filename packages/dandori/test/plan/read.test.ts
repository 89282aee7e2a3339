import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parsePlan, planSchema, readPlanFile, renderDiagnostics } from '../../src/plan/read.ts';
import { folderWith, refusal } from '../config/workspace.ts';
import { growth, LINEAR } from './growth.ts';

const lines = (...text: string[]) => text.join('\n');

const YAML = `# 段取り
goal: 合計
tasks:
  - id: sum
    operation: calc.evalute
    args: { "式": "1 + 2", precision: x }
  - operation: clock.now
    after: sum
    expect: iso != null
    timeout: 1m
    description: d
    reasoning: r
    args:
      zone: null
      list:
        - a
        - "\${sum.value}"
`;

describe('a plan file', () => {
  it('has every field of its tasks, with milliseconds and default ids', () => {
    const { goal, tasks } = parsePlan(YAML, 'plan.yaml');
    expect(goal).toBe('合計');
    expect(tasks).toEqual([
      { id: 'sum', operation: 'calc.evalute', args: { 式: '1 + 2', precision: 'x' } },
      {
        id: 't2',
        operation: 'clock.now',
        args: { zone: null, list: ['a', '${sum.value}'] },
        after: ['sum'],
        expect: 'iso != null',
        timeoutMs: 60_000,
        description: 'd',
        reasoning: 'r',
      },
    ]);
  });

  it.each([
    ['JSON', '{"tasks": [{"operation": "a.b", "args": {"x": 1}, "after": ["t2"], "timeout": 2}]}'],
    [
      'JSON with tabs',
      '{\n\t"tasks": [\n\t\t{"operation": "a.b", "args": {"x": 1}, "after": ["t2"], "timeout": 2},\n\t]\n}',
    ],
    ['a list in YAML', '- operation: a.b\n  args: { x: 1 }\n  after: [t2]\n  timeout: 2s\n'],
    ['a list in JSON', '[{"operation": "a.b", "args": {"x": 1}, "after": ["t2"], "timeout": "2s"}]'],
  ])('can be %s', (_name, text) => {
    expect(parsePlan(text, 'plan').tasks).toEqual([
      { id: 't1', operation: 'a.b', args: { x: 1 }, after: ['t2'], timeoutMs: 2000 },
    ]);
  });

  it('is read from a file, and a missing one is named', async () => {
    const folder = await folderWith({ 'p.yaml': '- operation: a.b\n  args:\n' });
    expect((await readPlanFile(join(folder, 'p.yaml'))).tasks).toEqual([
      { id: 't1', operation: 'a.b', args: {} },
    ]);
    expect(await refusal(readPlanFile(join(folder, 'q.yaml')))).toMatchObject({ code: 'file-unreadable' });
  });

  it('above 10 MB is refused', async () => {
    const folder = await folderWith({ 'p.json': Buffer.alloc(10_000_001, ' ') });
    const error = await refusal(readPlanFile(join(folder, 'p.json')));
    expect(error).toMatchObject({
      code: 'plan-invalid',
      message: expect.stringContaining('larger than 10 MB'),
    });
  });

  it('of nearly 10 MB of JSON is read in seconds', () => {
    const tasks = Array.from({ length: 30_000 }, (_, index) => ({
      id: `t${index}`,
      operation: 'calc.evaluate',
      args: { expression: `${index} + 1` },
      description: 'x'.repeat(200),
    }));
    expect(parsePlan(JSON.stringify({ tasks }), 'p').tasks).toHaveLength(30_000);
  });
});

describe('a plan that has the wrong shape', () => {
  it.each([
    ['', '1:1', 'tasks is missing'],
    ['hello', '1:1', 'the file must be a group of keys ($schema, goal, tasks), not "hello"'],
    ['goal: x', '1:1', 'tasks is missing'],
    ['tasks: x', '1:8', 'tasks must be a list'],
    ['tasks:\n  - a.b', '2:5', 'tasks[0] must be a group of keys (id, operation'],
    ['tasks:\n  - id: a', '2:5', 'tasks[0].operation is missing'],
    ['tasks:\n  - operation: 5', '2:16', 'tasks[0].operation must be text, such as calc.evaluate, not 5'],
    ['tasks:\n  - opertion: a.b', '2:5', 'did you mean "operation"?'],
    ['tasks:\n  - { operation: a.b, tool: c }', '2:23', 'did you mean "operation"?'],
    ['tasks:\n  - { operation: a.b, depends_on: [c] }', '2:23', 'did you mean "after"?'],
    ['tasks:\n  - { operation: a.b, goal: c }', '2:23', 'goal belongs at the top'],
    ['operation: a.b\ntasks: []', '1:1', 'operation belongs under tasks'],
    ['steps: []\ntasks: []', '1:1', 'did you mean "tasks"?'],
    [
      '- operation: a.b\n  args: [1]',
      '2:9',
      'tasks[0].args must be a group of arguments, such as { expression: 1 + 2 }, not a list',
    ],
    [
      '- operation: a.b\n  timeout: soon',
      '2:12',
      'or a duration of at most 24 days, such as 30s, not "soon"',
    ],
    ['- operation: a.b\n  after: [1]', '2:10', 'tasks[0].after must be a list of ids, such as [t1, t2]'],
    ['- operation: a.b\n  args: { city: ${t1.city} }', '2:18', 'between { } or [ ] put quotes around a Ref'],
    ['[{"operation": "a.b", "args": {"id": -1e999}}]', '1:38', '-1e999 is not a number that can be used'],
    ['- operation: a.b\n  args: { id: -1e999 }', '2:15', '-1e999 is not a number that can be used'],
    ['- operation: a.b\n  args: { n: .inf }', '2:14', '.inf is not a number that can be used'],
    ['- operation: a.b\n  args: { n: !!binary aGk= }', '2:23', 'the tag !!binary is not known'],
    ['[{"operation": "a.b", "args": {"a": 1, "a": 2}}]', '1:40', 'the key "a" appears twice'],
    ['- operation: a.b\n  args: { a: 1, a: 2 }', '2:17', 'the key "a" appears twice'],
    [
      `[{"operation": "a.b", "args": {"a": ${'['.repeat(600)}${']'.repeat(600)}}}]`,
      '1:',
      'this is nested too deeply',
    ],
  ])('%j', async (text, place, wanted) => {
    const error = await refusal(() => parsePlan(text, 'plan.yaml'));
    expect(error.code).toBe('plan-invalid');
    expect(error.message).toContain(`plan.yaml:${place}`);
    expect(error.message).toContain(wanted);
  });

  it('tells all at once, and stops at fifty', async () => {
    const text = Array.from({ length: 60 }, () => '- operation: 1').join('\n');
    const { message } = await refusal(() => parsePlan(text, 'p'));
    expect(message).toMatch(/^p has 60 problems\n/);
    expect(message.match(/error:/g)).toHaveLength(50);
    expect(message).toMatch(/… and 10 more$/);
  });
});

describe('a broken file that is called JSON', () => {
  it.each([
    [
      '{"tasks":[{"id":"a",, "operation":"b"}]}',
      'p.json:1:21 error: this is not JSON: Expected double-quoted property name',
    ],
    ['{"tasks":\n[{"id":"a" ', 'p.json:2:12 error: this is not JSON: Expected'],
    ['{"a": 1, b: {}}}', 'p.json:1:10 error: this is not JSON: Expected double-quoted property name'],
  ])('is not said to be YAML: %s', async (text, wanted) => {
    const { message } = await refusal(() => parsePlan(text, 'p.json'));
    expect(message).toContain(wanted);
    expect(message).not.toContain('YAML');
  });
});

describe('what the compiler found, shown in the plan', () => {
  it.each([
    ['plan.yaml', 'tasks: [{id: a, operation: x.y, args: {citi: Tokyo}}]'],
    ['plan.json', '{"tasks": [{"id": "a", "operation": "x.y", "args": {"citi": "Tokyo"}}]}'],
  ])('points at the key where that is what is wrong: %s', (name, text) => {
    const rendered = renderDiagnostics(
      [{ code: 'invalid-args', task: 'a', path: ['args', 'citi'], at: 'key', message: 'x' }],
      parsePlan(text, name),
    );
    const [, shown = '', carets = ''] = rendered.split('\n');
    expect(shown.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toMatch(/^"?citi"?$/);
  });

  it('looks like a compiler’s message', () => {
    const plan = parsePlan(YAML, 'plan.yaml');
    const message = 'there is no tool "calc.evalute"';
    const hint = 'did you mean "calc.evaluate"?';
    const diagnostics = [
      { code: 'unknown-operation', task: 'sum', path: ['operation'], message, hint },
    ] as const;
    expect(
      renderDiagnostics(
        diagnostics.map((item) => ({ ...item, path: [...item.path] })),
        plan,
      ),
    ).toBe(
      lines(
        'plan.yaml:5:16 error[unknown-operation]: there is no tool "calc.evalute"',
        '  5 |     operation: calc.evalute',
        '    |                ^^^^^^^^^^^^',
        '  hint: did you mean "calc.evaluate"?',
        '  see docs/errors/unknown-operation.md',
      ),
    );
  });

  it.each([
    ['sum', ['args', 'precision'], 6, 'x }', 1],
    ['sum', ['args', '式'], 6, '"1 + 2"', 7],
    ['sum', ['args', 'missing'], 6, 'args:', 4],
    ['t2', ['args', 'list', 1], 17, '"${sum', 14],
    ['t2', ['args', 'list'], 15, 'list:', 4],
    ['t2', ['after', 0], 8, 'after', 5],
    [1, ['timeout'], 10, '1m', 2],
    ['t2', [], 7, 'operation', 1],
    ['nobody', ['args'], 3, 'tasks', 5],
    [undefined, [], 3, 'tasks', 5],
  ])('%s %j is found', (task, path, line, begins, length) => {
    const place = parsePlan(YAML, 'plan.yaml').locate(task, path);
    expect(place).toMatchObject({ line, length });
    expect(place.text.slice(place.column - 1, place.column - 1 + begins.length)).toBe(begins);
  });

  it('places in JSON are the same, on one line or many', () => {
    const value = {
      goal: 'g',
      tasks: [
        { id: 'a', operation: 'x.y', args: {} },
        { id: 'b', operation: 'x.z', args: { l: [{}, [], 'v"\\'] } },
      ],
    };
    for (const indent of [0, 2]) {
      const plan = parsePlan(JSON.stringify(value, null, indent), 'p.json');
      const shown = (task: string, path: (string | number)[]) => {
        const { text, column, length } = plan.locate(task, path);
        return text.slice(column - 1, column - 1 + length);
      };
      expect(shown('b', ['operation'])).toBe('"x.z"');
      expect(shown('b', ['args', 'l', 2])).toBe('"v\\"\\\\"');
      expect(shown('b', ['args', 'l'])).toBe('"l"');
      expect(shown('a', ['args', 'missing'])).toBe('"args"');
      expect(shown('a', [])).toBe('{');
    }
  });

  it('a long line is cut around the place', () => {
    const plan = parsePlan(
      JSON.stringify([{ operation: 'a.b', args: { a: 'x'.repeat(500), b: 1, c: 'y'.repeat(500) } }]),
      'p',
    );
    const text = renderDiagnostics(
      [{ code: 'invalid-args', task: 't1', path: ['args', 'b'], message: 'm' }],
      plan,
    );
    const [, source = '', caret = ''] = text.split('\n');
    expect(source.length).toBeLessThan(120);
    expect(source[caret.indexOf('^')]).toBe('1');
  });

  it('of two tasks with one id the second is shown', () => {
    const plan = parsePlan(
      '- { id: a, operation: x.y }\n- { id: a, operation: x.y }\n- { id: a, operation: x.y }',
      'p',
    );
    const diagnostic = (index: number) => ({
      code: 'duplicate-id' as const,
      task: 'a',
      index,
      path: ['id'],
      message: 'twice',
    });
    const shown = renderDiagnostics([diagnostic(1), diagnostic(2)], plan);
    expect(shown.match(/^p:\d+/gm)).toEqual(['p:2', 'p:3']);
  });

  it('words from a model cannot steer the terminal', () => {
    const plan = parsePlan('- operation: a.b', 'p');
    const text = renderDiagnostics([{ code: 'invalid-args', task: 't1', message: 'x\u001b[2Jy' }], plan);
    expect(text).toContain('x·[2Jy');
  });
});

describe('plan.schema.json', () => {
  const file = new URL('../../plan.schema.json', import.meta.url);
  if (process.env.WRITE_PLAN_SCHEMA) writeFileSync(file, `${JSON.stringify(planSchema(), null, 2)}\n`);

  it('is what the code checks (WRITE_PLAN_SCHEMA=1 writes it, biome formats it)', () => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(planSchema());
  });

  it.each([
    [{ goal: 'g', tasks: [{ operation: 'a.b', timeout: '30s', after: 't1' }] }, true],
    [[{ id: 't1', operation: 'a.b', args: { x: 1 }, timeout: 3, after: ['t2'] }], true],
    [{ tasks: [{ id: 't1' }] }, false],
    [{ tasks: [{ purpose: 'Find a hotel', expected: 'A hotel' }] }, true],
    [{ tasks: [{ operation: 'a.b', purpose: 'Find a hotel' }] }, false],
    [{ tasks: [{ operation: 'a.b', expected: 'A hotel' }] }, false],
    [{ tasks: [{ operation: 'a.b', timeout: 'soon' }] }, false],
    [{ task: [] }, false],
  ])('an editor judges %j as we do', (plan, valid) => {
    const validate = new Ajv2020({ strict: false }).compile(planSchema());
    expect(validate(plan)).toBe(valid);
    const parse = () => parsePlan(JSON.stringify(plan), 'p');
    valid ? expect(parse).not.toThrow() : expect(parse).toThrow();
  });
});

describe('a plan that is wrong everywhere is refused in time that grows with its length, not with the square of it', () => {
  it.each<[string, (index: number) => string]>([
    ['unknown keys', (index) => `k${index}: ${index}`],
    ['unknown tags', (index) => `k${index}: !t${index} x`],
    ['lists that are not closed', (index) => `k${index}: [`],
    ['directives', () => '%x'],
    ['quotes that are not closed', () => "- 'a"],
  ])('%s', async (_name, line) => {
    const refuse = (size: number) => {
      const text = Array.from({ length: size }, (_, index) => line(index)).join('\n');
      expect(() => parsePlan(text, 'plan')).toThrow(/error/);
    };
    expect(await growth(refuse)).toBeLessThan(LINEAR);
  });
});

it('an error at every character leaves the stack traces of other errors alone', () => {
  const before = Error.stackTraceLimit;
  expect(() => parsePlan(`goal: ${'}'.repeat(1_000)}`, 'plan.yaml')).toThrow('this is not YAML');
  expect(Error.stackTraceLimit).toBe(before);
});
