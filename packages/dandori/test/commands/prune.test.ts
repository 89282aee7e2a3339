import { appendFileSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type PruneOptions, pruneRuns } from '../../src/commands/prune.ts';
import { startOnce } from '../../src/commands/start.ts';
import { addBudget, rateRun } from '../../src/commands/steer.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import type { BlobHandle } from '../../src/model/event.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { createFileKeys } from '../../src/store/files/keys.ts';
import { createMemoryBlobs, createMemoryJournal, createMemoryKeys } from '../../src/store/in-memory.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { createHouse, DONE, SETTINGS, task } from '../driver/house.ts';

const DAY = 86_400_000;
const LARGE = 40_000;

const TOOLS = {
  'a.read': { run: ({ text = '' }) => String(text).repeat(LARGE) },
  'a.fail': {
    run: () => ({ kind: 'failed' as const, failure: { kind: 'tool_error' as const, message: 'no' } }),
  },
};

/** A real engine whose runs are over at once, and a prune that looks at them days later. */
function createKeeper({ journal, blobs }: Pick<Parts, 'journal' | 'blobs'>) {
  const parts = createHouse(TOOLS, [], { journal, blobs, clock: systemClock }).parts;
  const later = (days: number) => ({
    ...parts,
    clock: { ...systemClock, now: () => Date.now() + days * DAY },
  });
  return {
    parts,
    later,
    async ended(text: string, settings?: Partial<Settings>, script = DONE): Promise<RunState> {
      const house = createHouse(TOOLS, script, { journal, blobs, clock: systemClock });
      return drive(
        await house.start('go', [task('t1', 'a.read', { args: { text } })], settings),
        house.parts,
      );
    },
    prune: (days: number, options?: Partial<PruneOptions>) =>
      pruneRuns({ olderThan: 30 * DAY, ...options }, later(days)),
  };
}

function blobOf(state: RunState): BlobHandle {
  const result = state.tasks.get('t1')?.result;
  if (result === undefined || !('blob' in result)) throw new Error('No blob.');
  return result.blob;
}

const names = ({ runs }: { runs: readonly { run: string }[] }) => runs.map(({ run }) => run);

describe.each(['files', 'memory'])('old runs in %s', (kind) => {
  async function open() {
    const temporary = await createTemporaryJournal();
    const memory = { journal: createMemoryJournal(), blobs: createMemoryBlobs() };
    const keeper = createKeeper(kind === 'files' ? temporary : memory);
    const keys = kind === 'files' ? createFileKeys(join(temporary.directory, 'keys')) : createMemoryKeys();
    return { ...keeper, keys, [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose]() };
  }

  it('take the keys under which they were started with them, and no others', async () => {
    await using keeper = await open();
    const { keys, later } = keeper;
    const parts = { ...keeper.parts, keys };
    const begin = async (key: string) =>
      (await startOnce({ goal: 'go', settings: SETTINGS }, { key, request: 'go' }, parts)).run;
    const run = await begin('k1');
    await keys.hold('said', JSON.stringify({ id: 'message' }));
    expect(await pruneRuns({ olderThan: 0 }, { ...later(0.5), keys })).toMatchObject({ keys: 0 });
    // The run has not ended.
    expect(await pruneRuns({ olderThan: 0 }, { ...later(31), keys })).toMatchObject({ runs: [], keys: 1 });
    expect(await begin('k1')).toBe(run);
    await keeper.parts.journal.remove(run, 1);
    const dry = { olderThan: 30 * DAY, dryRun: true };
    expect(await pruneRuns(dry, { ...later(31), keys })).toMatchObject({ keys: 1 });
    expect(await pruneRuns({ olderThan: 30 * DAY }, { ...later(31), keys })).toMatchObject({ keys: 1 });
    expect(await begin('k1')).not.toBe(run);
  });

  it('are removed as soon as they have the age that was given', async () => {
    await using keeper = await open();
    const { run, lastAt } = await keeper.ended('x');
    const at = (now: number) => ({ ...keeper.parts, clock: { ...systemClock, now: () => now } });
    expect(names(await pruneRuns({ olderThan: DAY }, at(lastAt + DAY - 1)))).toEqual([]);
    expect(names(await pruneRuns({ olderThan: DAY }, at(lastAt + DAY)))).toEqual([run]);
  });

  it('are removed when they are old, with the blobs that no other run uses', async () => {
    await using keeper = await open();
    const { journal, blobs } = keeper.parts;
    const state = await keeper.ended('x');
    const size = await journal.size(state.run);
    expect(await keeper.prune(29)).toMatchObject({
      runs: [],
      blobs: { count: 0, bytes: 0 },
      bytes: 0,
      left: [],
    });
    const foretold = await keeper.prune(31, { dryRun: true });
    expect(await journal.read(state.run)).not.toEqual([]);
    const pruned = await keeper.prune(31);
    expect(pruned).toEqual({ ...foretold, dryRun: false });
    expect(pruned.runs).toMatchObject([{ run: state.run, outcome: 'answered', bytes: size }]);
    expect(pruned.blobs).toEqual({ count: 1, bytes: blobOf(state).bytes });
    expect(pruned.bytes).toBe(size + blobOf(state).bytes);
    await expect(journal.read(state.run)).rejects.toMatchObject({ code: 'run-not-found' });
    await expect(blobs.get(blobOf(state))).rejects.toMatchObject({ code: 'blob-damaged' });
    expect(await keeper.prune(31)).toMatchObject({ runs: [], bytes: 0 });
  });

  it('keep a blob that another run uses too', async () => {
    await using keeper = await open();
    const [old, failed] = [await keeper.ended('x'), await keeper.ended('x', {}, REFUSED)];
    expect(names(await keeper.prune(31, { keepFailed: true }))).toEqual([old.run]);
    expect(await keeper.parts.blobs.get(blobOf(failed))).toContain('xxx');
    expect(await keeper.prune(31)).toMatchObject({ runs: [{ outcome: 'failed' }], blobs: { count: 1 } });
  });

  it('stay if they are open, wait, are driven, or were written to recently', async () => {
    await using keeper = await open();
    const { journal } = keeper.parts;
    const house = createHouse(TOOLS, [], { ...keeper.parts });
    await house.start('open');
    const waiting = await house.start('waits', [task('t1', 'a.read')], { approval: 'always' });
    await drive(waiting, house.parts);
    const driven = await keeper.ended('d');
    const rated = await keeper.ended('r');
    const reopened = await keeper.ended('b', { limits: { ...SETTINGS.limits, calls: 2 } }, [
      [],
      [{ operation: 'answer', args: { text: 'not all', achieved: false } }],
    ]);
    expect(reopened.end?.outcome).toBe('exhausted');
    await addBudget({ run: reopened.run, time: 1000 }, keeper.parts);
    await rateRun(
      { run: rated.run, rating: 5 },
      { ...keeper.parts, clock: { ...systemClock, now: () => Date.now() + 10 * DAY } },
    );
    await using claim = { ...(await journal.claim(driven.run)), [Symbol.asyncDispose]: async () => {} };
    expect(await keeper.prune(31)).toMatchObject({ runs: [], left: [{ run: driven.run, reason: 'driven' }] });
    await claim.release();
    expect(names(await keeper.prune(41)).sort()).toEqual([driven.run, rated.run].sort());
    expect(await journal.list()).toHaveLength(3);
  });

  it('stay if a driver has stored the same blob again and not journaled it yet', async () => {
    await using keeper = await open();
    const { blobs } = keeper.parts;
    const state = await keeper.ended('x');
    const text = await blobs.get(blobOf(state));
    // Prune has listed it as old; now it is put again.
    const old = await blobs.putBefore(Date.now() + 1000);
    const before = Date.now() - 1000;
    await blobs.put([text]);
    expect(await Promise.all(old.map((blob) => blobs.remove(blob, before)))).toEqual([false]);
    expect(await blobs.get(blobOf(state))).toBe(text);
  });

  it.each([Number.NaN, -1])('refuses an age of %s', async (olderThan) => {
    await using keeper = await open();
    await expect(keeper.prune(31, { olderThan })).rejects.toMatchObject({ code: 'usage' });
  });
});

const REFUSED = [[{ operation: 'answer', args: { text: 'no', achieved: false } }]];

describe('old runs in files', () => {
  it('leave no file behind', async () => {
    await using temporary = await createTemporaryJournal();
    const keeper = createKeeper(temporary);
    await keeper.ended('x');
    await keeper.prune(31);
    const files = readdirSync(temporary.directory, { recursive: true, withFileTypes: true });
    expect(files.filter((file) => file.isFile()).map(({ name }) => name)).toEqual([]);
  });

  it.each(['at its beginning', 'in the middle', 'at its end'])(
    'are named and left where one is damaged %s, and so are all blobs',
    async (where) => {
      await using temporary = await createTemporaryJournal();
      const keeper = createKeeper(temporary);
      const [whole, damaged] = [await keeper.ended('x'), await keeper.ended('y')];
      const file = join(temporary.directory, `${damaged.run}.jsonl`);
      const text = readFileSync(file, 'utf8');
      const at =
        { 'at its beginning': 5, 'in the middle': text.length / 2, 'at its end': text.length - 9 }[where] ??
        0;
      const broken = `${text.slice(0, at)}\u0000${text.slice(Math.floor(at) + 1)}`;
      writeFileSync(file, broken);
      const pruned = await keeper.prune(31);
      expect(pruned).toMatchObject({
        blobs: { count: 0 },
        left: [{ run: damaged.run, reason: 'damaged' }],
      });
      expect(names(pruned)).toEqual([whole.run]);
      expect(readFileSync(file, 'utf8')).toBe(broken);
      writeFileSync(file, text);
      expect((await keeper.prune(31)).blobs.count).toBe(2);
    },
  );

  it('ignore a torn tail: the complete events before it count', async () => {
    await using temporary = await createTemporaryJournal();
    const keeper = createKeeper(temporary);
    const { run } = await keeper.ended('x');
    appendFileSync(join(temporary.directory, `${run}.jsonl`), '{"v":1,"run"');
    expect(names(await keeper.prune(31))).toEqual([run]);
  });

  it('that a crash left without their journals are removed the next time', async () => {
    await using temporary = await createTemporaryJournal();
    const keeper = createKeeper(temporary);
    const state = await keeper.ended('x');
    // What a crash between the two parts leaves.
    await temporary.journal.remove(state.run, state.seq);
    expect(await keeper.prune(31)).toMatchObject({ runs: [], blobs: { count: 1 } });
  });

  it('take what crashes left half-written with them, once it is old, and put back what is wanted again', async () => {
    await using temporary = await createTemporaryJournal();
    const keeper = createKeeper(temporary);
    const state = await keeper.ended('x');
    const { sha256 } = blobOf(state);
    const file = join(temporary.directory, 'blobs', sha256.slice(0, 2), `${sha256}.json`);
    const [half, aside] = [1, 2].map((number) => `${file}.0d9e8c1a-1111-2222-3333-44445555666${number}.tmp`);
    writeFileSync(half ?? '', 'half');
    expect(await keeper.prune(0, { keepFailed: true })).toMatchObject({ bytes: 0 });
    expect(existsSync(half ?? '')).toBe(true);
    // What a crash leaves that came right after one was set aside.
    renameSync(file, aside ?? '');
    expect(await keeper.prune(1)).toMatchObject({ runs: [], blobs: { count: 0, bytes: 4 }, bytes: 4 });
    expect(readdirSync(join(file, '..'))).toEqual([`${sha256}.json`]);
    expect(await temporary.blobs.get(blobOf(state))).toContain('xxx');
  });

  it('of an append and a removal by two processes at once, one succeeds and the other fails', async () => {
    await using temporary = await createTemporaryJournal();
    const other = createJsonlJournal(temporary.directory);
    for (let round = 0; round < 20; round++) {
      await temporary.journal.create('r1', [firstEvent('r1')]);
      const settled = await Promise.allSettled([
        temporary.journal.append('r1', 1, [eventAt('r1', 2)]),
        other.remove('r1', 1),
        temporary.journal.append('r1', 1, [eventAt('r1', 2)]),
      ]);
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const isThere = existsSync(join(temporary.directory, 'r1.jsonl'));
      expect(isThere).toBe(settled[1].status === 'rejected');
      if (isThere) await other.remove('r1', 2);
    }
  });
});
