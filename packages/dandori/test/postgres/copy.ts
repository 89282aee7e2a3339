import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyBetween } from '../../src/app/copy.ts';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { createStoreKey } from '../../src/store/files/keys.ts';
import { createFileApprovals } from '../../src/store/standing-approvals.ts';
import { createFileStore } from '../../src/store/store.ts';
import { openPlace } from '../cli/command.ts';
import { settingsWith } from '../settings.ts';
import { openTestStore, type TestStore } from './database.ts';
import { partsOf } from './worker.ts';

const JOURNALS = join(import.meta.dirname, '../journals');

interface Folders extends AsyncDisposable {
  readonly from: string;
  readonly back: string;
}

/** A folder with every journal of every version that was kept, and one for the way back. */
export async function openFolders(): Promise<Folders> {
  const folder = await mkdtemp(join(tmpdir(), 'dandori-copy-'));
  const from = join(folder, 'from');
  for (const version of ['0.1.0', '0.2.0', '0.3.0']) {
    const folder = join(JOURNALS, version);
    await cp(join(folder, 'blobs'), join(from, 'blobs'), { recursive: true });
    for (const name of await readdir(folder))
      if (name.endsWith('.jsonl')) await cp(join(folder, name), join(from, await nameOf(join(folder, name))));
  }
  return {
    from,
    back: join(folder, 'back'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A journal is named after its run. */
async function nameOf(path: string): Promise<string> {
  const [line = ''] = (await readFile(path, 'utf8')).split('\n');
  return `${(JSON.parse(line) as { run: string }).run}.jsonl`;
}

/** As `dandori store migrate` leaves it: without a key of secrets, which the first server makes. */
async function openEmpty(): Promise<TestStore> {
  const store = await openTestStore();
  await store.sql.unsafe(`delete from ${store.options.schema}.settings`);
  return store;
}

export const addressOf = ({ options }: TestStore) => `${options.url}?schema=${options.schema}`;

/** All files of a store with their contents. The key of secrets is one of them. */
async function contents(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(folder.length), await readFile(file, 'utf8')])),
  );
}

/** An ended run, a conversation, a request key, an approval and a key of secrets. */
async function fill(folder: string): Promise<string> {
  const store = createFileStore(folder);
  const parts = partsOf(store, {
    effects: join(folder, '..', 'effects'),
    name: 'test',
    takes: 0,
  });
  const tasks = [{ id: 's', operation: 'a.slow', args: {} }];
  const { run } = await startRun({ goal: 'go', tasks, settings: settingsWith() }, parts);
  await drive(run, parts);
  const head = { v: 1, conversation: 'c1', at: 1 } as const;
  const started = { ...head, seq: 1, type: 'conversation_started', data: { title: 'Hello' } } as const;
  await store.conversations.create('c1', [started]);
  await store.keys.hold('a key', JSON.stringify({ run }));
  await createFileApprovals(join(folder, 'approvals')).add({
    user: 'ann',
    operation: 'a.put',
    effect: 'write',
    at: 1,
    run,
  });
  createStoreKey(folder)();
  return run;
}

describe('a copy of a store', () => {
  it('goes from files to PostgreSQL and back with every byte, once', async () => {
    await using folders = await openFolders();
    await using database = await openEmpty();
    await fill(folders.from);
    const here = await contents(folders.from);
    const count = (await createFileStore(folders.from).journal.list()).length;
    const there = await copyBetween(folders.from, addressOf(database));
    expect(there).toMatchObject({
      runs: { copied: count, same: 0 },
      conversations: { copied: 1 },
      keys: { copied: 1 },
      approvals: 1,
      left: [],
    });
    const back = await copyBetween(addressOf(database), folders.back);
    expect(back).toMatchObject({ runs: { copied: count }, bytes: there.bytes, blobs: there.blobs, left: [] });
    expect(await contents(folders.back)).toEqual(here);
    // Again: everything is there, and nothing is written.
    const again = await copyBetween(folders.from, addressOf(database));
    expect(again).toMatchObject({ runs: { copied: 0, same: count }, keys: { copied: 0, same: 1 }, blobs: 0 });
    expect(there.blobs).toBeGreaterThan(0);
  });

  it('of one run takes only that run, what it needs, and its key', async () => {
    await using folders = await openFolders();
    await using database = await openEmpty();
    const run = await fill(folders.from);
    const one = await copyBetween(folders.from, addressOf(database), { run });
    expect(one).toMatchObject({ runs: { copied: 1 }, conversations: { copied: 0 }, keys: { copied: 1 } });
    expect((await database.journal.list()).map((summary) => summary.run)).toEqual([run]);
    const missing = copyBetween(folders.from, addressOf(database), { run: 'none' });
    await expect(missing).rejects.toMatchObject({ code: 'run-not-found' });
  });

  it('follows a run that went on, keeps a copy that went on, and leaves one that went another way', async () => {
    await using folders = await openFolders();
    await using database = await openTestStore();
    const { journal } = createFileStore(folders.back);
    for (const run of ['r1', 'r2', 'r3']) await journal.create(run, [firstEvent(run)]);
    const copy = () => copyBetween(folders.back, addressOf(database));
    expect(await copy()).toMatchObject({ runs: { copied: 3 }, unfinished: 3, left: [] });
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    await database.journal.append('r2', 1, [eventAt('r2', 2)]);
    await journal.append('r3', 1, [eventAt('r3', 2), eventAt('r3', 3)]);
    await database.journal.append('r3', 1, [eventAt('r3', 2)]);
    expect(await copy()).toMatchObject({
      runs: { copied: 1, same: 1 },
      left: [{ id: 'r3', reason: 'differs' }],
    });
    expect(await database.journal.read('r1')).toHaveLength(2);
    expect(await database.journal.read('r2')).toHaveLength(2);
    expect(await database.journal.read('r3')).toHaveLength(2);
  });

  it('leaves a run that is driven in either store, and one that is damaged', async () => {
    await using folders = await openFolders();
    await using database = await openTestStore();
    const { journal } = createFileStore(folders.back);
    for (const run of ['r1', 'r2', 'r3', 'r4']) await journal.create(run, [firstEvent(run)]);
    await copyBetween(folders.back, addressOf(database), { run: 'r2' });
    await journal.append('r2', 1, [eventAt('r2', 2)]);
    const [here, there] = [await journal.claim('r1'), await database.journal.claim('r2')];
    const damaged = join(folders.back, 'r3.jsonl');
    await writeFile(damaged, (await readFile(damaged, 'utf8')).replace('"goal"', '"gaol"'));
    const { left, runs } = await copyBetween(folders.back, addressOf(database));
    expect(runs).toEqual({ copied: 1, same: 0 });
    expect(left.map(({ id, reason }) => `${id} ${reason}`).sort()).toEqual([
      'r1 driven',
      'r2 driven',
      'r3 damaged',
    ]);
    await Promise.all([here.release(), there.release()]);
    expect((await copyBetween(folders.back, addressOf(database))).left).toHaveLength(1);
  });

  it('leaves an unfinished run whose secrets the other store could not restore', async () => {
    await using folders = await openFolders();
    await using database = await openTestStore();
    const { journal } = createFileStore(folders.back);
    createStoreKey(folders.back)();
    const mark = `[secret:${'a'.repeat(32)}]`;
    const first = firstEvent('r1');
    await journal.create('r1', [{ ...first, data: { ...first.data, goal: mark } } as typeof first]);
    const { left } = await copyBetween(folders.back, addressOf(database));
    expect(left).toMatchObject([{ id: 'r1', reason: 'secrets' }]);
  });

  it('is made by the command, which names stores by folder, configuration and address', async () => {
    await using folders = await openFolders();
    await using database = await openEmpty();
    await using place = await openPlace();
    const { url, schema = '' } = database.options;
    await place.write('dandori.yaml', JSON.stringify({ store: { type: 'postgres', url, schema } }));
    const first = await place.dandori('store', 'copy', folders.from, '.', '--json');
    expect(first.code, first.stderr).toBe(0);
    const { runs } = JSON.parse(first.stdout) as { runs: { copied: number } };
    const second = await place.dandori('store', 'copy', 'dandori.yaml', folders.back);
    expect(second.stdout).toMatch(new RegExp(`^Copied ${runs.copied} runs`));
    expect(await contents(folders.back)).toEqual(await contents(folders.from));
    const third = await place.dandori('store', 'copy', folders.from, addressOf(database));
    expect(third.stdout).toContain(`Nothing to copy.\nAlready there: ${runs.copied} runs`);
    expect((await place.dandori('store', 'migrate', '--json')).stdout).toMatch(/"from":/);
    const refused = [
      ['copy', folders.from],
      ['copy', folders.from, folders.from],
      ['copy', 'nowhere', folders.from],
      ['copy', `${url}?schema=t_none`, folders.from],
    ];
    for (const args of refused) expect((await place.dandori('store', ...args)).code).toBe(2);
  });
});
