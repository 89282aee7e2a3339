import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { createMemoryStore, openDandori, tool } from '../../src/index.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { createScriptedMind, type Reply } from '../../src/testing/scripted-mind.ts';

const OFFICES = z.object({ offices: z.array(z.string()) });

const find = tool({
  description: 'Finds offices',
  effect: 'read',
  input: z.object({}),
  output: z.object({ names: z.array(z.string()), count: z.number() }),
  run: () => ({ names: ['Kyoto'], count: 1 }),
});
const guess = tool({
  description: 'Guesses',
  effect: 'read',
  input: z.object({}),
  run: () => ({ names: 'Kyoto' }),
});

const open = (script: readonly Reply[]) =>
  openDandori({
    config: {},
    model: createScriptedMind(script),
    store: createMemoryStore(),
    tools: { find, guess },
    mode: 'auto',
  });
const say = (output: unknown): Reply => [
  { operation: 'answer', args: { text: 'Done.', output: output as string } },
];

describe('the output of a run', () => {
  it('is a typed value that fits the schema, and replays', async () => {
    await using dandori = await open([say({ offices: ['Kyoto'] })]);
    const run = dandori.run('Which offices?', { output: OFFICES });
    const output = await run.output();
    expectTypeOf(output).toEqualTypeOf<{ offices: string[] }>();
    expect(output).toEqual({ offices: ['Kyoto'] });
    expect(await run.report()).toMatchObject({ answer: 'Done.', output: { offices: ['Kyoto'] } });
    expect(await run.replay()).toMatchObject({ differences: [] });
    expect(await dandori.open(run.id).output()).toEqual({ offices: ['Kyoto'] });
  });

  it('may have integers beyond 2^53, as the input of a tool may', async () => {
    await using dandori = await open([say({ id: 9007199254740993n })]);
    const output = z.object({ id: z.coerce.bigint() });
    expect(await dandori.run('Which id?', { output }).output()).toEqual({ id: 9007199254740993n });
  });

  it('goes back to the model if it does not fit, and fails with the reason after the last attempt', async () => {
    await using mended = await open([say({ offices: 'Kyoto' }), say({ offices: ['Kyoto'] })]);
    expect(await mended.run('Which?', { output: OFFICES }).output()).toEqual({ offices: ['Kyoto'] });
    await using broken = await open(Array.from({ length: 9 }, () => say({ office: 'Kyoto' })));
    const run = broken.run('Which?', { output: OFFICES });
    await expect(run.output()).rejects.toMatchObject({ code: 'run-failed' });
    const report = await run.report();
    expect(report.failure?.message).toContain('offices');
    expect(report.usage.modelCalls).toBe(3);
    expect(await run.replay()).toMatchObject({ differences: [] });
  });

  it('is refused by the built-in planner before it calls a tool', async () => {
    await using dandori = await openDandori({ config: {}, store: createMemoryStore(), tools: { find } });
    const run = dandori.run('Find offices', { output: OFFICES });
    await expect(run.output()).rejects.toMatchObject({ code: 'run-failed' });
    const report = await run.report();
    expect(report.answer).toContain('Configure a language model');
    expect(report.tasks).toEqual({});
  });

  it('may be a Ref, which is checked before anything is called', async () => {
    const call = { id: 't1', operation: 'find', args: {} };
    await using dandori = await open([
      [call, { id: 'a', operation: 'answer', args: { text: 'Done.', output: { offices: '${t1.count}' } } }],
      [call, { id: 'a', operation: 'answer', args: { text: 'Done.', output: { offices: '${t1.names}' } } }],
    ]);
    const run = dandori.run('Which?', { output: OFFICES });
    expect(await run.output()).toEqual({ offices: ['Kyoto'] });
    expect((await run.report()).usage).toMatchObject({ modelCalls: 2 });
    expect(await run.replay()).toMatchObject({ differences: [] });
  });

  it('is checked again when a Ref without a schema is filled, and goes back to the model', async () => {
    await using dandori = await open([
      [
        { id: 't1', operation: 'guess', args: {} },
        { id: 'a', operation: 'answer', args: { text: 'Done.', output: { offices: '${t1.names}' } } },
      ],
      say({ offices: ['Kyoto'] }),
    ]);
    const run = dandori.run('Which?', { output: OFFICES });
    expect(await run.output()).toEqual({ offices: ['Kyoto'] });
    expect(brokenLaws(await Array.fromAsync(run))).toEqual([]);
    expect(await run.replay()).toMatchObject({ differences: [] });
  });

  it('is not needed if the goal was not reached, and an invalid schema is refused', async () => {
    await using dandori = await open([[{ operation: 'answer', args: { text: 'No.', achieved: false } }]]);
    await expect(dandori.run('Which?', { output: OFFICES }).output()).rejects.toMatchObject({
      code: 'run-failed',
    });
    const wrong = dandori.run('Which?', { output: { type: 'nonsense' } });
    await expect(wrong.output()).rejects.toMatchObject({ code: 'request-invalid' });
  });

  it('is asked for in the prompt of a language model, by JSON Schema', async () => {
    await using server = await startModelServer([
      {
        actions: [{ id: 't1', operation: 'answer', args: { output: { city: 'Kyoto' } } }],
        expect: '"city":{"type":"string"}',
      },
    ]);
    await using dandori = await openDandori({
      config: {},
      model: { provider: 'openai-compatible', name: 'scripted', base_url: server.url },
      store: createMemoryStore(),
      tools: {},
    });
    const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    expect(await dandori.run('Where?', { output }).output()).toEqual({ city: 'Kyoto' });
    server.verify();
  });
});
