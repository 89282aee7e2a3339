import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Runtime } from '../../src/app/dandori.ts';
import { createOpenConversations, type OpenConversations } from '../../src/server/conversations.ts';
import { createFileStore, type Store } from '../../src/store/public.ts';
import { answer, type Home, openHome, own, say } from '../requirements/home.ts';

describe('the conversations that a server has open', () => {
  it('O1, O3: are open once each, close when no client uses or follows them, and lose nothing', async () => {
    await using home = await openHome({ script: () => answer('Hello.') });
    const { dandori } = home;
    const woken: string[] = [];
    const opened: string[] = [];
    const followed = new Set<string>();
    const open = createOpenConversations({
      dandori,
      wake: (run) => woken.push(run),
      isFollowed: (id) => followed.has(id),
      onOpen: ({ id }) => opened.push(id),
      onTrouble: (_, error) => {
        throw error;
      },
      mostIdle: 1,
    });
    const begin = (text: string) =>
      open.useNew({ userId: undefined, key: text }, async (it) => {
        await it.say(text, { waits: false });
        return it.id;
      });
    const [one, two, three] = [await begin('one'), await begin('two'), await begin('three')];
    expect(woken).toHaveLength(3);
    expect(opened).toEqual([one, two, three]);
    // Only the last one is open still.
    await open.use(three, async () => {});
    expect(opened).toHaveLength(3);
    followed.add(one);
    const [first, again] = await Promise.all([
      open.use(one, async (it) => it),
      open.use(one, async (it) => it),
    ]);
    expect(first).toBe(again);
    expect(opened).toEqual([one, two, three, one]);
    await open.use(two, async () => {});
    await open.use(three, async () => {});
    expect(await open.use(one, async (it) => it)).toBe(first);
    // Waking the run of a closed conversation needs no special case.
    const [run = ''] = await open.use(two, async (it) => it.runs().map((it) => it.run));
    await open.use(three, async () => {});
    expect(await open.drive(run)).toMatchObject({ outcome: 'answered', answer: 'Hello.' });
    expect(await open.use(two, async (it) => it.undelivered())).toMatchObject([{ text: 'Hello.' }]);
    await dandori.close();
  });

  it('a run that another server began after this one opened the conversation is reported here too', async () => {
    await using home = await openHome({ script: () => answer('Hello.') });
    const [here, there] = await openTwo(home);
    const id = await there.useNew(BEGINNING, async (it) => {
      await it.say('one', { waits: false });
      return it.id;
    });
    await here.use(id, async () => {});
    const run = await there.use(id, async (it) => {
      await it.say('two', { waits: false });
      // It ends before the run has begun to work.
      await it.close();
      return it.runs().at(-1)?.run ?? '';
    });
    expect(await here.drive(run)).toMatchObject({ outcome: 'answered' });
    expect(await here.use(id, async (it) => it.undelivered())).toMatchObject([{ run, text: 'Hello.' }]);
  });

  it('a question of such a run is known here, and answered by words that are sent here', async () => {
    const which = { question: 'Which milk?', options: ['low-fat', 'whole'] };
    await using home = await openHome({ script: [say([own('ask', which)])] });
    const [here, there] = await openTwo(home);
    const id = await there.useNew(BEGINNING, async (it) => {
      await it.say('hello', { waits: false });
      return it.id;
    });
    await here.use(id, async () => {});
    const run = await there.use(id, async (it) => {
      await it.say('throw away the milk', { waits: false });
      return it.runs().at(-1)?.run ?? '';
    });
    expect(await there.drive(run)).toMatchObject({ outcome: 'waiting' });
    const said = await here.use(id, (it) => it.say('the low-fat one', { waits: false }));
    expect(said).toMatchObject({ kind: 'answered', run, chose: 'low-fat' });
  });

  it('a question is known here although its notice has not come yet', async () => {
    const which = { question: 'Which milk?', options: ['low-fat', 'whole'] };
    await using home = await openHome({ script: [say([own('ask', which)])] });
    const [there, here] = await openTwo(home, deafStore(join(home.folder, '.dandori/runs')));
    const id = await there.useNew(BEGINNING, async (it) => {
      await it.say('throw away the milk', { waits: false });
      return it.id;
    });
    const run = await here.use(id, async (it) => it.runs().at(-1)?.run ?? '');
    expect(await there.drive(run)).toMatchObject({ outcome: 'waiting' });
    const said = await here.use(id, (it) => it.say('the low-fat one', { waits: false }));
    expect(said).toMatchObject({ kind: 'answered', run, chose: 'low-fat' });
  });
});

const BEGINNING = { userId: undefined, key: undefined };

/** Two servers of the same store. */
async function openTwo(
  { dandori, reopen }: Home,
  store?: Store,
): Promise<[OpenConversations, OpenConversations]> {
  const open = (runtime: Runtime) =>
    createOpenConversations({
      dandori: runtime,
      wake: () => {},
      isFollowed: () => true,
      onOpen: () => {},
      onTrouble: (_, error) => {
        throw error;
      },
    });
  return [open(dandori), open(await reopen(undefined, { ...(store && { store }) }))];
}

/** The store of a server that hears of no write. */
function deafStore(folder: string): Store {
  const store = createFileStore(folder);
  return { ...store, journal: { ...store.journal, watch: () => () => {} } };
}
