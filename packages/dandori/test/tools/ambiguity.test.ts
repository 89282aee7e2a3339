import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Tool } from '../../src/model/tool.ts';
import { resultOutcome } from '../../src/tools/mcp/tools.ts';
import { ambiguous } from '../../src/tools/service.ts';
import type { Call, CallOutcome } from '../../src/tools/toolbox.ts';
import { defineTool } from './fixtures/define-tool.ts';

const tool: Tool = {
  name: 'shop.take',
  server: 'shop',
  description: 'Takes',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { taken: { type: 'string' } }, required: ['taken'] },
  effect: 'write',
  trusted: false,
};
const outcomeOf = (result: Parameters<typeof resultOutcome>[0], of: Partial<Tool> = {}) =>
  resultOutcome(result, { ...tool, ...of }, () => []);

const options: Json[] = [{ label: 'whole', args: { id: 1 } }, { label: 'skimmed' }];
const asked = { ambiguous: true, question: 'Which milk?', options };
const text = (value: object) => [{ type: 'text', text: JSON.stringify(value) } as JsonObject];

const CIRCLE: unknown[] = [];
CIRCLE.push(CIRCLE);

describe('a tool that needs a choice', () => {
  it.each([
    ['a structured result', { content: [], structuredContent: asked }],
    ['a structured error', { content: [], structuredContent: asked, isError: true }],
    ['an error of JSON text', { content: text(asked), isError: true }],
    ['a result of JSON text', { content: text(asked) }],
  ])('is understood as %s', (_, result) => {
    expect(outcomeOf(result)).toEqual({
      kind: 'ambiguous',
      question: 'Which milk?',
      options: [
        { label: 'whole', value: 'whole', args: { id: 1 } },
        { label: 'skimmed', value: 'skimmed' },
      ],
    });
  });

  it('may ask for a form, and name the default for an expired question', () => {
    const form = { type: 'object', properties: { id: { type: 'integer' } } };
    const result = {
      content: text({ ambiguous: true, question: 'Which?', form, default: { id: 1 } }),
      isError: true,
    };
    expect(outcomeOf(result)).toEqual({
      kind: 'ambiguous',
      question: 'Which?',
      options: [],
      form,
      default: { id: 1 },
    });
  });

  it.each([
    ['without a question', { ambiguous: true, options }],
    ['with nothing to choose from', { ambiguous: true, question: 'Which?', options: [] }],
    ['that only speaks of it', { error: 'the name is "ambiguous"' }],
  ])('%s has failed like any other', (_, value) => {
    expect(outcomeOf({ content: text(value), isError: true }).kind).toBe('failed');
  });

  it('brings no calls into the plan unless its server is trusted', () => {
    const tasks = [{ id: 'x', operation: 'mail.send', args: {} }];
    const result = { content: [], structuredContent: { ...asked, options: [{ label: 'Yes', tasks }] } };
    expect(outcomeOf(result)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_result', message: expect.stringContaining('trusted: true') },
    });
    expect(outcomeOf(result, { trusted: true })).toMatchObject({ kind: 'ambiguous', options: [{ tasks }] });
  });

  it('may be a method of a service, which is trusted with tasks', async () => {
    const tasks = [{ id: 'x', operation: 'mail.send', args: {} }];
    expect(await thrown({ question: 'Which?', options: [{ label: 'Send', tasks }] })).toMatchObject({
      kind: 'ambiguous',
      options: [{ label: 'Send', value: 'Send', tasks }],
    });
  });

  it('need not name the tasks of an option, as a plan file need not', async () => {
    const tasks = [{ operation: 'mail.draft' }, { id: 'x', operation: 'mail.send', args: { to: 'me' } }];
    expect(await thrown({ question: 'Which?', options: [{ label: 'Send', tasks }] })).toMatchObject({
      options: [{ tasks: [{ id: 't1', operation: 'mail.draft', args: {} }, tasks[1]] }],
    });
  });

  it.each([
    ['no question', { options: [{ label: 'a' }] }, 'question'],
    ['no label', { question: 'Which?', options: [{ value: 1 }] }, 'label'],
    [
      'a task without an operation',
      { question: 'Which?', options: [{ label: 'a', tasks: [{}] }] },
      'operation',
    ],
    ['nothing to choose from', { question: 'Which?' }, 'neither options nor a form'],
    [
      'what JSON has not',
      { question: 'Which?', options: [{ label: 'a', value: CIRCLE }] },
      'it contains itself',
    ],
  ])('with %s, of a service in plain JavaScript, fails and is never written down', async (_, asked, said) => {
    expect(await thrown(asked)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'invalid_result', message: expect.stringContaining(said) },
    });
  });

  it('is known where the service has a copy of its own of the library', async () => {
    class AmbiguityError extends Error {
      override readonly name = 'AmbiguityError';
      readonly ambiguity = { question: 'Which?', options: [{ label: 'a' }] };
    }
    expect(await outcomeThrowing(new AmbiguityError())).toMatchObject({
      kind: 'ambiguous',
      question: 'Which?',
    });
  });
});

/** As code without types throws it. */
const thrown = (asked: unknown) => outcomeThrowing(ambiguous(asked as Parameters<typeof ambiguous>[0]));

async function outcomeThrowing(error: Error): Promise<CallOutcome | undefined> {
  const [method] = defineTool({
    name: 'ask',
    description: 'Asks',
    input: z.object({}),
    effect: 'read',
    trusted: true,
    run: () => {
      throw error;
    },
  }).methods;
  const signal = new AbortController().signal;
  const call = { operation: 'ask', args: {}, key: 'k', run: 'r', task: 't', signal } as Call;
  return method?.call(call, async () => ({ kind: 'succeeded', result: null }));
}
