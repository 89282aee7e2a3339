import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tool as aiTool, jsonSchema } from 'ai';
import { afterEach, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import {
  createFileStore,
  createMemoryStore,
  type DandoriOptions,
  defineService,
  type Event,
  openDandori,
  type Run,
  tool,
} from '../../src/index.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { startModelServer } from '../../src/testing/model-server/index.ts';
import { createScriptedMind, type Reply } from '../../src/testing/scripted-mind.ts';
import { started } from '../program.ts';
import { approved, continuedLate, paused } from './late-continue.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'dandori-library-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const open = (options: DandoriOptions = {}) => openDandori({ cwd, store: createMemoryStore(), ...options });
const withMind = (script: readonly Reply[], options: DandoriOptions = {}) =>
  open({ model: createScriptedMind(script), ...options });
const say = (text: string): Reply => [{ operation: 'answer', args: { text } }];
const refused = (options: unknown) =>
  openDandori(options as DandoriOptions).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

describe('what a program passes', () => {
  it('is a model of the AI SDK, without any file', async () => {
    await using server = await startModelServer([
      { actions: [{ id: 't1', operation: 'weather', args: { city: 'Kyoto' } }], expect: 'weather' },
      { actions: [{ id: 't2', operation: 'answer', args: { text: 'Rain.' } }], expect: 'rainy' },
    ]);
    const provider = createOpenAICompatible({ name: 'scripted', baseURL: server.url });
    await using dandori = await open({
      model: provider('small'),
      tools: {
        weather: tool({
          description: 'The weather of a city',
          effect: 'read',
          input: z.object({ city: z.string() }),
          run: ({ city }) => `${city} is rainy`,
        }),
      },
    });
    expect(dandori.model).toBe('scripted/small');
    expect([...dandori.tools().keys()]).toEqual(['weather']);
    expect(await dandori.run('Do I need an umbrella in Kyoto?').output()).toBe('Rain.');
    server.verify();
  });

  it('is a model by its name, and the error for a missing key names the variable', async () => {
    const message = await refused({ cwd, model: 'openai/gpt-5-mini', OPENAI_API_KEY: undefined });
    expect(message).toContain('OPENAI_API_KEY');
  });

  it('has the shape of the file, and the error for a mistake names the path of its key', async () => {
    expect(await refused({ cwd, limits: { max_steps: 'ten' } })).toContain(
      'openDandori: error: limits.max_steps must be a whole number',
    );
    expect(await refused({ cwd, limits: { max_step: 10 } })).toContain('unknown key "max_step" in limits');
    expect(await refused({ cwd, config: { execution: { mode: 'fast' } } })).toContain(
      'openDandori: config: error: execution.mode must be',
    );
    expect(await refused({ cwd, servers: { files: { comand: 'npx' } } })).toContain(
      'did you mean "command"?',
    );
    expect(await refused({ cwd, modle: 'x' })).toContain('did you mean "model"?');
    await using dandori = await open({
      config: { execution: { max_steps: 3 }, mcpServers: {} },
      mode: 'direct',
      approval: 'always',
      limits: { max_cost: 0.5 },
      instructions: 'Be short.',
      trust: { policy: 'strict' },
    });
    expect(dandori.config.settings).toMatchObject({
      mode: 'direct',
      approval: 'always',
      limits: { steps: 3, cost: 0.5 },
    });
    expect(dandori.config.instructions).toBe('Be short.');
  });

  it('wins over the file of the folder, and a model object needs no key of the file', async () => {
    await writeFile(
      join(cwd, 'dandori.yaml'),
      'model: { provider: openai, name: x, api_key_env: NO_SUCH_KEY_HERE }\nlimits: { max_steps: 4 }\nservers: {}\n',
    );
    await using dandori = await withMind([], { limits: { max_steps: 5 } });
    expect(dandori.config.settings.limits.steps).toBe(5);
  });

  it('has tools of every kind in one map, and they count as writes unless they say otherwise', async () => {
    const calls: unknown[] = [];
    const note = (name: string, input: unknown) => {
      calls.push([name, input]);
      return { done: name };
    };
    await using dandori = await withMind(
      [
        [
          { id: 'a', operation: 'plain', args: { x: 1 } },
          { id: 'b', operation: 'own', args: { x: 2 } },
          { id: 'c', operation: 'sdk', args: { x: 3 } },
          { id: 'd', operation: 'schema', args: { x: 4 } },
          { id: 'e', operation: 'shop.buy', args: { x: 5 } },
        ],
        say('done'),
      ],
      {
        tools: {
          plain: (input: unknown) => note('plain', input),
          own: tool({
            description: 'own',
            effect: 'read',
            input: z.object({ x: z.number() }),
            run: (input) => note('own', input),
          }),
          sdk: aiTool({
            description: 'sdk',
            inputSchema: z.object({ x: z.number() }),
            async *execute(input) {
              yield { done: 'half' };
              yield note('sdk', input);
            },
          }),
          schema: aiTool({
            description: 'schema',
            inputSchema: jsonSchema<{ x: number }>({
              type: 'object',
              properties: { x: { type: 'number' } },
              required: ['x'],
            }),
            execute: (input) => note('schema', input),
          }),
          shop: defineService({
            name: 'shop',
            methods: {
              buy: {
                description: 'buy',
                effect: 'idempotent',
                input: z.object({ x: z.number() }),
                run: (input) => note('buy', input),
              },
            },
          }),
        },
      },
    );
    const effects = [...dandori.tools().values()].map(({ name, effect }) => [name, effect]);
    expect(effects).toEqual([
      ['plain', 'write'],
      ['own', 'read'],
      ['sdk', 'write'],
      ['schema', 'write'],
      ['shop.buy', 'idempotent'],
    ]);
    const report = await dandori.run('Use them all').report();
    expect(Object.values(report.tasks).map(({ result }) => result)).toEqual(
      ['plain', 'own', 'sdk', 'schema', 'buy'].map((done) => ({ done })),
    );
    expect(calls).toHaveLength(5);
  });

  it('is refused if it is no tool', async () => {
    expect(await refused({ cwd, tools: { x: 1 } })).toContain('tools.x is not a tool');
    const zod3 = { _def: { typeName: 'ZodObject' }, parse: () => ({}) };
    expect(await refused({ cwd, tools: { x: { description: 'x', input: zod3, run: () => 1 } } })).toContain(
      'tools.x.input is not a schema of zod 4',
    );
    expect(await refused({ cwd, tools: { x: { inputSchema: z.object({}) } } })).toContain('no execute');
  });
});

const milk = (run: () => unknown) => ({
  remove: tool({ description: 'Remove milk', effect: 'destructive', input: z.object({}), run }),
});
const REMOVE: Reply[] = [[{ id: 't1', operation: 'remove', args: {} }], say('Removed.')];

describe('a number that a journal cannot hold', () => {
  it('is refused in a plan and in raised limits, and the journal can be read', async () => {
    await using dandori = await withMind([[{ operation: 'ask', args: { question: 'Which?' } }]], {
      store: createFileStore(cwd),
    });
    const tasks = [{ id: 't', operation: 'ask', args: {}, timeoutMs: Number.POSITIVE_INFINITY }];
    await expect(dandori.run('go', { tasks }).report()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^tasks\.0\.timeoutMs cannot be stored: /),
    });
    const run = dandori.run('go');
    await run.report();
    await expect(run.resume({ raise: { calls: Number.NaN } })).rejects.toThrow(/^calls cannot be stored: /);
    expect((await run.report()).outcome).toBe('waiting');
  });
});

describe('the handle of a run', () => {
  it('has its id at once, and yields every event in order', async () => {
    await using dandori = await withMind([say('Hello.')]);
    const run = dandori.run('Greet');
    expectTypeOf(run).toEqualTypeOf<Run<string, Event>>();
    expect(run.id).toMatch(/^\d{8}-\d{9}-[a-z0-9]{8}$/);
    const events = await Array.fromAsync(run);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events[0]?.type).toBe('run_started');
    expect(events.at(-1)?.type).toBe('run_finished');
    expect(brokenLaws(events)).toEqual([]);
    expect(await run.output()).toBe('Hello.');
    const again = dandori.open(run.id);
    expect(await Array.fromAsync(again)).toEqual(events);
    expect(await again.output()).toBe('Hello.');
    expect(await again.replay()).toMatchObject({ differences: [] });
  });

  it('saves it as a plan and as a test', async () => {
    const greet = tool({ description: 'Greets', effect: 'read', input: z.object({}), run: () => 'Hello.' });
    const tasks = [{ id: 't1', operation: 'greet', args: {} }];
    await using dandori = await withMind([tasks, say('Hello.')], { tools: { greet } });
    const run = dandori.run('Greet');
    expect(await run.output()).toBe('Hello.');
    expect((await run.toPlan()).tasks).toMatchObject(tasks);
    expect((await run.toTest()).case).toMatchObject({ goal: 'Greet', decisions: { length: 2 } });
  });

  it('yields text while it is written, if it is asked to', async () => {
    const { promise: isHeard, resolve } = Promise.withResolvers<void>();
    const actions = [{ id: 't1', operation: 'answer', args: { text: 'A longer text.' } }];
    // The rest is written once the beginning was heard.
    const hold = (written: string) => (written.includes('A longer') ? isHeard : undefined);
    await using server = await startModelServer([{ actions, hold }], { chunkSize: 5 });
    const model = createOpenAICompatible({ name: 'scripted', baseURL: server.url })('small');
    await using dandori = await open({ model, tools: {} });
    const heard: string[] = [];
    for await (const news of dandori.run('Write', { live: true })) {
      if (news.type !== 'answer_text') continue;
      heard.push(news.text);
      resolve();
    }
    expect(heard.length).toBeGreaterThan(1);
    expect(heard.join('')).toBe('A longer text.');
  });

  it('says what it waits for instead of hanging, and continues with the answer', async () => {
    let calls = 0;
    await using dandori = await withMind(REMOVE, { tools: milk(() => ++calls) });
    const run = dandori.run('Remove milk');
    await expect(run.output()).rejects.toMatchObject({
      code: 'run-waiting',
      report: { outcome: 'waiting' },
    });
    const events = await Array.fromAsync(run);
    expect(events.at(-1)?.type).toBe('question_asked');
    const [question] = await run.questions();
    expect(calls).toBe(0);
    await run.approve(question?.id);
    expect(await run.output()).toBe('Removed.');
    expect(calls).toBe(1);
  });

  it('is answered in the body of a loop while another part waits for the output', async () => {
    await using dandori = await withMind(REMOVE, { tools: milk(() => 1) });
    const run = dandori.run('Remove milk');
    const output = run.output();
    for await (const event of run) {
      if (event.type !== 'question_asked') continue;
      await new Promise((resolve) => setImmediate(resolve));
      await run.answer(event.data.question.id, 'approve');
    }
    expect(await output).toBe('Removed.');
  });

  it('is answered by a callback, which may also leave the question open', async () => {
    await using dandori = await withMind([...REMOVE, ...REMOVE], {
      tools: milk(() => 1),
      onQuestion: () => 'approve',
    });
    expect(await dandori.run('Remove milk').output()).toBe('Removed.');
    const open = dandori.run('Remove milk', { onQuestion: () => undefined });
    await expect(open.output()).rejects.toMatchObject({ code: 'run-waiting' });
    const wait = open.output({ wait: true });
    await dandori.open(open.id).approve();
    expect(await wait).toBe('Removed.');
  });

  it('waits for an answer from another process, also if nothing else keeps its process alive', async () => {
    const child = spawn(process.execPath, [started('app/fixtures/waiting.ts')], { cwd });
    const exited = once(child, 'exit');
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    const id = (await lines.next()).value ?? '';
    // A process that nothing keeps alive ends in this time.
    await Promise.race([exited, sleep(300)]);
    await approved(id, createFileStore(join(cwd, '.dandori/runs')));
    expect((await lines.next()).value).toBe('answered');
    expect(await exited).toEqual([0, null]);
  });

  it('is left to the program that has its tools, and only cancelled elsewhere', async () => {
    const store = createMemoryStore();
    let calls = 0;
    const options = { store, tools: milk(() => ++calls) };
    await using program = await withMind([...REMOVE, ...REMOVE], options);
    await using other = await withMind([say('Nothing.')], { store });
    const run = program.run('Remove milk');
    await expect(run.output()).rejects.toMatchObject({ code: 'run-waiting' });
    const elsewhere = other.open(run.id);
    await elsewhere.approve();
    const events = (await Array.fromAsync(run.events({ follow: false }))).length;
    await expect(elsewhere.output()).rejects.toMatchObject({ code: 'tools-missing' });
    expect(await Array.fromAsync(run.events({ follow: false }))).toHaveLength(events);
    expect(await run.output()).toBe('Removed.');
    expect(calls).toBe(1);
    const second = program.run('Remove milk');
    await expect(second.output()).rejects.toMatchObject({ code: 'run-waiting' });
    await other.open(second.id).cancel();
    expect((await other.open(second.id).report()).outcome).toBe('cancelled');
  });

  it('stops waiting when it is closed', async () => {
    const dandori = await withMind(REMOVE, { tools: milk(() => 1) });
    const run = dandori.run('Remove milk');
    const wait = run.output({ wait: true });
    const events = Array.fromAsync(run.events({ wait: true }));
    await expect.poll(async () => (await run.questions()).length).toBe(1);
    await dandori.close();
    await expect(wait).rejects.toMatchObject({ code: 'run-waiting' });
    expect((await events).at(-1)?.type).toBe('question_asked');
  });

  it('is not stopped by a callback that throws', async () => {
    const warnings: string[] = [];
    const hear = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
    process.on('warning', hear);
    const broken = () => {
      throw new Error('bug');
    };
    const count = tool({
      description: 'Counts',
      effect: 'write',
      input: z.object({}),
      run(_, { progress }) {
        progress('counting');
        return 1;
      },
    });
    const script: Reply[] = [[{ operation: 'count', args: {} }], say('Counted.')];
    await using dandori = await withMind(script, { tools: { count }, onEvent: broken, onLive: broken });
    expect(await dandori.run('Count').output()).toBe('Counted.');
    const told = ['DandoriWarning: onEvent threw: bug', 'DandoriWarning: onLive threw: bug'];
    await expect.poll(() => warnings).toEqual(told);
    process.off('warning', hear);
  });

  it('is not held up by a callback that waits for a person', async () => {
    const store = createMemoryStore();
    const asked = Promise.withResolvers<void>();
    const onQuestion = () => {
      asked.resolve();
      return new Promise<never>(() => {});
    };
    const options = { store, tools: milk(() => 1), onQuestion };
    const remove = REMOVE.slice(0, 1);
    const dandori = await withMind([...remove, ...REMOVE, ...remove], options);
    const cancelled = dandori.run('Remove milk');
    await asked.promise;
    await cancelled.cancel();
    expect((await cancelled.report()).outcome).toBe('cancelled');
    const answered = dandori.run('Remove milk');
    const output = answered.output();
    await expect.poll(() => answered.questions()).toHaveLength(1);
    await dandori.open(answered.id).approve();
    expect(await output).toBe('Removed.');
    const left = dandori.run('Remove milk');
    const report = left.report();
    await expect.poll(() => left.questions()).toHaveLength(1);
    await dandori.close();
    expect((await report).outcome).toBe('waiting');
  });

  it('hears what is written in the moment in which its driver stops', async () => {
    const store = createMemoryStore();
    const pause = tool({
      description: 'Pauses its run',
      effect: 'write',
      input: z.object({}),
      run: () => paused(run.id, store),
    });
    await using dandori = await withMind([[{ id: 't', operation: 'pause', args: {} }], say('Done.')], {
      store: continuedLate(store),
      tools: { pause },
    });
    const run = dandori.run('Pause');
    expect(await run.output({ wait: true })).toBe('Done.');
  });

  it('continues without an answer when the question expires, also if nothing else happens', async () => {
    let calls = 0;
    const questions = { expire_after: '1s' };
    await using dandori = await withMind([...REMOVE, ...REMOVE], { tools: milk(() => ++calls), questions });
    expect(await dandori.run('Remove milk').output({ wait: true })).toBe('Removed.');
    const events = await Array.fromAsync(dandori.run('Remove milk').events({ wait: true }));
    expect(events.map(({ type }) => type)).toContain('run_finished');
    expect(calls).toBe(0);
  });

  it('says how a run without an output ended', async () => {
    await using dandori = await withMind([[{ operation: 'answer', args: { text: 'No.', achieved: false } }]]);
    const run = dandori.run('Do the impossible');
    await expect(run.output()).rejects.toMatchObject({ code: 'run-failed', report: { outcome: 'failed' } });
    await using broken = await withMind([[{ operation: 'answer', args: { text: 'No.', achieved: false } }]], {
      servers: { shop: { command: 'no-such-program' } },
    });
    await expect(broken.run('Buy milk').output()).rejects.toMatchObject({
      fix: expect.stringContaining('shop is not available: the command "no-such-program" was not found.'),
    });
    await expect(dandori.run('  ').output()).rejects.toMatchObject({ code: 'goal-invalid' });
    await expect(dandori.open('20200101-000000000-aaaa').output()).rejects.toMatchObject({
      code: 'run-not-found',
    });
  });

  it('can be steered, cancelled, forked and left', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using dandori = await withMind(
      [[{ id: 't1', operation: 'slow', args: {} }], say('Done.'), say('Forked.')],
      {
        tools: {
          slow: tool({
            description: 'slow',
            effect: 'read',
            input: z.object({}),
            run: (_input, { signal }) => {
              resolve();
              return new Promise((_, reject) => {
                signal.addEventListener('abort', () => reject(new Error('stopped')));
              });
            },
          }),
        },
      },
    );
    const run = dandori.run('Wait');
    await promise;
    await run.tell('Hurry up.');
    await run.cancel('no longer needed');
    expect(await run.report()).toMatchObject({ outcome: 'cancelled', notes: [{ text: 'Hurry up.' }] });
    await using fork = await run.fork({ at: 1 });
    expect(fork.forked.forkedFrom).toMatchObject({ run: run.id });
    expect(await fork.output()).toBe('Done.');
  });

  it('starts once for one key', async () => {
    await using dandori = await withMind([say('Once.')]);
    const [one, other] = [dandori.run('Do it', { key: 'k' }), dandori.run('Do it', { key: 'k' })];
    expect([await one.output(), await other.output()]).toEqual(['Once.', 'Once.']);
    expect(one.id).toBe(other.id);
  });
});
