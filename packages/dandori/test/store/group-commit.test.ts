import { basename } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

const syncs = vi.hoisted(() => ({ count: 0, fail: false }));
/** What happened to the folder, one after the other. */
const folder = vi.hoisted((): string[] => []);

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    fdatasync(fd: number, done: (error: Error | null) => void) {
      syncs.count++;
      if (syncs.fail)
        setImmediate(done, Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' }));
      else fs.fdatasync(fd, done);
    },
    fsync(fd: number, done: (error: Error | null) => void) {
      folder.push('sync');
      fs.fsync(fd, (error) => {
        folder.push('synced');
        done(error);
      });
    },
    linkSync(from: string, to: string) {
      fs.linkSync(from, to);
      folder.push(basename(to, '.jsonl'));
    },
  };
});

const { eventAt, firstEvent } = await import('../../src/store/conformance/cases.ts');
const { createJsonlJournal } = await import('../../src/store/files/journal.ts');
const { createTemporaryJournal } = await import('../../src/testing/temporary-journal.ts');

describe('R2: group commit', () => {
  it('appends that wait while the disk is busy share the next sync', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    syncs.count = 0;
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => journal.append('r1', index + 1, [eventAt('r1', index + 2)])),
    );
    expect(syncs.count).toBeLessThanOrEqual(3);
    await claim.release();
  });

  it('runs that begin together share the syncs of their folder', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    await journal.create('r0', [firstEvent('r0')]);
    folder.length = 0;
    const runs = Array.from({ length: 100 }, (_, index) => `r${index + 1}`);
    await Promise.all(
      runs.map(async (run) => {
        await journal.create(run, [firstEvent(run)]);
        const since = folder.slice(folder.indexOf(run));
        const began = since.indexOf('sync');
        expect(began, run).toBeGreaterThan(0);
        expect(since.indexOf('synced', began), run).toBeGreaterThan(began);
      }),
    );
    const order = folder.filter((what) => !what.startsWith('r'));
    expect(order).toEqual(order.map((_, index) => (index % 2 === 0 ? 'sync' : 'synced')));
  });

  it('J3: every append is synced before it resolves', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    await journal.create('r1', [firstEvent('r1')]);
    syncs.count = 0;
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    expect(syncs.count).toBe(1);
    await expect(journal.append('r1', 1, [eventAt('r1', 2)])).rejects.toMatchObject({
      code: 'journal-conflict',
    });
    expect(syncs.count).toBe(1);
  });

  it('J8: what a driver reads is synced, also if its writer died before it could do so', async () => {
    await using temporary = await createTemporaryJournal();
    const other = createJsonlJournal(temporary.directory);
    await other.create('r1', [firstEvent('r1')]);
    await other.append('r1', 1, [eventAt('r1', 2)]);
    const { journal } = temporary;
    syncs.count = 0;
    expect(await journal.read('r1')).toHaveLength(2);
    expect(syncs.count).toBe(0);
    const claim = await journal.claim('r1');
    expect(await journal.read('r1')).toHaveLength(2);
    expect(syncs.count).toBe(1);
    // The next append comes from this driver, and its own sync is enough.
    await journal.append('r1', 2, [eventAt('r1', 3)], claim);
    expect(await journal.read('r1', 2)).toHaveLength(1);
    expect(syncs.count).toBe(2);
    await other.append('r1', 3, [eventAt('r1', 4)]);
    syncs.count = 0;
    syncs.fail = true;
    await expect(journal.read('r1', 3)).rejects.toMatchObject({ code: 'journal-unwritable' });
    syncs.fail = false;
    expect(syncs.count).toBe(1);
    await claim.release();
  });

  it('J8: a driver that begins a run reads nothing, and syncs only what it writes', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    await journal.create('r1', [firstEvent('r1')]);
    syncs.count = 0;
    const claim = await journal.claim('r1');
    await journal.append('r1', 1, [eventAt('r1', 2)], claim);
    await claim.release();
    expect(syncs.count).toBe(1);
  });

  it('R3: after a failed sync nothing more is acknowledged until the run is opened again', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    await journal.create('r1', [firstEvent('r1')]);
    const claim = await journal.claim('r1');
    syncs.fail = true;
    await expect(journal.append('r1', 1, [eventAt('r1', 2)])).rejects.toMatchObject({
      code: 'journal-unwritable',
    });
    syncs.fail = false;
    await expect(journal.append('r1', 2, [eventAt('r1', 3)])).rejects.toMatchObject({
      code: 'journal-unwritable',
    });
    await claim.release();
    // What was in memory only is not taken for kept.
    expect(await journal.read('r1')).toHaveLength(1);
    await journal.append('r1', 1, [eventAt('r1', 2)]);
    expect(await journal.read('r1')).toHaveLength(2);
  });

  it('R3: what cannot be put into words is refused, and takes nothing that was kept before with it', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal } = temporary;
    const kept = [firstEvent('r1'), eventAt('r1', 2), eventAt('r1', 3)];
    await journal.create('r1', kept.slice(0, 1));
    const circle: unknown[] = [];
    circle.push(circle);
    const noJson = { ...eventAt('r1', 4), data: { amount: circle } } as never;
    const claim = await journal.claim('r1');
    await journal.append('r1', 1, kept.slice(1, 2));
    await journal.append('r1', 2, kept.slice(2));
    await expect(journal.append('r1', 3, [noJson])).rejects.toThrow();
    await claim.release();
    expect(await journal.read('r1')).toEqual(kept);
    await expect(journal.append('r1', 3, [noJson])).rejects.toThrow();
    expect(await journal.read('r1')).toEqual(kept);
  });
});
