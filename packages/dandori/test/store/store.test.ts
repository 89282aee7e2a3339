import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { serve } from '../../src/server/serve.ts';
import { createFileStore, createMemoryStore, STORE_PARTS } from '../../src/store/store.ts';
import { createFunctionToolbox } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { openPlace } from '../cli/command.ts';

const tools = () =>
  createFunctionToolbox(createStepClock(), { 'a.get': { effect: 'read', run: () => 'x'.repeat(200_000) } });
const tasks = [{ id: 't1', operation: 'a.get', args: {} }];
const none = { tools: false };

describe('half a store', () => {
  it.each(STORE_PARTS)(
    'is refused with only its %s, or without it, before anything is started',
    async (part) => {
      await using place = await openPlace();
      const whole = createFileStore(join(place.folder, 'runs'));
      const { [part]: only, ...rest } = whole;
      const cwd = place.folder;
      const refused = { code: 'store-incomplete', fix: expect.stringContaining('createMemoryStore()') };
      const half = { [part]: only } as never;
      await expect(openRuntime({ cwd, ...none, store: half })).rejects.toMatchObject({
        ...refused,
        message: expect.stringMatching(new RegExp(`^The store has ${part}, but no `)),
      });
      await expect(openRuntime({ cwd, ...none, store: rest as typeof whole })).rejects.toMatchObject({
        ...refused,
        message: expect.stringContaining(`but no ${part}`),
      });
      await expect(serve({ cwd, port: 0, store: half })).rejects.toMatchObject(refused);
    },
  );

  it('is refused where it is empty, and where memory configuration is given a journal of its own', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', 'planning: { history: { storage_type: memory } }\nmcpServers: {}\n');
    const cwd = place.folder;
    await expect(openRuntime({ cwd, store: {} as never })).rejects.toMatchObject({
      code: 'store-incomplete',
    });
    const { journal, ...rest } = createMemoryStore();
    await expect(openRuntime({ cwd, store: { ...rest, journal: null as never } })).rejects.toMatchObject({
      code: 'store-incomplete',
    });
    await expect(openRuntime({ cwd, store: { journal } as never })).rejects.toMatchObject({
      code: 'store-incomplete',
    });
  });
});

describe('a whole store', () => {
  it('keeps large results and conversations for the next process', async () => {
    await using place = await openPlace();
    const cwd = place.folder;
    const folder = join(place.folder, 'elsewhere');
    const mind = createScriptedMind([[{ operation: 'answer', args: { text: 'Hello.' } }]]);
    const first = await openRuntime({ cwd, toolbox: tools(), mind, store: createFileStore(folder) });
    const { run } = await first.run('get', { tasks });
    await (await first.conversation()).say('hi');
    await first.close();
    await using second = await openRuntime({ cwd, ...none, store: createFileStore(folder) });
    expect(await second.result(run, 't1', { path: [], offset: 0, limit: 1 })).toMatchObject({
      total: 200_000,
    });
    expect(await second.conversations()).toHaveLength(1);
    expect(await second.doctor()).toMatchObject({ runs: 2, conversations: 1, blobs: 1, findings: [] });
    expect((await second.doctor()).unseen).toBeUndefined();
  });

  it('is told of by the doctor as far as it can be seen, and never as empty and healthy', async () => {
    await using place = await openPlace();
    const cwd = place.folder;
    const files = createFileStore(join(place.folder, 'runs'));
    // A journal of the caller's: the doctor cannot know what it does.
    const store = { ...files, journal: { ...files.journal } };
    await using mixed = await openRuntime({ cwd, toolbox: tools(), mind: createScriptedMind([]), store });
    expect(await mixed.doctor()).toMatchObject({ unseen: ['runs'], findings: [] });
    await using memory = await openRuntime({ cwd, ...none, store: createMemoryStore() });
    expect(await memory.doctor()).toMatchObject({ unseen: ['runs', 'conversations', 'blobs'], findings: [] });
    await place.write('dandori.yaml', 'planning: { history: { storage_type: memory } }\nmcpServers: {}\n');
    const said = await place.dandori('doctor');
    expect(said.stdout).toContain(
      "Not checked, because they aren't stored in files: runs, conversations, stored results.",
    );
    expect(said.stdout).not.toContain('No problems');
    const told = JSON.parse((await place.dandori('doctor', '--json')).stdout);
    expect(told.unseen).toEqual(['runs', 'conversations', 'blobs']);
  });
});
