import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { copyStore } from '../../src/store/copy/copy.ts';
import { openFilesForCopy } from '../../src/store/copy/files.ts';
import { createFileBlobs } from '../../src/store/files/blobs.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import {
  joinLines,
  splitLine,
  toAppendLine,
  toFullAppendLine,
  toLine,
  toLines,
} from '../../src/store/files/line.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';

const RUN = 'r1';
const EVENTS: Event[] = [firstEvent(RUN, '日本'), eventAt(RUN, 2), eventAt(RUN, 3), eventAt(RUN, 4)];
const LINES = EVENTS.map(toLine);
/** A line that was written as it is, whatever it says. */
const asWritten = (event: object) => toLine(event as Event);

/** A journal in which one run has exactly this content, and another one is in order. */
async function withContent(content: string | Buffer) {
  const temporary = await createTemporaryJournal();
  const path = join(temporary.directory, `${RUN}.jsonl`);
  await temporary.journal.create('other', [firstEvent('other')]);
  writeFileSync(path, content);
  return Object.assign(temporary, { path });
}

describe('J4: a torn tail', () => {
  it('at any byte of the last line is left out, and the next append is right', async () => {
    await using temporary = await withContent('');
    const whole = Buffer.from(LINES.join(''));
    const keep = Buffer.byteLength(LINES.slice(0, -1).join(''));
    for (let length = keep; length < whole.length - 1; length++) {
      writeFileSync(temporary.path, whole.subarray(0, length));
      expect(await temporary.journal.read(RUN), `cut at ${length}`).toEqual(EVENTS.slice(0, -1));
      expect(readFileSync(temporary.path).length).toBe(length);
      await temporary.journal.append(RUN, 3, [eventAt(RUN, 4)]);
      expect(readFileSync(temporary.path, 'utf8')).toBe(LINES.join(''));
    }
  });

  it.each([
    ['one line', toAppendLine, 1],
    ['one line with its events in full, as it was before', toFullAppendLine, 1],
    ['a line per event, as it was before', toLines, 3],
  ])(
    'R5: of an append of several events (%s) counts all or none, wherever it is cut',
    async (_, write, count) => {
      const begun = toLine(firstEvent(RUN));
      const more = EVENTS.slice(1);
      const whole = Buffer.from(begun + write(more));
      await using temporary = await withContent(whole);
      const { journal, path } = temporary;
      expect(whole.toString().trimEnd().split('\n')).toHaveLength(1 + count);
      expect(await journal.read(RUN)).toEqual([firstEvent(RUN), ...more]);
      expect((await journal.list())[0]).toMatchObject({ run: RUN, lastSeq: 4 });
      for (let length = Buffer.byteLength(begun); length < whole.length - 1; length++) {
        writeFileSync(path, whole.subarray(0, length));
        expect(await createJsonlJournal(temporary.directory).read(RUN), `cut at ${length}`).toEqual([
          firstEvent(RUN),
        ]);
        expect((await journal.list())[0]).toMatchObject({ run: RUN, lastSeq: 1 });
        await journal.append(RUN, 1, more);
        expect(readFileSync(path, 'utf8')).toBe(begun + toAppendLine(more));
      }
    },
  );

  it.each([
    ['one line', toAppendLine, 2],
    ['one line with its events in full', toFullAppendLine, 2],
    ['a line per event', toLines, 3],
  ])(
    'R5: an append (%s) that lacks only its last newline may have been acknowledged',
    async (_, write, line) => {
      const text = `${toLine(firstEvent(RUN))}${write([eventAt(RUN, 2), eventAt(RUN, 3)])}`.trimEnd();
      await using temporary = await withContent(text);
      const { journal, path } = temporary;
      const offset = Buffer.byteLength(text.slice(0, text.lastIndexOf('\n') + 1));
      await expect(journal.append(RUN, 1, [eventAt(RUN, 2)])).rejects.toMatchObject({
        message: expect.stringContaining(
          `line ${line} (byte ${offset}) is damaged: its newline at the end is missing`,
        ),
      });
      expect(readFileSync(path, 'utf8')).toBe(text);
    },
  );

  it.each([
    ['NUL bytes, as a file system leaves them', Buffer.alloc(5_000)],
    [
      'NUL bytes behind half a line',
      Buffer.concat([Buffer.from('{"v":1,"run":"r1","se'), Buffer.alloc(500)]),
    ],
  ])('%s', async (_, tail) => {
    await using temporary = await withContent(Buffer.concat([Buffer.from(LINES.join('')), tail]));
    expect(await temporary.journal.read(RUN)).toEqual(EVENTS);
    expect((await temporary.journal.list())[0]).toMatchObject({ run: RUN, lastSeq: 4, status: 'open' });
    const claim = await temporary.journal.claim(RUN);
    await temporary.journal.append(RUN, 4, [eventAt(RUN, 5)]);
    await claim.release();
    expect(readFileSync(temporary.path, 'utf8')).toBe(LINES.join('') + toLine(eventAt(RUN, 5)));
  });

  it.each([
    ['half a character', Buffer.from([0x7b, 0xe6, 0x97])],
    ['garbage', Buffer.from('\x01\xff{{{"', 'latin1')],
    ['half a line of another run', Buffer.from('{"v":1,"run":"r2","seq":5,"at"')],
  ])('R4: %s is no beginning of the next line: it is left out, named, and not cut', async (_, tail) => {
    const content = Buffer.concat([Buffer.from(LINES.join('')), tail]);
    await using temporary = await withContent(content);
    const { journal, path } = temporary;
    expect(await journal.read(RUN)).toEqual(EVENTS);
    await expect(journal.append(RUN, 4, [eventAt(RUN, 5)])).rejects.toMatchObject({
      code: 'journal-damaged',
      message: expect.stringContaining(
        `line 5 (byte ${content.length - tail.length}) is damaged: data follows`,
      ),
      fix: expect.stringContaining('dandori doctor --repair'),
    });
    expect(readFileSync(path)).toEqual(content);
  });

  it('R4: that lacks only its newline may have been acknowledged, and is not cut', async () => {
    await using temporary = await withContent(LINES.join('').trimEnd());
    const { journal, path } = temporary;
    const offset = Buffer.byteLength(LINES.slice(0, -1).join(''));
    // For a reader the newline may still be on its way.
    expect(await journal.read(RUN)).toEqual(EVENTS.slice(0, -1));
    for (const after of [3, 4]) {
      await expect(journal.append(RUN, after, [eventAt(RUN, after + 1)])).rejects.toMatchObject({
        code: 'journal-damaged',
        message: expect.stringContaining(
          `line 4 (byte ${offset}) is damaged: its newline at the end is missing`,
        ),
        fix: expect.stringContaining('add a newline right after'),
      });
    }
    expect(readFileSync(path, 'utf8')).toBe(LINES.join('').trimEnd());
    appendFileSync(path, '\n');
    await journal.append(RUN, 4, [eventAt(RUN, 5)]);
    expect(await journal.read(RUN)).toHaveLength(5);
  });

  it('R4: only reading does not change the file', async () => {
    await using temporary = await withContent(`${LINES.join('')}{"v":1`);
    await temporary.journal.read(RUN);
    await temporary.journal.list();
    expect(readFileSync(temporary.path, 'utf8')).toBe(`${LINES.join('')}{"v":1`);
  });
});

describe('the lines of a run', () => {
  /** As every line was written before `v` and `run` were left out. */
  const inFull = (event: Event) => {
    const body = JSON.stringify(event).slice(0, -1);
    return `${body},"crc":"${crc32(body).toString(16).padStart(8, '0')}"}\n`;
  };

  it('name version and run once, and every event that is read has both', async () => {
    await using temporary = await createTemporaryJournal();
    await temporary.journal.create(RUN, EVENTS.slice(0, 2));
    await temporary.journal.append(RUN, 2, EVENTS.slice(2));
    const text = readFileSync(join(temporary.directory, `${RUN}.jsonl`), 'utf8');
    expect(text.match(/"v":2,"run":"r1"/g)).toHaveLength(1);
    expect(await createJsonlJournal(temporary.directory).read(RUN)).toEqual(EVENTS);
  });

  it('are read if they name both, and a run that began so goes on', async () => {
    await using temporary = await withContent(EVENTS.map(inFull).join(''));
    await temporary.journal.append(RUN, 4, [eventAt(RUN, 5)]);
    expect(readFileSync(temporary.path, 'utf8')).toBe(EVENTS.map(inFull).join('') + toLine(eventAt(RUN, 5)));
    expect(await createJsonlJournal(temporary.directory).read(RUN)).toEqual([...EVENTS, eventAt(RUN, 5)]);
  });
});

describe('a line of several events', () => {
  const [first, second, third, fourth] = EVENTS as [Event, Event, Event, Event];
  const later: Event = { ...third, at: third.at + 5 };

  it('counts `seq` on, and names `at` again only where it differs', () => {
    const [line = ''] = toAppendLine([second, later, fourth]).split('\n');
    expect(JSON.parse(line)).toEqual({
      seq: 2,
      at: second.at,
      events: [
        { [second.type]: second.data },
        { at: later.at, [third.type]: third.data },
        { at: fourth.at, [fourth.type]: fourth.data },
      ],
      crc: expect.stringMatching(/^[0-9a-f]{8}$/),
    });
    const events = splitLine(line, RUN).map((one) => ({ v: 2, run: RUN, ...JSON.parse(one) }));
    expect(events).toMatchObject([second, later, fourth]);
    expect(joinLines(splitLine(line, RUN), RUN)).toBe(`${line}\n`);
  });

  it.each([0.5, -1, 1e21])('is split for a database whatever the time is: %d', (at) => {
    const line = toAppendLine([2, 3].map((seq) => ({ ...eventAt(RUN, seq), at }))).trimEnd();
    expect(splitLine(line, RUN)).toHaveLength(2);
    expect(joinLines(splitLine(line, RUN), RUN)).toBe(`${line}\n`);
  });

  it('is read beside lines of single events and of older appends, from any event on', async () => {
    const events = Array.from({ length: 9 }, (_, index) => (index === 0 ? first : eventAt(RUN, index + 1)));
    const content =
      toLine(first) +
      toLines(events.slice(1, 3)) +
      toFullAppendLine(events.slice(3, 6)) +
      toAppendLine(events.slice(6, 7)) +
      toAppendLine(events.slice(7));
    await using temporary = await withContent(content);
    const { journal } = temporary;
    const claim = await journal.claim(RUN);
    for (const reader of [journal, createJsonlJournal(temporary.directory)])
      for (let after = 0; after <= events.length; after++)
        expect(await reader.read(RUN, after), `after ${after}`).toEqual(events.slice(after));
    await journal.append(RUN, 9, [eventAt(RUN, 10), eventAt(RUN, 11)], claim);
    expect(await journal.read(RUN, 10)).toEqual([eventAt(RUN, 11)]);
    await claim.release();
    expect((await journal.list())[0]).toMatchObject({ run: RUN, lastSeq: 11 });
    expect(readFileSync(temporary.path, 'utf8').split('\n')).toHaveLength(8);
  });

  it('that was moved, forged or changed in one bit is damage', async () => {
    await using temporary = await withContent('');
    const { journal, path } = temporary;
    const line = toAppendLine([second, third]);
    const refused = async (content: string | Buffer, reason: string) => {
      writeFileSync(path, content);
      await expect(createJsonlJournal(temporary.directory).read(RUN)).rejects.toThrow(reason);
    };
    await refused(toLine(first) + line + line, 'seq 2 where 4 must come');
    await refused(toLine(first) + toAppendLine([third, fourth]), 'seq 3 where 2 must come');
    await refused(toLine(first) + toAppendLine([eventAt('other', 2), eventAt('other', 3)]), 'checksum');
    for (const events of [
      [],
      7,
      [{ seq: 9, type: second.type, data: second.data }],
      ['text'],
      [null],
      [{}],
      [{ at: 1 }],
      [{ unknown: {} }],
      [{ run_resumed: 7 }],
      [{ run_resumed: { by: 'x' }, run_continued: {} }],
      [{ plan_approved: { tasks: ['x'] } }],
      [{ plan_approved: { version: 1, tasks: 7 } }],
      [{ type: 'plan_proposed' }, { plan_approved: { tasks: [] } }],
      [{ type: 'plan_proposed', data: null }, { plan_approved: { tasks: [] } }],
    ])
      await refused(toLine(first) + asWritten({ v: 2, run: RUN, seq: 2, at: 1, events }), 'is damaged');
    const whole = Buffer.from(toLine(first) + line);
    for (let bit = (whole.length - line.length) * 8; bit < whole.length * 8; bit++) {
      const spoiled = Buffer.from(whole);
      spoiled.writeUInt8((spoiled[bit >> 3] ?? 0) ^ (1 << (bit & 7)), bit >> 3);
      writeFileSync(path, spoiled);
      await expect(journal.read(RUN), `bit ${bit}`).rejects.toMatchObject({ code: 'journal-damaged' });
    }
  });

  it('is copied byte by byte, also beside older lines, and compared with the copy', async () => {
    await using temporary = await createTemporaryJournal();
    const { directory } = temporary;
    const file = join(directory, `${RUN}.jsonl`);
    const older = toLines([second, later]) + toFullAppendLine([fourth, eventAt(RUN, 5)]);
    writeFileSync(file, toLine(first) + older);
    const odd = { type: 'run_resumed', data: { by: '"more":1}\u2028\ud800日本' } } as const;
    await temporary.journal.append(RUN, 5, [
      eventAt(RUN, 6),
      { ...eventAt(RUN, 7), ...odd },
      eventAt(RUN, 8),
    ]);
    const to = join(directory, 'copy');
    const copied = () => copyStore(openFilesForCopy(directory), openFilesForCopy(to), { run: RUN });
    expect((await copied()).runs).toEqual({ copied: 1, same: 0 });
    expect(readFileSync(join(to, `${RUN}.jsonl`))).toEqual(readFileSync(file));
    expect((await copied()).runs).toEqual({ copied: 0, same: 1 });
    await temporary.journal.append(RUN, 8, [eventAt(RUN, 9)]);
    expect((await copied()).runs).toEqual({ copied: 1, same: 0 });
    expect(readFileSync(join(to, `${RUN}.jsonl`))).toEqual(readFileSync(file));
    await createJsonlJournal(to).append(RUN, 9, [eventAt(RUN, 10), eventAt(RUN, 11)]);
    expect((await copied()).runs).toEqual({ copied: 0, same: 1 });
  });
});

describe('J4: damage is named with line and offset, and no other run suffers', () => {
  const offset = Buffer.byteLength(LINES.slice(0, 2).join(''));
  const [one = '', two = '', three = '', four = ''] = LINES;

  it.each<[string, string, number, number, string]>([
    ['a line is missing', one + two + four, 3, offset, 'seq 4 where 3 must come'],
    ['a line appears twice', one + two + two + three, 3, offset, 'seq 2 where 3 must come'],
    ['garbage between', `${one}${two}garbage\n${three}`, 3, offset, 'checksum does not match'],
    ['an empty line', `${one}${two}\n${three}`, 3, offset, 'checksum does not match'],
    ['NUL bytes between', `${one}${two}\0\0\0\n${three}`, 3, offset, 'checksum does not match'],
    ['two lines run together', `${one}${two.trim()}${three}${four}`, 2, Buffer.byteLength(one), 'checksum'],
    ['a line without checksum', `${one}${two}${JSON.stringify(EVENTS[2])}\n`, 3, offset, 'checksum'],
    [
      'another text that is JSON too',
      one + two + three.replace('driver 3', 'driver 8'),
      3,
      offset,
      'checksum',
    ],
    ['a list', one + two + asWritten([1]), 3, offset, 'not JSON'],
    [
      'a line of another run',
      one + two + toLine(eventAt('other', 3)) + four,
      3,
      offset,
      'checksum does not match',
    ],
    ['a first line of another run', toLine(firstEvent('other')) + two, 1, 0, 'belongs to the run other'],
    ['another beginning', asWritten({ ...EVENTS[1], seq: 1 }), 1, 0, 'it must be run_started'],
    [
      'a version of the future',
      one + two + asWritten({ ...EVENTS[2], v: 3 }),
      3,
      offset,
      'not an event of a known version',
    ],
    [
      'an event of the future',
      one + two + asWritten({ ...EVENTS[2], type: 'run_dreamt' }),
      3,
      offset,
      'not a known event',
    ],
    [
      'a field that is missing',
      one + two + asWritten({ ...EVENTS[2], data: {} }),
      3,
      offset,
      'not a known event',
    ],
    ['not the beginning', two + three, 1, 0, 'seq 2 where 1 must come'],
  ])('%s', async (_, content, line, byte, reason) => {
    await using temporary = await withContent(content);
    const { journal, path } = temporary;
    const expected = {
      code: 'journal-damaged',
      message: expect.stringContaining(`${path}: line ${line} (byte ${byte}) is damaged: `),
    };
    await expect(journal.read(RUN)).rejects.toMatchObject(expected);
    await expect(journal.read(RUN)).rejects.toThrow(reason);
    await expect(journal.append(RUN, 4, [eventAt(RUN, 5)])).rejects.toMatchObject(expected);
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(await journal.read('other')).toHaveLength(1);
    await journal.append('other', 1, [eventAt('other', 2)]);
    expect(await journal.list()).toHaveLength(2);
  });

  it('a bit that has flipped is noticed wherever it is, and nothing is written after it', async () => {
    await using temporary = await withContent('');
    const { journal, path } = temporary;
    const whole = Buffer.from(LINES.slice(0, 2).join(''));
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const index = bit >> 3;
      const spoiled = Buffer.from(whole);
      spoiled.writeUInt8((spoiled[index] ?? 0) ^ (1 << (bit & 7)), index);
      writeFileSync(path, spoiled);
      const line = whole.subarray(0, index).filter((byte) => byte === 0x0a).length + 1;
      const expected = {
        code: 'journal-damaged',
        message: expect.stringContaining(`line ${line} `),
      };
      await expect(journal.read(RUN), `bit ${bit}`).rejects.toMatchObject(expected);
      // An append takes a lock, so that not every bit has its turn; the last newline has.
      if (bit % 61 > 0 && index < whole.length - 1) continue;
      await expect(journal.append(RUN, 2, [eventAt(RUN, 3)]), `bit ${bit}`).rejects.toMatchObject(expected);
      expect(readFileSync(path).equals(spoiled)).toBe(true);
    }
  });

  it('the checksum is kept in the file and not in the event', async () => {
    await using temporary = await withContent(LINES.join(''));
    const [line = ''] = readFileSync(temporary.path, 'utf8').split('\n');
    expect(JSON.parse(line)).toEqual({ ...EVENTS[0], crc: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(await temporary.journal.read(RUN)).toEqual(EVENTS);
  });

  it('a run of which the beginning or the end is damaged is listed as damaged', async () => {
    await using temporary = await withContent('garbage\n');
    const { journal, directory } = temporary;
    writeFileSync(join(directory, 'empty.jsonl'), '');
    writeFileSync(join(directory, 'torn.jsonl'), LINES[0]?.slice(0, 20) ?? '');
    writeFileSync(join(directory, 'last.jsonl'), `${toLine(firstEvent('last'))}garbage\n`);
    writeFileSync(
      join(directory, 'newline.jsonl'),
      `${toLine(firstEvent('newline'))}${toLine(eventAt('newline', 2)).trimEnd()}\x0b`,
    );
    mkdirSync(join(directory, 'folder.jsonl'));
    writeFileSync(join(directory, 'no run of ours.jsonl'), 'x');
    const listed = Object.fromEntries((await journal.list()).map(({ run, status }) => [run, status]));
    expect(listed).toEqual({
      other: 'open',
      r1: 'damaged',
      empty: 'damaged',
      torn: 'damaged',
      last: 'damaged',
      newline: 'damaged',
      folder: 'damaged',
    });
    expect(await journal.read('empty')).toEqual([]);
  });

  it('a file that has become shorter while it was driven is not written on with a hole', async () => {
    await using temporary = await withContent(LINES.join(''));
    const { journal, path } = temporary;
    const claim = await journal.claim(RUN);
    await journal.read(RUN);
    truncateSync(path, 10);
    await expect(journal.append(RUN, 4, [eventAt(RUN, 5)])).rejects.toMatchObject({
      code: 'journal-damaged',
    });
    await claim.release();
    expect(readFileSync(path).length).toBe(10);
  });

  it('a file that was restored from a backup is read again', async () => {
    await using temporary = await withContent(LINES.join(''));
    const { journal, path } = temporary;
    await journal.read(RUN);
    const restored = [
      firstEvent(RUN, 'another goal, and a longer one'),
      eventAt(RUN, 2),
      eventAt(RUN, 3),
      eventAt(RUN, 4),
      eventAt(RUN, 5),
    ];
    writeFileSync(path, restored.map(toLine).join(''));
    expect(await journal.read(RUN, 4)).toEqual(restored.slice(4));
  });
});

describe('names', () => {
  it.each(['../x', '/etc/passwd', 'a/b', 'a\0b', '', '.', '..', '-x', 'a.b', 'x'.repeat(200), 'a b', '日本'])(
    'the run id %j does not leave the folder',
    async (run) => {
      await using temporary = await createTemporaryJournal();
      const { journal, directory } = temporary;
      const before = readdirSync(join(directory, '..'));
      await expect(journal.create(run, [firstEvent(run)])).rejects.toMatchObject({ code: 'run-not-found' });
      await expect(journal.read(run)).rejects.toMatchObject({ code: 'run-not-found' });
      await expect(journal.append(run, 0, [])).rejects.toMatchObject({ code: 'run-not-found' });
      await expect(journal.claim(run)).rejects.toMatchObject({ code: 'run-not-found' });
      await expect(journal.first(run)).rejects.toMatchObject({ code: 'run-not-found' });
      journal.watch(run, () => {})();
      expect(readdirSync(directory)).toEqual([]);
      expect(readdirSync(join(directory, '..')).length).toBeGreaterThanOrEqual(before.length - 50);
    },
  );

  it.each(['is gone', 'is a file'])(
    'a run whose folder %s for a while can be driven again by the same process',
    async (how) => {
      await using temporary = await createTemporaryJournal();
      const { journal, directory } = temporary;
      await journal.create(RUN, [firstEvent(RUN)]);
      const claim = await journal.claim(RUN);
      await journal.append(RUN, 1, [eventAt(RUN, 2)]);
      renameSync(directory, `${directory}.away`);
      if (how === 'is a file') writeFileSync(directory, '');
      await claim.release();
      rmSync(directory, { force: true });
      renameSync(`${directory}.away`, directory);
      const again = await journal.claim(RUN);
      await journal.append(RUN, 2, [eventAt(RUN, 3)]);
      await again.release();
      expect(await journal.read(RUN)).toHaveLength(3);
      expect(readdirSync(directory)).toEqual([`${RUN}.jsonl`]);
    },
  );

  it('a run that cannot be read says which file', async () => {
    await using temporary = await createTemporaryJournal();
    mkdirSync(join(temporary.directory, `${RUN}.jsonl`));
    await expect(temporary.journal.read(RUN)).rejects.toMatchObject({ code: 'file-unreadable' });
  });

  it('a claim that was deleted while its driver lives is taken again, and nothing that it knows is lost', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal, directory } = temporary;
    await journal.create(RUN, [firstEvent(RUN)]);
    const claim = await journal.claim(RUN);
    const path = join(directory, `${RUN}.driver`);
    const before = readFileSync(path, 'utf8');
    await rm(path);
    await journal.append(RUN, 1, [eventAt(RUN, 2)]);
    expect(readFileSync(path, 'utf8')).toBe(before);
    await claim.release();
    expect(readdirSync(directory)).toEqual(['r1.jsonl']);
    expect(await journal.read(RUN)).toHaveLength(2);
  });

  it('nothing is left beside the runs when no process works', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal, directory } = temporary;
    await journal.create(RUN, [firstEvent(RUN)]);
    await expect(journal.create(RUN, [firstEvent(RUN)])).rejects.toThrow();
    const claim = await journal.claim(RUN);
    await journal.append(RUN, 1, [eventAt(RUN, 2)]);
    // A driver keeps the lock for a moment.
    await expect.poll(() => readdirSync(directory).sort()).toEqual(['r1.driver', 'r1.jsonl']);
    await claim.release();
    await journal.append(RUN, 2, [eventAt(RUN, 3)]);
    expect(readdirSync(directory)).toEqual(['r1.jsonl']);
  });
});

describe('a folder that cannot be written', () => {
  it.each([
    ['is a file', (directory: string) => join(directory, 'file'), 'EEXIST|ENOTDIR'],
    ['is below a file', (directory: string) => join(directory, 'file', 'below'), 'ENOTDIR'],
    ['is in /proc', () => '/proc/dandori', 'ENOENT|EACCES|EPERM'],
  ])('%s', async (_, place, code) => {
    await using temporary = await createTemporaryJournal();
    writeFileSync(join(temporary.directory, 'file'), '');
    const journal = createJsonlJournal(place(temporary.directory));
    await expect(journal.create(RUN, [firstEvent(RUN)])).rejects.toMatchObject({
      code: 'journal-unwritable',
      message: expect.stringMatching(code),
      fix: expect.stringMatching(/folder/),
    });
    const blobs = createFileBlobs(place(temporary.directory));
    await expect(blobs.put(['x'])).rejects.toMatchObject({ code: 'journal-unwritable' });
  });

  it('a folder that is not there has no runs; one that is no folder is an error', async () => {
    await using temporary = await createTemporaryJournal();
    expect(await createJsonlJournal(join(temporary.directory, 'nothing', 'here')).list()).toEqual([]);
    writeFileSync(join(temporary.directory, 'file'), '');
    await expect(createJsonlJournal(join(temporary.directory, 'file')).list()).rejects.toMatchObject({
      code: 'file-unreadable',
    });
  });

  const canMount = mountable();

  it.skipIf(!canMount)(
    'a full disk: acknowledged events are there, and the run goes on when there is space',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'dandori-full-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
      try {
        const journal = createJsonlJournal(directory);
        await journal.create(RUN, [firstEvent(RUN)]);
        const claim = await journal.claim(RUN);
        let last = 1;
        const big = (seq: number) =>
          eventAt(RUN, seq, { type: 'cancel_requested', data: { reason: 'x'.repeat(3_000) } });
        const fill = async () => {
          for (; ; last++) await journal.append(RUN, last, [big(last + 1)]);
        };
        await expect(fill()).rejects.toMatchObject({
          code: 'journal-unwritable',
          fix: expect.stringContaining('The disk is full'),
        });
        // R3: nothing more is said yes to through this file.
        await expect(journal.append(RUN, last, [eventAt(RUN, last + 1)])).rejects.toMatchObject({
          code: 'journal-unwritable',
        });
        await expect(journal.create('r2', [firstEvent('r2', 'x'.repeat(60_000))])).rejects.toMatchObject({
          code: 'journal-unwritable',
        });
        await expect(
          createFileBlobs(join(directory, 'blobs')).put(['x'.repeat(60_000)]),
        ).rejects.toMatchObject({ code: 'journal-unwritable' });
        await claim.release();
        expect(await journal.read(RUN)).toHaveLength(last);
        execFileSync('mount', ['-o', 'remount,size=1m', directory]);
        await journal.append(RUN, last, [eventAt(RUN, last + 1)]);
        expect(await journal.read(RUN)).toHaveLength(last + 1);
        expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      } finally {
        execFileSync('umount', [directory]);
        await rm(directory, { recursive: true });
      }
    },
  );

  it.skipIf(!canMount)('a read-only file system can be read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'dandori-ro-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory]);
    try {
      const journal = createJsonlJournal(directory);
      await journal.create(RUN, [firstEvent(RUN)]);
      execFileSync('mount', ['-o', 'remount,ro', directory]);
      expect(await journal.read(RUN)).toHaveLength(1);
      expect(await journal.list()).toHaveLength(1);
      const readOnly = { code: 'journal-unwritable', fix: expect.stringContaining('read-only') };
      await expect(journal.append(RUN, 1, [eventAt(RUN, 2)])).rejects.toMatchObject(readOnly);
      await expect(journal.claim(RUN)).rejects.toMatchObject(readOnly);
      await expect(journal.create('r2', [firstEvent('r2')])).rejects.toMatchObject(readOnly);
    } finally {
      execFileSync('umount', [directory]);
      await rm(directory, { recursive: true });
    }
  });
});

describe('locks that were left behind', () => {
  const dead = JSON.stringify({ pid: 2 ** 22 - 1, startedAt: 'x', host: hostname() });

  it.each([
    ['by a process that is dead', dead],
    ['by a crash of the machine, empty', ''],
    ['by a crash of the machine, full of NUL', '\0'.repeat(80)],
    [
      'by another process that had this number',
      JSON.stringify({ pid: process.pid, startedAt: 'long ago', host: hostname() }),
    ],
  ])('%s do not block', async (_, content) => {
    await using temporary = await withContent(LINES.join(''));
    const { journal, path, directory } = temporary;
    writeFileSync(`${path}.lock`, content);
    writeFileSync(`${path}.lock.request`, content);
    writeFileSync(join(directory, `${RUN}.driver`), content);
    const claim = await journal.claim(RUN);
    await journal.append(RUN, 4, [eventAt(RUN, 5)]);
    await claim.release();
    expect(readdirSync(directory).filter((name) => !name.endsWith('.jsonl'))).toEqual([]);
  });

  it('by a process that died while it took away a dead lock do not block, nor do two such', async () => {
    await using temporary = await withContent(LINES.join(''));
    const { journal, path, directory } = temporary;
    const name = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 12);
    const second = JSON.stringify({ pid: 2 ** 22 - 2, startedAt: 'y', host: hostname() });
    writeFileSync(`${path}.lock`, dead);
    writeFileSync(`${path}.lock.${name(dead)}`, second);
    writeFileSync(`${path}.lock.${name(dead)}.${name(second)}`, '');
    await journal.append(RUN, 4, [eventAt(RUN, 5)]);
    expect(readdirSync(directory).filter((file) => !file.endsWith('.jsonl'))).toEqual([]);
  });

  it('of another machine are respected, and the message says which file it is', async () => {
    await using temporary = await withContent(LINES.join(''));
    const driver = join(temporary.directory, `${RUN}.driver`);
    writeFileSync(driver, JSON.stringify({ pid: 7, startedAt: 'x', host: 'elsewhere' }));
    await expect(temporary.journal.claim(RUN)).rejects.toMatchObject({
      code: 'run-driven-elsewhere',
      message: expect.stringContaining('process 7 on elsewhere'),
      fix: expect.stringContaining(driver),
    });
    expect(existsSync(driver)).toBe(true);
  });

  it('of an unknown form are left to the user', async () => {
    await using temporary = await withContent(LINES.join(''));
    writeFileSync(join(temporary.directory, `${RUN}.driver`), 'what is this');
    await expect(temporary.journal.claim(RUN)).rejects.toMatchObject({
      code: 'run-driven-elsewhere',
      message: expect.stringContaining('unknown'),
    });
  });
});

describe('cost', () => {
  it('a claim knows the last event of a run that this process created, unless another process has written since', async () => {
    await using temporary = await createTemporaryJournal();
    const { journal, directory } = temporary;
    for (const run of ['a', 'b']) await journal.create(run, [firstEvent(run)]);
    await createJsonlJournal(directory).append('b', 1, [eventAt('b', 2)]);
    const [a, b] = [await journal.claim('a'), await journal.claim('b')];
    expect([a.last, b.last]).toEqual([1, undefined]);
    await Promise.all([a.release(), b.release()]);
  });

  /** What this process has read, as the kernel counts it; undefined where it does not say. */
  function bytesRead(): number | undefined {
    try {
      return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
    } catch {
      return undefined;
    }
  }

  it.skipIf(bytesRead() === undefined)('a list reads only the ends of each run', async () => {
    await using temporary = await createTemporaryJournal();
    const middle = Array.from({ length: 100 }, (_, index) =>
      toLine(eventAt('x', index + 2, { type: 'cancel_requested', data: { reason: 'y'.repeat(2_000) } })),
    );
    for (let number = 0; number < 200; number++) {
      const run = `run-${String(number).padStart(4, '0')}`;
      const end = toLine(eventAt(run, 102, { type: 'run_finished', data: { outcome: 'answered' } }));
      writeFileSync(
        join(temporary.directory, `${run}.jsonl`),
        toLine(firstEvent(run)) + middle.join('') + end,
      );
    }
    const before = bytesRead() ?? 0;
    const list = await temporary.journal.list();
    const cost = ((bytesRead() ?? 0) - before) / 200;
    expect(list).toHaveLength(200);
    expect(list.every(({ status, lastSeq }) => status === 'answered' && lastSeq === 102)).toBe(true);
    // Twice 4 KiB a run of 200 kB.
    expect(cost).toBeLessThan(12_000);
  });

  it('3,000 runs are listed, none of them as damaged for want of open files', async () => {
    await using temporary = await createTemporaryJournal();
    for (let number = 0; number < 3_000; number++) {
      const run = `run-${String(number).padStart(5, '0')}`;
      writeFileSync(join(temporary.directory, `${run}.jsonl`), toLine(firstEvent(run)));
    }
    const list = await temporary.journal.list();
    expect(list).toHaveLength(3_000);
    expect(list.every(({ status }) => status === 'open')).toBe(true);
    expect(list[0]?.run).toBe('run-02999');
  });

  it.skipIf(bytesRead() === undefined).each(['while it is driven here', 'while it is driven elsewhere'])(
    'following a long run does not read it again for each event, %s',
    async (where) => {
      await using temporary = await createTemporaryJournal();
      const { journal, directory } = temporary;
      await journal.create(RUN, [firstEvent(RUN)]);
      const path = join(directory, `${RUN}.jsonl`);
      appendFileSync(
        path,
        Array.from({ length: 20_000 }, (_, index) => toLine(eventAt(RUN, index + 2))).join(''),
      );
      const claim = where.endsWith('here') ? await journal.claim(RUN) : undefined;
      await journal.read(RUN);
      const whole = statSync(path).size;
      const before = bytesRead() ?? 0;
      for (let seq = 20_001; seq < 20_101; seq++) {
        if (claim !== undefined) await journal.append(RUN, seq, [eventAt(RUN, seq + 1)]);
        else appendFileSync(path, toLine(eventAt(RUN, seq + 1)));
        expect(await journal.read(RUN, seq)).toHaveLength(1);
      }
      // A hundred times the whole file would be a hundred times as much.
      expect((bytesRead() ?? 0) - before).toBeLessThan(2 * whole);
      await claim?.release();
    },
  );
});

function mountable(): boolean {
  try {
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()], { stdio: 'ignore' });
    return process.getuid?.() === 0;
  } catch {
    return false;
  }
}
