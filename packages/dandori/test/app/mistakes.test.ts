import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createMemoryStore, type DandoriOptions, openDandori, tool } from '../../src/index.ts';
import { isObject } from '../../src/model/json.ts';
import { createScriptedMind, type Reply } from '../../src/testing/scripted-mind.ts';

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'dandori-mistakes-'));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

const weather = { description: 'The weather', input: z.object({ city: z.string() }), run: () => 'wet' };
const say = (text: string): Reply => [{ operation: 'answer', args: { text } }];
const open = (script: readonly Reply[], options: DandoriOptions = {}) =>
  openDandori({ cwd, model: createScriptedMind(script), store: createMemoryStore(), ...options });
const caught = async (action: () => unknown) => {
  try {
    await action();
  } catch (error) {
    const { message, fix } = error as { message: string; fix?: string };
    return `${message} ${fix}`;
  }
  return 'accepted';
};

/** What people write who know other libraries, and have read no documentation. */
describe('the error for a first program names the fix', () => {
  it.each<[string, unknown, string]>([
    ['a list of tools without names', { tools: [tool(weather)] }, 'tools: { weather }'],
    [
      'the names of the OpenAI SDK',
      { tools: { weather: { parameters: {}, execute() {} } } },
      'parameters → input',
    ],
    [
      'the names of LangChain',
      { tools: { weather: { schema: {}, invoke() {} } } },
      'schema → input, invoke → run',
    ],
    [
      'an effect that does not exist',
      { tools: { weather: { ...weather, effect: 'readonly' } } },
      'The effects are read, idempotent',
    ],
    ['a schema beside run', { tools: { weather: { schema: {}, run() {} } } }, 'Did you mean input?'],
    ['a misspelt part', { tools: { weather: { ...weather, efect: 'read' } } }, 'Did you mean effect?'],
    [
      'inputSchema beside run',
      { tools: { weather: { inputSchema: {}, run() {} } } },
      'With run, the schema is called input',
    ],
    ['the name of an operation of Dandori', { tools: { report: weather } }, 'Give it another name'],
    [
      'a model without its provider',
      { model: 'gpt-5-mini' },
      'write provider/name, such as openai/gpt-5-mini',
    ],
    ['a model with a colon', { model: 'openai:gpt-5-mini' }, 'write provider/name'],
    ['a model of another library', { model: new (class ChatModel {})() }, "Pass openai('gpt-5-mini')"],
    ['a function for the model', { model: () => {} }, "Pass openai('gpt-5-mini')"],
    ['a path for the store', { store: './runs' }, 'store must be a group of keys'],
    ['a system prompt', { systemPrompt: 'You are kind.' }, 'did you mean "instructions"?'],
    ['an option that only a program has, misspelt', { tool: {} }, 'Did you mean tools?'],
    ['a callback in other letters', { onquestion: () => true }, 'Did you mean onQuestion?'],
    ['a limit in camel case', { limits: { maxSteps: 3 } }, 'did you mean "max_steps"?'],
    ['a server with cmd', { servers: { shop: { cmd: 'node' } } }, 'did you mean "command"?'],
    ['a key in the program', { apiKey: 'sk-123' }, 'model.api_key_env'],
    ['a text', 'openai/gpt-5-mini', 'openDandori({ model'],
    ['null', null, 'openDandori({ model'],
  ])('%s', async (_name, options, fix) => {
    const given = isObject(options) ? { cwd, ...options } : options;
    expect(await caught(() => openDandori(given as DandoriOptions))).toContain(fix);
  });

  it.each<[string, unknown, unknown, string]>([
    ['an object for the goal', { prompt: 'x' }, {}, "dandori.run('The goal'"],
    ['a number for the user', 'x', { userId: 5 }, 'userId: String(user.id)'],
    ['an option of the AI SDK', 'x', { schema: z.object({}) }, 'called output'],
    ['a limit per run', 'x', { maxSteps: 3 }, 'limits: { max_steps }'],
    ['a misspelt option', 'x', { outptu: {} }, 'Did you mean output?'],
    ['the fields of a schema', 'x', { output: { city: z.string() } }, 'output: z.object('],
    ['one attachment', 'x', { attachments: 'list.csv' }, "attachments: ['list.csv']"],
    ['a mode that does not exist', 'x', { mode: 'plan' }, 'Choose from auto, direct'],
    ['an approval that does not exist', 'x', { approval: 'allways' }, 'Did you mean always?'],
    ['another language', 'x', { language: 'fr' }, 'Choose from en, ja'],
    ['a number for the signal', 'x', { signal: 5000 }, 'controller.signal'],
    ['one task', 'x', { tasks: { operation: 'shop.price' } }, 'tasks: [{'],
    ['a type that JSON does not have', 'x', { output: z.object({ at: z.date() }) }, 'z.iso.datetime()'],
  ])('of a run: %s', async (_name, goal, options, fix) => {
    await using dandori = await open([say('never')]);
    expect(await caught(() => dandori.run(goal as string, options as object).output())).toContain(fix);
    expect(await dandori.runs()).toEqual([]);
  });

  it('a mind without a name is refused before anything is written, because its journal could not be read', async () => {
    const { name: _, ...nameless } = createScriptedMind([say('never')]);
    await using dandori = await open([], { model: nameless as ReturnType<typeof createScriptedMind> });
    expect(await caught(() => dandori.run('x').output())).toContain('mind cannot be stored');
    expect(await dandori.runs()).toEqual([]);
  });

  it('a number for the user of a conversation, whose journal could not be read', async () => {
    await using dandori = await open([]);
    const userId = 5 as unknown as string;
    expect(await caught(() => dandori.conversation(undefined, { userId }))).toContain('String(user.id)');
    expect(await dandori.conversations()).toEqual([]);
  });

  it('a run after close, when no tool can be called any more', async () => {
    const dandori = await open([say('never')]);
    await dandori.close();
    expect(await caught(() => dandori.run('x').output())).toContain('before close()');
  });

  it('an id that is undefined is not the id of a run', async () => {
    await using dandori = await open([]);
    expect(await caught(() => dandori.open(undefined as unknown as string))).toContain('Pass run.id');
  });
});

describe('what people expect from other libraries works', () => {
  it('a list of tools that have names, keys that are undefined, and a plain JSON Schema', async () => {
    const plain = {
      id: 'plain',
      description: 'Plain',
      inputSchema: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
      execute: ({ x }: { x: number }) => x + 1,
    };
    await using dandori = await open([[{ id: 't1', operation: 'plain', args: { x: 1 } }], say('2')], {
      tools: [tool({ ...weather, name: 'weather', effect: 'read' }), plain],
      ...({ servers: undefined, instructions: undefined } as object),
    });
    expect([...dandori.tools().keys()]).toEqual(['weather', 'plain']);
    const run = dandori.run('Add one to one');
    await run.output();
    expect((await run.report()).tasks.t1).toMatchObject({ status: 'succeeded', result: 2 });
  });

  it('true and false answer an approval', async () => {
    const remove = tool({ description: 'Deletes', effect: 'destructive', run: () => 'deleted' });
    const script: Reply[] = [[{ id: 't1', operation: 'remove', args: {} }], say('Done.')];
    for (const isApproved of [true, false]) {
      await using dandori = await open(script, { tools: { remove }, onQuestion: () => isApproved });
      const run = dandori.run('Delete it');
      await run.report();
      expect((await run.report()).tasks.t1?.status).toBe(isApproved ? 'succeeded' : 'failed');
    }
  });

  it('a signal cancels the run and its calls, before the start and later', async () => {
    const aborting = new AbortController();
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    const slow = tool({
      description: 'Slow',
      effect: 'read',
      run: (_input, { signal }) =>
        new Promise<string>((resolve) => {
          signal.addEventListener('abort', () => {
            stop();
            resolve('stopped');
          });
          aborting.abort();
        }),
    });
    await using dandori = await open([[{ operation: 'slow', args: {} }], say('never')], { tools: { slow } });
    const run = dandori.run('Wait', { signal: aborting.signal });
    await expect(run.output()).rejects.toMatchObject({ report: { outcome: 'cancelled' } });
    await stopped;
    const late = dandori.run('Wait', { signal: AbortSignal.abort() });
    await expect(late.output()).rejects.toMatchObject({ report: { outcome: 'cancelled' } });
  });

  it('a path is an attachment', async () => {
    const file = join(cwd, 'list.csv');
    await writeFile(file, 'milk,120\n');
    await using dandori = await open([
      [{ id: 't1', operation: 'attachment.read', args: { name: 'list.csv' } }],
      say('120'),
    ]);
    const run = dandori.run('What does milk cost in list.csv?', { attachments: [file] });
    await run.output();
    expect(JSON.stringify((await run.report()).tasks)).toContain('milk,120');
  });
});
