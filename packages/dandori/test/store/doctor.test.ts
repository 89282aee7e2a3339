import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationBreaches } from '../../src/conversation/laws.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Finding } from '../../src/model/finding.ts';
import { breaches } from '../../src/run/laws.ts';
import { type DoctorOptions, examineStore } from '../../src/store/doctor/doctor.ts';
import { examineJournal } from '../../src/store/doctor/journal-file.ts';
import { createJsonlJournalOf } from '../../src/store/files/journal.ts';
import { splitLine, toLine } from '../../src/store/files/line.ts';
import { CONVERSATIONS, RUNS } from '../../src/store/journal.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { createHouse, DONE, task } from '../driver/house.ts';
import { rounds } from '../long.ts';

const DAY = 86_400_000;

const placesIn = (directory: string) => ({
  runs: directory,
  conversations: join(directory, 'conversations'),
  blobs: join(directory, 'blobs'),
});

interface Stored extends AsyncDisposable {
  readonly directory: string;
  readonly run: string;
  readonly file: string;
  readonly text: string;
  readonly blob: string;
  examine(options?: Partial<DoctorOptions>): Promise<readonly Finding[]>;
}

/** A real run in real files, with a stored result. */
async function stored(): Promise<Stored> {
  const temporary = await createTemporaryJournal();
  const house = createHouse(
    {
      // It takes a timer, so that its start and its result are two writes.
      'a.read': { run: ({ text }) => setTimeout(1, String(text).repeat(40_000)) },
      'b.put': { effect: 'write', run: () => 1 },
    },
    DONE,
    { ...temporary, clock: systemClock },
  );
  const run = await house.start('日本語の目標', [
    task('t1', 'a.read', { args: { text: 'x' } }),
    task('t2', 'b.put', { args: { n: 1 }, after: ['t1'] }),
  ]);
  await drive(run, house.parts);
  const { directory } = temporary;
  const file = join(directory, `${run}.jsonl`);
  const [folder = ''] = readdirSync(join(directory, 'blobs'));
  const [name = ''] = readdirSync(join(directory, 'blobs', folder));
  return {
    directory,
    run,
    file,
    text: readFileSync(file, 'utf8'),
    blob: join(directory, 'blobs', folder, name),
    examine: async (options = {}) =>
      (await examineStore(placesIn(directory), { laws: LAWS, now: Date.now(), ...options })).findings,
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}

const LAWS = { ofRun: breaches, ofConversation: conversationBreaches };
const LAWFUL_RUNS = { form: RUNS, breaches };

const kinds = (findings: readonly Finding[]) => findings.map(({ kind }) => kind);

describe('the doctor', () => {
  it('finds nothing where all is well', async () => {
    await using home = await stored();
    expect(await examineStore(placesIn(home.directory), { laws: LAWS, now: Date.now() })).toMatchObject({
      runs: 1,
      blobs: 1,
      findings: [],
    });
  });

  it('checks and repairs conversations like runs', async () => {
    await using home = await stored();
    const directory = join(home.directory, 'conversations');
    const id = '20261116-000000000-talk';
    const file = join(directory, `${id}.jsonl`);
    const said = { id: 'm1', role: 'user', kind: 'said', text: 'hello' } as const;
    const journal = createJsonlJournalOf(CONVERSATIONS, directory);
    const at = (seq: number) => ({ v: 1, conversation: id, seq, at: 1 }) as const;
    await journal.create(id, [
      { ...at(1), type: 'conversation_started', data: { title: 'hello' } },
      { ...at(2), type: 'message_written', data: { message: said } },
      { ...at(3), type: 'run_begun', data: { run: home.run, message: 'm1' } },
    ]);
    const whole = readFileSync(file, 'utf8');
    const [first = '', second = '', third = ''] = whole.split('\n');
    const found = async (text: string) => {
      writeFileSync(file, text);
      return (await home.examine()).map(({ kind, conversation, line }) => ({ kind, conversation, line }));
    };

    const { runs, conversations, findings } = await examineStore(placesIn(home.directory), {
      laws: LAWS,
      now: Date.now(),
    });
    expect({ runs, conversations, findings }).toEqual({ runs: 1, conversations: 1, findings: [] });
    const about = (kind: string, line: number) => [{ kind, conversation: id, line }];
    expect(await found(whole.replace('hello', 'jello'))).toEqual(about('damaged-line', 1));
    expect(await found(`${first}\n${third}\n`)).toEqual(about('missing-line', 2));
    expect(await found(`${first}\n${second}\n${second}\n${third}\n`)).toEqual(about('duplicated-line', 3));
    expect(await found(`${whole}zzz`)).toEqual(about('trailing-garbage', 4));
    const unbegun = { ...at(4), type: 'message_delivered', data: { message: 'm1' } } as const;
    expect(await found(`${whole}${toLine(unbegun)}`)).toEqual(about('broken-law', 4));
    const unstarted = toLine({ ...unbegun, seq: 1 });
    expect(await found(unstarted)).toEqual(about('broken-law', 1));

    writeFileSync(file, whole.slice(0, -20));
    writeFileSync(join(directory, `${id}.driver`), '');
    const repaired = await home.examine({ repair: true });
    expect(repaired.map(({ kind, isRepaired }) => [kind, isRepaired])).toEqual([
      ['torn-tail', true],
      ['stale-lock', true],
    ]);
    expect(readFileSync(file, 'utf8')).toBe(`${first}\n${second}\n`);
    expect(await home.examine({ run: home.run })).toEqual([]);
  });

  it('leaves a lock that no version known here has written to a person', async () => {
    await using home = await stored();
    for (const text of ['0', 'null', '{}', 'zzz']) {
      writeFileSync(join(home.directory, `${home.run}.driver`), text);
      expect(kinds(await home.examine({ repair: true }))).toEqual(['foreign-lock']);
    }
  });

  it('finds any single byte that was changed, whatever it was and became', async () => {
    await using home = await stored();
    const bytes = readFileSync(home.file);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: bytes.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ change;
          const { findings } = examineJournal(damaged, { file: home.file, id: home.run }, LAWFUL_RUNS);
          expect(findings.length).toBeGreaterThan(0);
          const [first] = findings;
          const line = bytes.subarray(0, at).toString('latin1').split('\n').length;
          expect(Math.abs((first?.line ?? 0) - line)).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: rounds(1_500) },
    );
  });

  it('finds any line that was taken away, doubled or moved, and any cut within a line', async () => {
    await using home = await stored();
    const lines = home.text.trimEnd().split('\n');
    const examined = (text: string) =>
      examineJournal(Buffer.from(text), { file: home.file, id: home.run }, LAWFUL_RUNS).findings;
    for (let index = 0; index < lines.length; index++) {
      const without = lines.filter((_, place) => place !== index);
      // Without its last line a journal is what it was a moment before that was written.
      if (index < lines.length - 1) {
        expect(kinds(examined(`${without.join('\n')}\n`))).toContain('missing-line');
      }
      for (let place = 0; place <= without.length; place++) {
        const moved = without.toSpliced(place, 0, lines[index] ?? '');
        if (place !== index) expect(examined(`${moved.join('\n')}\n`)).not.toEqual([]);
        const doubled = lines.toSpliced(place, 0, lines[index] ?? '');
        expect(examined(`${doubled.join('\n')}\n`), `${index} at ${place}`).not.toEqual([]);
      }
    }
    const bytes = readFileSync(home.file);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bytes.length - 1 }), (length) => {
        const cut = bytes.subarray(0, length);
        const isWhole = cut.at(-1) === 0x0a;
        // A line of an append that goes on counts only with what comes behind it.
        const goesOn = /"more":true,"crc":"[0-9a-f]{8}"\}\n?$/.test(cut.toString('latin1'));
        const isCutBetween = isWhole || bytes[length] === 0x0a;
        const { findings } = examineJournal(cut, { file: home.file, id: home.run }, LAWFUL_RUNS);
        if (isCutBetween && !goesOn) expect(kinds(findings)).toEqual(isWhole ? [] : ['lost-newline']);
        else expect(kinds(findings)).toEqual(['torn-tail']);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('names file, line and byte, and goes on behind the damage', async () => {
    await using home = await stored();
    const lines = home.text.split('\n');
    const offset = Buffer.byteLength(`${lines.slice(0, 2).join('\n')}\n`);
    const damaged = lines.with(2, lines[2]?.replace('"at":', '"xx":') ?? '').with(5, 'nonsense');
    writeFileSync(home.file, damaged.join('\n'));
    const detail = expect.stringContaining('checksum');
    expect(await home.examine()).toMatchObject([
      { kind: 'damaged-line', file: home.file, run: home.run, line: 3, offset, detail },
      { kind: 'damaged-line', line: 6 },
    ]);
  });

  it('finds what cannot have happened where every line is whole', async () => {
    await using home = await stored();
    const lines = home.text
      .trimEnd()
      .split('\n')
      .flatMap((line) => splitLine(line, home.run))
      .map((line) => JSON.parse(line));
    const [event] = lines.splice(4, 1);
    const forged = [...lines, event].map(({ crc: _, more: __, ...one }, index) =>
      toLine({ v: 2, run: home.run, ...one, seq: index + 1 }),
    );
    writeFileSync(home.file, forged.join(''));
    expect(kinds(await home.examine())).toContain('broken-law');
  });

  it('cuts a torn tail when it is told to, and nothing that counts', async () => {
    await using home = await stored();
    const torn = `{"v":1,"run":"${home.run}","seq":`;
    writeFileSync(home.file, home.text + torn);
    expect(await home.examine()).toMatchObject([{ kind: 'torn-tail', bytes: torn.length, repair: 'safe' }]);
    expect(readFileSync(home.file, 'utf8')).toBe(home.text + torn);
    expect(await home.examine({ repair: true })).toMatchObject([{ kind: 'torn-tail', isRepaired: true }]);
    expect(readFileSync(home.file, 'utf8')).toBe(home.text);
    expect(readdirSync(home.directory).sort()).toEqual([`${home.run}.jsonl`, 'blobs']);
  });

  it.each<[string, (text: string) => string, Finding['kind']]>([
    ['garbage at the end', (text) => `${text}garbage`, 'trailing-garbage'],
    ['a newline that is missing', (text) => text.slice(0, -1), 'lost-newline'],
    ['a newline that became something else', (text) => `${text.slice(0, -1)}x`, 'lost-newline'],
    ['a line that stands there twice', (text) => text.replace(/^(.*\n)(.*\n)/, '$1$2$2'), 'duplicated-line'],
  ])('repairs %s only if the user says so, and keeps a copy', async (_, damage, kind) => {
    await using home = await stored();
    const damaged = damage(home.text);
    writeFileSync(home.file, damaged);
    expect(await home.examine({ repair: true })).toMatchObject([{ kind, repair: 'ask' }]);
    expect(await home.examine({ repair: async () => false })).toMatchObject([{ kind }]);
    expect(readFileSync(home.file, 'utf8')).toBe(damaged);
    expect(await home.examine({ repair: async () => true })).toMatchObject([{ kind, isRepaired: true }]);
    expect(readFileSync(home.file, 'utf8')).toBe(home.text);
    expect(readFileSync(`${home.file}.before-repair`, 'utf8')).toBe(damaged);
    expect(await home.examine()).toEqual([]);
  });

  it('offers no repair for lost data', async () => {
    await using home = await stored();
    writeFileSync(home.file, home.text.replace('"seq":3', '"seq":4'));
    rmSync(home.blob);
    const findings = await home.examine({ repair: async () => true });
    expect(kinds(findings)).toEqual(['damaged-line', 'missing-blob']);
    expect(findings.every(({ repair, isRepaired }) => repair === undefined && isRepaired === undefined)).toBe(
      true,
    );
  });

  it('finds a stored result that is damaged or missing, with the run and the task that has it', async () => {
    await using home = await stored();
    truncateSync(home.blob, 100);
    expect(await home.examine()).toMatchObject([
      { kind: 'damaged-blob', file: home.blob, run: home.run, detail: 'it is the result of t1' },
    ]);
    rmSync(home.blob);
    expect(await home.examine()).toMatchObject([{ kind: 'missing-blob', file: home.blob, run: home.run }]);
  });

  it('removes locks of processes that are gone, and leaves those of the living and of other machines', async () => {
    await using home = await stored();
    const child = spawn(process.execPath, ['-e', '']);
    const { pid = 0 } = child;
    await new Promise((resolve) => child.on('close', resolve));
    const lock = (name: string, by: object) =>
      writeFileSync(join(home.directory, name), JSON.stringify(by), { mode: 0o600 });
    lock(`${home.run}.driver`, { pid, startedAt: '', host: hostname() });
    lock(`${home.run}.jsonl.lock`, { pid: process.pid, startedAt: '', host: hostname() });
    lock('gone.driver', { pid, startedAt: '', host: 'elsewhere' });
    lock(`${home.run}.driver.${pid}.0a1b2c3d`, { pid, startedAt: '', host: hostname() });
    expect(kinds(await home.examine()).sort()).toEqual(['foreign-lock', 'stale-lock', 'stale-lock']);
    const repaired = await home.examine({ repair: true });
    expect(repaired.filter(({ isRepaired }) => isRepaired === true)).toHaveLength(2);
    expect(kinds(await home.examine())).toEqual(['foreign-lock']);
    expect(existsSync(join(home.directory, `${home.run}.jsonl.lock`))).toBe(true);
  });

  it('does not touch the journal of a run that is being driven', async () => {
    await using home = await stored();
    writeFileSync(home.file, `${home.text}{"v":1,`);
    const driver = join(home.directory, `${home.run}.driver`);
    writeFileSync(driver, JSON.stringify({ pid: process.pid, startedAt: '', host: hostname() }), {
      mode: 0o600,
    });
    expect(await home.examine({ repair: true })).toMatchObject([{ kind: 'torn-tail', isRepaired: false }]);
    expect(readFileSync(home.file, 'utf8')).toBe(`${home.text}{"v":1,`);
  });

  it('finds old half files, others that may read, and an empty run', async () => {
    await using home = await stored();
    const left = `${home.blob}.0d9e8c1a-1111-2222-3333-444455556666.tmp`;
    writeFileSync(left, 'half', { mode: 0o600 });
    expect(await home.examine()).toEqual([]);
    utimesSync(left, new Date(Date.now() - DAY), new Date(Date.now() - DAY));
    chmodSync(home.file, 0o644);
    writeFileSync(join(home.directory, 'empty.jsonl'), '', { mode: 0o600 });
    expect(kinds(await home.examine()).sort()).toEqual(['empty-journal', 'leftover', 'permissions']);
    await home.examine({ repair: async () => true });
    expect(kinds(await home.examine())).toEqual(['empty-journal']);
    expect(statSync(home.file).mode & 0o777).toBe(0o600);
    expect(await home.examine({ run: home.run })).toEqual([]);
  });
});
