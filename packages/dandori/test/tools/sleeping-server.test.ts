import { createRequire } from 'node:module';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createToolbox } from '../../src/tools/create-toolbox.ts';
import type { McpServers } from '../../src/tools/mcp/config.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import type { Toolbox } from '../../src/tools/toolbox.ts';

const CALC = createRequire(import.meta.url).resolve('#servers/calc');
const evaluate = {
  name: 'evaluate',
  description: 'Calculates.',
  inputSchema: { type: 'object', properties: { expression: { type: 'string' } } },
  annotations: { readOnlyHint: true },
};

let toolbox: Toolbox | undefined;
afterEach(() => toolbox?.close());

const open = async (mcpServers: McpServers, onChange = () => {}) => {
  toolbox = await createToolbox({ mcpServers, schemaCheck: createSchemaCheck(), onChange });
  return toolbox;
};
const call = (args: { expression: string }) => ({
  run: 'r',
  task: 't',
  key: 'k',
  operation: 'calc.evaluate',
  args,
  signal: new AbortController().signal,
});

it('a server whose tools are known starts with its first call, so that a run does not wait for others', async () => {
  const onChange = vi.fn();
  const config = { command: process.execPath, args: [CALC], listed: [evaluate] };
  const { tools, missing, call: send } = await open({ calc: config }, onChange);
  expect(tools().get('calc.evaluate')).toMatchObject({ description: 'Calculates.', effect: 'read' });
  expect(missing()).toEqual([]);
  expect(onChange).not.toHaveBeenCalled();
  expect(await send(call({ expression: '1 + 2' }))).toMatchObject({
    kind: 'succeeded',
    result: { result: 3 },
  });
  // Now its own word counts.
  expect(tools().get('calc.evaluate')?.outputSchema).toBeDefined();
  expect(onChange).toHaveBeenCalled();
});

it('and if it cannot start, its call fails, and it is said why it is missing', async () => {
  const config = { command: '/nowhere/calc', listed: [evaluate] };
  const { missing, call: send } = await open({ calc: config });
  expect(await send(call({ expression: '1 + 2' }))).toMatchObject({
    kind: 'failed',
    failure: { kind: 'unavailable', retryable: true },
  });
  expect(missing()).toMatchObject([{ server: 'calc' }]);
});

describe('a shipped server whose short calls need no process', () => {
  const nowhere = { command: '/nowhere/calc', listed: [evaluate], inProcess: 'calc' };

  it('answers a sum without one, and is not started by it', async () => {
    const { missing, tools, call: send } = await open({ calc: nowhere });
    expect(await send(call({ expression: '1 + 2' }))).toEqual({
      kind: 'succeeded',
      result: { expression: '1 + 2', result: 3, text: '3' },
    });
    expect(missing()).toEqual([]);
    expect(tools().get('calc.evaluate')).toMatchObject({ description: 'Calculates.' });
  });

  it('is asked for everything else, and says itself what is wrong', async () => {
    const config = { command: process.execPath, args: [CALC], listed: [evaluate], inProcess: 'calc' };
    const { call: send } = await open({ calc: config });
    const outcomes = await Promise.all(
      ['2 ^ 10', '1 / 0', '9007199254740993 * 3'].map((expression) => send(call({ expression }))),
    );
    expect(outcomes).toMatchObject([
      { kind: 'succeeded', result: { result: 1024 } },
      { kind: 'failed', failure: { message: expect.stringContaining('Division by zero') } },
      { kind: 'succeeded', result: { text: '27021597764222979' } },
    ]);
  });

  it('gives the very result that its process gives, so that journals are equal', async () => {
    const started = { command: process.execPath, args: [CALC], listed: [evaluate] };
    const { call: send } = await open({ calc: nowhere, other: started });
    const args = { expression: '9007199254740993 * 3' };
    const there = await send({ ...call(args), operation: 'other.evaluate' });
    expect(await send(call(args))).toEqual(there);
  });

  it('does not start a call that is already cancelled', async () => {
    const config = { command: process.execPath, args: [CALC], listed: [evaluate], inProcess: 'calc' };
    const { call: send } = await open({ calc: config });
    const outcome = await send({ ...call({ expression: '1 + 2' }), signal: AbortSignal.abort() });
    expect(outcome.kind).not.toBe('succeeded');
  });
});
