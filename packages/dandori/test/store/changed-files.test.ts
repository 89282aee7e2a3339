import {
  appendFileSync,
  copyFileSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
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

describe('a long run that was read before', () => {
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
    const mine = await journal.read(RUN);
    Object.assign(mine[5]?.data ?? {}, { by: 'changed' });
    mine.length = 0;
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

  it('is what the path names, after a driver whose file was replaced', async () => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    const claim = await journal.claim(RUN);
    await journal.read(RUN);
    const restored = eventsOf('other');
    writeFileSync(`${path}.backup`, restored.map(toLine).join(''));
    renameSync(`${path}.backup`, path);
    await journal.read(RUN);
    await claim.release();
    expect(await journal.read(RUN)).toEqual(restored);
    const next = await journal.claim(RUN);
    expect(await journal.read(RUN)).toEqual(restored);
    await next.release();
  });

  it('has no event of an append that was cut off, although another took its place', async () => {
    await using temporary = await withLongRun();
    const { journal, path, events } = temporary;
    const other = createJsonlJournal(temporary.directory);
    const { size } = statSync(path);
    const at = (seq: number, by: string) => eventAt(RUN, seq, { type: 'run_resumed', data: { by } });
    await other.append(RUN, COUNT, [at(COUNT + 1, 'a')]);
    expect(await journal.read(RUN)).toHaveLength(COUNT + 1);
    truncateSync(path, size);
    const others = [at(COUNT + 1, 'b'), at(COUNT + 2, 'c')];
    for (const event of others) await other.append(RUN, event.seq - 1, [event]);
    expect(await journal.read(RUN)).toEqual([...events, ...others]);
  });

  it('shows damage that came later', async () => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    const changed = readFileSync(path);
    changed[20_000] = (changed[20_000] ?? 0) ^ 1;
    writeFileSync(path, changed);
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
    await expect(journal.append(RUN, COUNT, [eventAt(RUN, COUNT + 1)])).rejects.toMatchObject({
      code: 'journal-damaged',
    });
  });

  it('shows damage that came before the last append', async () => {
    await using temporary = await withLongRun();
    const { journal, path } = temporary;
    const changed = readFileSync(path);
    changed[20_000] = (changed[20_000] ?? 0) ^ 1;
    writeFileSync(path, changed);
    appendFileSync(path, toLine(eventAt(RUN, COUNT + 1)));
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
    const claim = await journal.claim(RUN);
    await expect(journal.read(RUN)).rejects.toMatchObject({ code: 'journal-damaged' });
    await claim.release();
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
