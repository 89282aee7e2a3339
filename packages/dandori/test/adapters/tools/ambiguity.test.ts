import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { resultOutcome } from '../../../src/adapters/tools/mcp/result.ts';
import { ambiguous, defineTool } from '../../../src/adapters/tools/service.ts';
import type { Json, JsonObject } from '../../../src/domain/json.ts';
import type { Tool } from '../../../src/domain/tool.ts';
import type { Call } from '../../../src/ports/toolbox.ts';

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

  it('may ask for a form, and name what counts where nobody answers', () => {
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
    const [method] = defineTool({
      name: 'ask',
      description: 'Asks',
      input: z.object({}),
      effect: 'read',
      run: () => {
        throw ambiguous({ question: 'Which?', options: [{ label: 'Send', tasks }] });
      },
    }).methods;
    const call = {
      operation: 'ask',
      args: {},
      key: 'k',
      run: 'r',
      task: 't',
      signal: new AbortController().signal,
    } as Call;
    expect(await method?.call(call, async () => ({ kind: 'succeeded', result: null }))).toMatchObject({
      kind: 'ambiguous',
      options: [{ label: 'Send', value: 'Send', tasks }],
    });
  });
});
