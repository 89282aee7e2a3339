import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Action } from '../../src/model/task.ts';
import { refsIn } from '../../src/plan/fill-refs.ts';
import { parseActions } from '../../src/run/actions/parse-actions.ts';
import { readQuestion } from '../../src/run/actions/question.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { running, stateOf } from './facts.ts';

const after = (...ids: string[]) => stateOf(...running(ids.map((id) => ({ id }))));
const act = (id: string, args: Action['args'] = {}, more: Partial<Action> = {}): Action => ({
  id,
  operation: 'box.get',
  args,
  ...more,
});
const ids = (actions: Action[], ...earlier: string[]) =>
  parseActions(actions, after(...earlier)).tasks.map(({ id }) => id);

describe('ids', () => {
  it.each<[string, string[], string[], string[]]>([
    ['new ones stay', ['a', 'b'], ['t1'], ['a', 'b']],
    ['those of an earlier plan get a number', ['t1', 't2'], ['t1', 't2'], ['t1_2', 't2_2']],
    ['a number that is taken is passed over', ['t1'], ['t1', 't1_2'], ['t1_3']],
    ['a number that the list itself uses is passed over', ['t1', 't1_2'], ['t1'], ['t1_3', 't1_2']],
    ['missing ones are made', ['', ''], ['t1'], ['t2', 't3']],
    ['missing ones do not take one that is there', ['', 't2'], ['t1'], ['t2_2', 't2']],
    ['the same twice stays twice, for the compiler to report', ['x', 'x'], [], ['x', 'x']],
    ['the same twice and used before, too', ['t1', 't1'], ['t1'], ['t1_2', 't1_2']],
    [
      'words of JavaScript are ids like others',
      ['constructor', '__proto__'],
      ['constructor'],
      ['constructor_2', '__proto__'],
    ],
  ])('%s', (_, given, earlier, expected) => {
    expect(
      ids(
        given.map((id) => act(id)),
        ...earlier,
      ),
    ).toEqual(expected);
  });

  it('a missing id never becomes the new name of another task', () => {
    expect(new Set(ids([act('t5'), act('x'), act('')], 't1', 't5')).size).toBe(3);
  });

  it('all are new and different, whatever is given, unless the list itself has one twice', () => {
    const id = fc.constantFrom<string>('', 't1', 't2', 't3', 't1_2', 't2_2', 'a');
    fc.assert(
      fc.property(
        fc.array(id, { maxLength: 6 }),
        fc.uniqueArray(id.filter(Boolean), { maxLength: 5 }),
        (given, earlier) => {
          fc.pre(new Set(given.filter(Boolean)).size === given.filter(Boolean).length);
          const made = ids(
            given.map((one) => act(one)),
            ...earlier,
          );
          expect(new Set(made).size).toBe(made.length);
          expect(made.filter((one) => earlier.includes(one))).toEqual([]);
        },
      ),
    );
  });
});

describe('Refs follow the new ids', () => {
  it('in arguments, in `after` and in the answer', () => {
    const actions = [
      act('t1'),
      act('t2', { a: '${t1.x}', b: ['so ${t1 | length(@)} of ${other[0]}'] }, { after: ['t1', 'other'] }),
      { id: 'a', operation: 'answer', args: { text: 'It is ${t2}.' } },
    ];
    const { tasks, operations } = parseActions(actions, after('t1', 't2'));
    expect(tasks[1]).toMatchObject({
      id: 't2_2',
      args: { a: '${t1_2.x}', b: ['so ${t1_2 | length(@)} of ${other[0]}'] },
      after: ['t1_2', 'other'],
    });
    expect(operations[0]?.args).toEqual({ text: 'It is ${t2_2}.' });
  });

  it('a task that names itself means the one of the earlier plan', () => {
    const [task] = parseActions([act('t1', { from: '${t1.x}' }, { after: ['t1'] })], after('t1')).tasks;
    expect(task).toMatchObject({ id: 't1_2', args: { from: '${t1.x}' }, after: ['t1'] });
  });

  it('a text that only looks like a Ref stays a text', () => {
    const [, task] = parseActions(
      [act('t1'), act('t2', { script: 'echo $${t1} ${t1.x} $${HOME}' })],
      after('t1'),
    ).tasks;
    expect(task?.args).toEqual({ script: 'echo $${t1} ${t1_2.x} $${HOME}' });
    expect(refsIn(task?.args ?? {})).toHaveLength(1);
  });

  it('a dollar before a Ref stays a dollar: a price is still one', () => {
    const [, task] = parseActions(
      [act('t1'), act('t2', { text: 'it costs $$${t1.x}, $$$${t1} $' })],
      after('t1'),
    ).tasks;
    expect(task?.args).toEqual({ text: 'it costs $$${t1_2.x}, $$$${t1} $' });
  });

  it('a broken Ref is left for the compiler', () => {
    const [, task] = parseActions([act('t1'), act('t2', { a: '${t1.' })], after('t1')).tasks;
    expect(task?.args).toEqual({ a: '${t1.' });
  });

  it('a hostile key stays a key', () => {
    const args = JSON.parse('{"__proto__": "${t1}"}') as Action['args'];
    const [, task] = parseActions([act('t1'), act('t2', args)], after('t1')).tasks;
    expect(JSON.stringify(task?.args)).toBe('{"__proto__":"${t1_2}"}');
  });
});

describe('our own operations', () => {
  it('are told from tool calls, and questions are numbered on', () => {
    const { operations, tasks, questions } = parseActions(
      [
        { id: 'q', operation: 'ask', args: { question: 'Which?', options: ['a', { b: 1 }] } },
        { id: 'r', operation: 'ask', args: { text: 'odd' } },
        act('t1'),
      ],
      after(),
    );
    expect(operations).toHaveLength(2);
    expect(tasks).toHaveLength(1);
    expect(questions).toMatchObject([
      {
        data: {
          question: {
            id: 'q1',
            kind: 'missing_input',
            text: 'Which?',
            options: [
              { label: 'a', value: 'a' },
              { label: '{"b":1}', value: { b: 1 } },
            ],
          },
        },
      },
      { data: { question: { id: 'q2', text: '{"text":"odd"}' } } },
    ]);
  });
});

describe('a question of a weak or hostile model', () => {
  const check = createSchemaCheck();
  const asked = (args: JsonObject) => readQuestion({ question: 'Which?', ...args }, check);
  const form = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it('keeps a usable form, and repairs certain mistakes', () => {
    expect(asked({ form, options: ['a'] })).toEqual({ text: 'Which?', form });
    expect(asked({ form: { properties: form.properties } }).form).toEqual({
      type: 'object',
      properties: form.properties,
    });
    expect(asked({ form: { name: { type: 'string' } } }).form).toEqual({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
    });
  });

  it.each<[string, JsonObject]>([
    ['a form that is no schema', { form: { type: 'nonsense' } }],
    ['a form that is empty', { form: {} }],
    ['a form that is a list', { form: [1] }],
    ['a form that is words', { form: { first: 'your name' } }],
    ['a form without end', { form: { type: 'object', description: 'x'.repeat(20_000) } }],
    ['options that are no list', { options: { a: 1 } }],
    ['options that are empty', { options: [null, ''] }],
    ['a default that fits nothing', { default: null }],
  ])('is asked in words where it brings %s', (_, args) => {
    expect(asked(args)).toEqual({ text: 'Which?' });
  });

  it('bounds options, drops those that say the same, and a default that is none of them', () => {
    const { options } = asked({
      options: Array.from({ length: 500 }, (_, index) => 'x'.repeat(index * 10 + 1)),
    });
    expect(options).toHaveLength(50);
    expect(asked({ options: ['a', 'a', { label: 'B', value: 2 }], default: 3 })).toEqual({
      text: 'Which?',
      options: [
        { label: 'a', value: 'a' },
        { label: 'B', value: 2 },
      ],
    });
    expect(asked({ options: ['a', 'b'], default: 'b' }).default).toBe('b');
    expect(asked({ form, default: { n: 'x' } }).default).toBeUndefined();
    expect(asked({ form, default: { n: 1 } }).default).toEqual({ n: 1 });
  });
});
