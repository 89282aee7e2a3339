import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlace } from './command.ts';

const EMPTY = 'mcpServers: {}\n';
const CALC = 'mcpServers: {calc: {shipped: calc}}\n';

/** Each line: what is wrong, the configuration, the arguments, and what the message must say. */
const CASES: [string, { config?: string; plan?: string; args: string[]; says: RegExp[] }][] = [
  ['broken YAML', { config: 'execution: [1, 2\nmodel', args: ['run', 'x'], says: [/dandori\.yaml:\d+/] }],
  [
    'unknown key',
    { config: 'execution:\n  max_step: 3\n', args: ['run', 'x'], says: [/dandori\.yaml:2/, /max_steps/] },
  ],
  [
    'wrong type',
    { config: 'execution:\n  max_steps: many\n', args: ['run', 'x'], says: [/dandori\.yaml:2/, /number/] },
  ],
  [
    'missing environment variable',
    {
      config: 'mcpServers:\n  a:\n    url: http://127.0.0.1:1/${DANDORI_NOT_THERE}\n',
      args: ['run', 'x'],
      says: [/DANDORI_NOT_THERE/, /dandori\.yaml:3/],
    },
  ],
  ['no such configuration', { args: ['run', 'x', '--config', 'nowhere.yaml'], says: [/nowhere\.yaml/] }],
  ['empty goal', { config: EMPTY, args: ['run', '  '], says: [/goal/] }],
  [
    'goal of 1 MB',
    { config: EMPTY, args: ['run', 'x'.repeat(100_001)], says: [/100001 characters/, /file/] },
  ],
  [
    'run that does not exist',
    { config: EMPTY, args: ['show', '20200101-000000000-abcd'], says: [/no run/, /dandori runs/] },
  ],
  ['run id with a path in it', { config: EMPTY, args: ['show', '../../etc/passwd'], says: [/no run/] }],
  ['unknown command', { args: ['rum', 'x'], says: [/run/] }],
  ['unknown mode', { args: ['run', 'x', '--mode', 'fast'], says: [/auto/] }],
  ['no such plan', { config: EMPTY, args: ['check', 'nowhere.yaml'], says: [/nowhere\.yaml/] }],
  [
    'plan with no tasks',
    { config: EMPTY, plan: 'tasks: []\n', args: ['check', 'plan.yaml'], says: [/empty-plan/] },
  ],
  [
    'plan with an unknown tool',
    {
      config: CALC,
      plan: 'tasks:\n  - id: a\n    operation: calc.evalute\n    args: {expression: "1"}\n',
      args: ['check', 'plan.yaml'],
      says: [/plan\.yaml:3/, /unknown-operation/, /calc\.evaluate/],
    },
  ],
  [
    'plan with a wrong argument',
    {
      config: CALC,
      plan: 'tasks:\n  - id: a\n    operation: calc.evaluate\n    args: {expression: 5}\n',
      args: ['run', '--plan', 'plan.yaml'],
      says: [/plan\.yaml:4/, /invalid-args/],
    },
  ],
  [
    'plan with an unknown argument',
    {
      config: CALC,
      plan: 'tasks:\n  - id: a\n    operation: calc.evaluate\n    args: {expresion: "1"}\n',
      args: ['check', 'plan.yaml'],
      says: [/plan\.yaml:4:12 error\[invalid-args\]: .*"expresion"/, /did you mean "expression"/],
    },
  ],
  [
    'plan with a dangling reference',
    {
      config: CALC,
      plan: 'tasks:\n  - id: a\n    operation: calc.evaluate\n    args: {expression: "${b.result}"}\n',
      args: ['run', '--plan', 'plan.yaml'],
      says: [/dangling-ref/],
    },
  ],
  [
    'plan with a cycle',
    {
      config: CALC,
      plan: 'tasks:\n  - {id: a, operation: calc.evaluate, args: {expression: "${b.text}"}}\n  - {id: b, operation: calc.evaluate, args: {expression: "${a.text}"}}\n',
      args: ['check', 'plan.yaml'],
      says: [/cycle/, /a → b → a/],
    },
  ],
  [
    'plan with two equal ids',
    {
      config: CALC,
      plan: 'tasks:\n  - {id: a, operation: calc.evaluate, args: {expression: "1"}}\n  - {id: a, operation: calc.evaluate, args: {expression: "2"}}\n',
      args: ['check', 'plan.yaml'],
      says: [/duplicate-id/],
    },
  ],
];

describe.concurrent('bad input gets an error with its fix, and nothing runs', () => {
  it.each(CASES)('%s', async (_, { config, plan, args, says }) => {
    await using place = await openPlace();
    if (config !== undefined) await place.write('dandori.yaml', config);
    if (plan !== undefined) await place.write('plan.yaml', plan);
    const { code, stdout, stderr } = await place.dandori(...args);
    for (const pattern of says) expect(stderr).toMatch(pattern);
    expect(stdout).toBe('');
    expect(stderr).not.toMatch(/\bat .*\.ts:\d+/);
    expect(code).toBe(2);
    expect(await place.runs()).toEqual([]);
  });

  it('a plan that does not compile, as JSON like any other error', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', EMPTY);
    await place.write('plan.yaml', 'tasks:\n  - {id: a, operation: calc.evaluate}\n');
    const { code, stdout } = await place.dandori('run', '--plan', 'plan.yaml', '--json');
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'plan-invalid',
        message: expect.stringContaining('plan.yaml:2:'),
        fix: expect.stringContaining('dandori check'),
        diagnostics: [expect.objectContaining({ code: 'unknown-operation', task: 'a' })],
      },
    });
    expect(code).toBe(2);
  });

  it('a folder for runs that cannot be written to', async () => {
    await using place = await openPlace();
    await place.write('in-the-way', 'a file, not a folder');
    await place.write('dandori.yaml', `${EMPTY}planning:\n  history:\n    directory: in-the-way/runs\n`);
    const { code, stderr } = await place.dandori('run', 'x');
    expect(code).toBe(2);
    expect(stderr).toMatch(/journal-unwritable/);
    expect(stderr).toMatch(/planning\.history\.directory/);
  });

  it('a server whose command is missing does not stop the others, and is named', async () => {
    await using place = await openPlace();
    await mkdir(join(place.folder, 'x'));
    await place.write(
      'dandori.yaml',
      'mcpServers:\n  calc: {shipped: calc}\n  gone: {command: no-such-command-here}\n',
    );
    const { code, stdout, stderr } = await place.dandori('run', '1 + 2を計算');
    expect(stdout).toMatch(/3/);
    expect(stderr).toMatch(/gone/);
    expect(stderr).toMatch(/no-such-command-here/);
    expect(code).toBe(0);
  });
});
