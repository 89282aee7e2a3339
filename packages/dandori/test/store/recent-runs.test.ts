import {
  appendFileSync,
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import { toLine } from '../../src/store/files/line.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const RUN = 'r1';
/** More than 32 kB, and much less than 4 MB. */
const COUNT = 1_000;

function eventsOf(goal: string, count = COUNT): Event[] {
  return [firstEvent(RUN, goal), ...Array.from({ length: count - 1 }, (_, index) => eventAt(RUN, index + 2))];
}

/** A journal that has read a long run. */
async function withLongRun() {
  const temporary = await createTemporaryJournal();
  const events = eventsOf('first');
  const path = join(temporary.directory, `${RUN}.jsonl`);
  writeFileSync(path, events.map(toLine).join(''));
  expect(await temporary.journal.read(RUN)).toEqual(events);
  return Object.assign(temporary, { path, events });
}

/** Bytes that this thread has read since it began. */
function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/thread-self/io', 'utf8'))?.[1]);
}

describe('a long run that was read before', () => {
  it.skipIf(!existsSync('/proc/thread-self/io'))('is not read again: only what is new is', async () => {
    await using temporary = await withLongRun();
    const { journal, path, events } = temporary;
    const { size } = statSync(path);
    const before = bytesRead();
    for (let seq = COUNT + 1; seq <= COUNT + 20; seq++) {
      const event = eventAt(RUN, seq);
      await journal.append(RUN, seq - 1, [event]);
      events.push(event);
      expect(await journal.read(RUN)).toEqual(events);
      const claim = await journal.claim(RUN);
      expect(await journal.read(RUN)).toEqual(events);
      await claim.release();
    }
    expect(bytesRead() - before).toBeLessThan(size);
    expect(await createJsonlJournal(temporary.directory).read(RUN)).toEqual(events);
  });

  it('shows what another process has written', async () => {
    await using temporary = await withLongRun();
    const { journal, events } = temporary;
    const other = createJsonlJournal(temporary.directory);
    for (let seq = COUNT + 1; seq <= COUNT + 3; seq++) {
      const event = eventAt(RUN, seq);
      await other.append(RUN, seq - 1, [event]);
      events.push(event);
      expect(await journal.read(RUN)).toEqual(events);
      expect(await journal.read(RUN, seq - 1)).toEqual([event]);
    }
    await expect(journal.append(RUN, COUNT, [eventAt(RUN, COUNT + 1)])).rejects.toMatchObject({
      code: 'journal-conflict',
    });
  });

  it('is given to each reader as a list of its own', async () => {
    await using temporary = await withLongRun();
    const { journal, events } = temporary;
    (await journal.read(RUN)).length = 0;
    expect(await journal.read(RUN)).toEqual(events);
  });

  it.each([
    ['replaced by a shorter one', COUNT - 300, renameSync],
    ['replaced by one of the same length', COUNT, renameSync],
    ['replaced by a longer one', COUNT + 300, renameSync],
    ['overwritten with a shorter one', COUNT - 300, copyFileSync],
    ['overwritten with a longer one', COUNT + 300, copyFileSync],
  ])('is read in full if its file was %s', async (_, count, put) => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    const restored = eventsOf('another goal', count);
    writeFileSync(`${path}.backup`, restored.map(toLine).join(''));
    put(`${path}.backup`, path);
    expect(await journal.read(RUN)).toEqual(restored);
    const next = eventAt(RUN, count + 1);
    await journal.append(RUN, count, [next]);
    expect(await journal.read(RUN)).toEqual([...restored, next]);
  });

  it('shows damage that came later', async () => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    const changed = readFileSync(path);
    changed[20_000] = (changed[20_000] ?? 0) ^ 1;
    writeFileSync(path, changed);
    // Two writes may fall into the same tick of the file system's clock.
    utimesSync(path, 1, 1);
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
    await expect(journal.append(RUN, COUNT, [eventAt(RUN, COUNT + 1)])).rejects.toMatchObject({
      code: 'journal-damaged',
    });
  });

  it('shows damage at its end', async () => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    appendFileSync(path, 'not an event\n');
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
  });

  it('is gone when it is removed, and a new one of that name has only its own events', async () => {
    await using temporary = await withLongRun();
    const { journal } = temporary;
    await journal.remove(RUN, COUNT);
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'run-not-found' });
    await journal.create(RUN, [firstEvent(RUN, 'new')]);
    expect(await journal.read(RUN)).toEqual([firstEvent(RUN, 'new')]);
  });
});
