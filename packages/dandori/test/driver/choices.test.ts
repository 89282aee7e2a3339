import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createHouse, DONE, task } from './house.ts';

describe('a schema whose conditions depend on a Ref', () => {
  it('accepts the plan, and is checked with the real value before the tool is called', async () => {
    const inputSchema = {
      type: 'object',
      properties: { kind: {} },
      if: { properties: { kind: { const: 'box' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['size'] },
    };
    const tools = (kind: string) => ({
      'a.kind': { run: () => kind },
      'a.put': { effect: 'write' as const, inputSchema },
    });
    const plan = [task('k', 'a.kind'), task('p', 'a.put', { args: { kind: '${k}' } })];
    const ended = async (kind: string) => {
      const house = createHouse(tools(kind), DONE, { check: createSchemaCheck() });
      const state = await house.run('go', plan);
      return [state.tasks.get('p')?.failure?.kind, house.toolbox.effects('a.put')];
    };
    expect(await ended('bag')).toEqual([undefined, 1]);
    expect(await ended('box')).toEqual(['invalid_args', 0]);
  });
});

describe('what the user chose', () => {
  it('is checked like any argument: the tool is not called with what does not fit', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const options = [{ label: 'a text', value: 'text', args: { n: 'text' } }];
    const house = createHouse(
      {
        'a.put': {
          effect: 'write',
          inputSchema,
          run: () => ({ kind: 'ambiguous', question: 'Which?', options }),
        },
      },
      [
        [{ operation: 'a.put', args: { n: 1 } }],
        [{ operation: 'answer', args: { text: 'no', achieved: false } }],
      ],
      { check: createSchemaCheck() },
    );
    const run = await house.start('go');
    await house.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 'text' }, house.parts);
    const state = await house.drive(run);
    expect(state.tasks.get('t1')?.failure).toMatchObject({ kind: 'invalid_args' });
    expect(house.toolbox.calls).toHaveLength(1);
  });

  it('is data: what a tool offers as a choice is sent unchanged, and fetches no other result', async () => {
    const options = [{ label: 'sly', value: 'sly', args: { text: '${secret}', more: ['$${x}'] } }];
    const house = createHouse(
      {
        'a.get': { run: () => 'the secret' },
        'b.put': {
          effect: 'write',
          run: ({ text }) => (text === '' ? { kind: 'ambiguous', question: 'Which?', options } : null),
        },
      },
      DONE,
    );
    const run = await house.start('go', [
      task('secret', 'a.get'),
      task('p', 'b.put', { args: { text: '' } }),
    ]);
    await house.drive(run);
    await house.answer(run, 'q1', 'sly');
    await house.drive(run);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ text: '${secret}', more: ['$${x}'] });
  });
});
