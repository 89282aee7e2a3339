import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import { openDandori } from '../../src/index.ts';
import type { Journal } from '../../src/store/index.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { act, answer, openHome, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';

const BOOK = [say([act('t1', 'travel.book', { city: 'Kyoto' })]), answer('Booked.')];
const ASKING = 'execution: { approval: writes }\n';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The next driver takes a moment to leave its run. */
function releaseSlowly(journal: Journal, then = () => {}): void {
  const claim = vi.spyOn(journal, 'claim').mockImplementation(async (run) => {
    claim.mockRestore();
    const held = await journal.claim(run);
    const release = held.release.bind(held);
    return Object.assign(held, { release: () => sleep(200).then(() => release().then(then)) });
  });
}

describe('the journal of a conversation', () => {
  it('holds no secret, from any source', async () => {
    vi.stubEnv('TRAVEL_KEY', 'key-of-the-travel-agency');
    await using home = await openHome({
      script: [answer('Your key is key-of-the-travel-agency.')],
      modelYaml: 'api_key_env: TRAVEL_KEY',
    });
    const conversation = await home.dandori.conversation();
    await conversation.say('my key is key-of-the-travel-agency');
    const folder = join(home.folder, '.dandori', 'runs', 'conversations');
    const [file = ''] = await readdir(folder);
    const text = await readFile(join(folder, file), 'utf8');
    expect(text).not.toContain('key-of-the-travel-agency');
    expect(text.match(/\[secret\]/g)?.length).toBeGreaterThan(2);
  });

  it('does not keep a fork of one of its runs from being pruned', async () => {
    await using home = await openHome({ script: [answer('Hello.'), answer('Hello again.')] });
    const conversation = await home.dandori.conversation();
    await conversation.say('hi');
    const [{ run = '' } = {}] = conversation.runs();
    const { run: fork } = await home.dandori.fork(run, { from: 'start' });
    await home.dandori.drive(fork);
    await home.dandori.close();
    const later = await home.reopen();
    expect((await later.prune({ olderThan: 0 })).runs.map((one) => one.run)).toEqual([fork, run]);
  });

  it('stays readable after its runs were pruned, and begins none of them again', async () => {
    await using home = await openHome({ script: [answer('Hello.')] });
    const conversation = await home.dandori.conversation();
    await conversation.say('hi');
    await home.dandori.close();
    const later = await home.reopen();
    expect((await later.prune({ olderThan: 0 })).runs).toHaveLength(1);
    const again = await later.conversation(conversation.id);
    await again.settled();
    expect(again.messages().map(({ text }) => text)).toEqual(['hi', 'Hello.']);
    expect(again.runs()).toMatchObject([{ goal: 'hi', outcome: 'answered' }]);
    expect(await later.runs()).toEqual([]);
  });

  it('settles when its runs can be pruned, however long their driver takes to leave them', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary.store;
    releaseSlowly(journal);
    const model = createScriptedMind([[act('a', 'answer', { text: 'Hello.' })]]);
    await using dandori = await openDandori({ store: temporary.store, model });
    await using conversation = await dandori.conversation();
    await conversation.say('hi');
    await conversation.settled();
    expect(await dandori.prune({ olderThan: 0 })).toMatchObject({
      runs: [{ outcome: 'answered' }],
      left: [],
    });
  });

  it('can be closed after a run whose last events could not be read', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary.store;
    // The store cannot be reached for a moment, right after the driver has left the run.
    releaseSlowly(
      journal,
      () => void vi.spyOn(journal, 'read').mockRejectedValueOnce(new Error('unreachable')),
    );
    const mind = createScriptedMind([[act('a', 'answer', { text: 'Hello.' })]]);
    const runtime = await openRuntime({ cwd: temporary.directory, store: temporary.store, mind });
    const woken = Promise.withResolvers<string>();
    const conversation = await runtime.conversation(undefined, { wake: woken.resolve });
    await conversation.say('hi', { waits: false });
    await conversation.drive(await woken.promise, {}).catch(() => {});
    await expect(conversation.close()).resolves.toBeUndefined();
    await runtime.close();
  });

  it('learns how a run ended in another process, before that run can be pruned', async () => {
    await using home = await openHome({ script: BOOK, yaml: ASKING });
    const conversation = await home.dandori.conversation();
    const said = await conversation.say('book a room');
    const run = 'run' in said ? said.run : '';
    await home.dandori.close();
    const other = await home.reopen();
    await other.answer(run, 'q1', 'approve');
    expect(await other.drive(run)).toMatchObject({ outcome: 'answered' });
    expect((await other.prune({ olderThan: 0 })).runs).toEqual([]);
    const again = await other.conversation(conversation.id);
    expect(again.undelivered().map(({ text }) => text)).toEqual(['Approve travel.book? (write)', 'Booked.']);
    expect((await other.prune({ olderThan: 0 })).runs).toHaveLength(1);
    await theseHold(home.folder);
  });
});

describe('a question of a conversation', () => {
  it('can be answered from another process, and the run continues here', async () => {
    await using home = await openHome({ script: BOOK, yaml: ASKING });
    const conversation = await home.dandori.conversation();
    const said = await conversation.say('book a room');
    const other = await home.reopen();
    await other.answer('run' in said ? said.run : '', 'q1', 'approve');
    await expect.poll(() => conversation.messages().at(-1)?.text).toBe('Booked.');
    expect(home.calls).toHaveLength(1);
  });
});

describe('the model of a conversation', () => {
  it('can be changed for later runs, also after a restart', async () => {
    await using home = await openHome({ script: [answer('one'), answer('two'), answer('three')] });
    const conversation = await home.dandori.conversation();
    await conversation.say('hi');
    await conversation.useModel('larger');
    await conversation.say('hi again');
    await expect(conversation.useModel('openai/elsewhere')).rejects.toThrow('There is no model');
    await home.dandori.close();
    const again = await (await home.reopen()).conversation(conversation.id);
    expect(again.model).toBe('openai-compatible/larger');
    await again.say('and again');
    expect(home.model.requests.map(({ body }) => body.model)).toEqual(['scripted', 'larger', 'larger']);
  });
});

describe('a conversation that does not exist', () => {
  it('is an error that says how to list the others', async () => {
    await using home = await openHome({ script: [] });
    await expect(home.dandori.conversation('20260101-000000000-none')).rejects.toMatchObject({
      code: 'conversation-not-found',
      fix: expect.stringContaining('dandori chat --list'),
    });
  });
});
