import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Event, Fact } from '../../src/model/event.ts';
import { eventAt, firstEvent } from '../../src/store/conformance/cases.ts';
import { createJsonlJournal } from '../../src/store/files/journal.ts';
import type { Journal } from '../../src/store/journal.ts';
import { createTemporaryJournal } from '../../src/testing/temporary-journal.ts';
import { rounds } from '../long.ts';
import { started } from '../program.ts';

const CHILD = started('store/child.ts');
const RUN = 'r1';
const children = new Set<ChildProcess>();

function start(directory: string, ...command: string[]): ChildProcess {
  const child = spawn(process.execPath, [CHILD, directory, ...command], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

async function said(child: ChildProcess, word: string): Promise<void> {
  let heard = '';
  child.stdout?.setEncoding('utf8');
  for await (const text of child.stdout ?? []) {
    heard += text;
    if (heard.includes(word)) return;
  }
  throw new Error(`the process ended without saying "${word}"`);
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Compare-and-append until it fits. */
async function append(journal: Journal): Promise<void> {
  for (;;) {
    const { length } = await journal.read(RUN);
    const fact: Fact = { type: 'cancel_requested', data: { reason: 'stop' } };
    const isTaken = await journal.append(RUN, length, [eventAt(RUN, length + 1, fact)]).then(
      () => true,
      () => false,
    );
    if (isTaken) return;
  }
}

afterEach(async () => {
  await Promise.all([...children].map(killed));
});

async function createRun() {
  const temporary = await createTemporaryJournal();
  await temporary.journal.create(RUN, [firstEvent(RUN)]);
  return temporary;
}

const by = (event: Event) => (event.type === 'cancel_requested' ? event.data : undefined);

describe('several processes', () => {
  it('J5: a driver that lives is named, and the run of one that was killed is free', async () => {
    await using temporary = await createRun();
    const { journal, directory } = temporary;
    const child = start(directory, 'claim', RUN);
    await said(child, 'claimed');
    await expect(journal.claim(RUN)).rejects.toMatchObject({
      code: 'run-driven-elsewhere',
      message: expect.stringContaining(`process ${child.pid} on `),
    });
    await journal.append(RUN, 1, [eventAt(RUN, 2)]);
    await killed(child);
    expect(existsSync(join(directory, `${RUN}.driver`))).toBe(true);
    const claim = await journal.claim(RUN);
    await journal.append(RUN, 2, [eventAt(RUN, 3)]);
    await claim.release();
    expect(await journal.read(RUN)).toHaveLength(3);
  });

  it('a process that was killed in the middle of a write does not block the others', async () => {
    await using temporary = await createRun();
    const { journal, directory } = temporary;
    const child = start(directory, 'lock', RUN);
    await said(child, 'locked');
    let isWritten = false;
    const append = journal.append(RUN, 1, [eventAt(RUN, 2)]).then(() => {
      isWritten = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isWritten).toBe(false);
    await killed(child);
    await append;
    expect(await journal.read(RUN)).toHaveLength(2);
  });

  it('J2: two that append many events each, all at once: all are there, each in its order', async () => {
    const count = rounds(600);
    await using temporary = await createRun();
    const { journal, directory } = temporary;
    await Promise.all(
      ['a', 'b'].map((name) => said(start(directory, 'append', RUN, String(count), name), 'done')),
    );
    const events = await journal.read(RUN);
    expect(events.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 2 * count + 1 }, (_, index) => index + 1),
    );
    for (const name of ['a', 'b']) {
      const reasons = events.map(by).filter((data) => data?.by === name);
      expect(reasons.map((data) => data?.reason)).toEqual(
        Array.from({ length: count }, (_, index) => String(index)),
      );
    }
  });

  it('J5: three that want the same run in turn never have it at the same time', async () => {
    await using temporary = await createRun();
    const { journal, directory } = temporary;
    await Promise.all(
      ['a', 'b', 'c'].map((name) => said(start(directory, 'claim-in-turn', RUN, '20', name), 'done')),
    );
    const noted = (await journal.read(RUN)).map(by).filter((data) => data !== undefined);
    expect(noted).toHaveLength(120);
    for (let index = 0; index < noted.length; index += 2) {
      expect(noted[index]).toMatchObject({ reason: 'begin' });
      expect(noted[index + 1]).toMatchObject({ reason: 'end', by: noted[index]?.by });
    }
  });

  it.each(['in this process', 'in another process'])(
    'a driver that writes without a pause does not keep out who wants to cancel, %s',
    async (where) => {
      await using temporary = await createRun();
      const { journal, directory } = temporary;
      const claim = await journal.claim(RUN);
      let isOver = false;
      const cancel =
        where === 'in this process'
          ? append(createJsonlJournal(directory))
          : said(start(directory, 'append', RUN, '1', 'a'), 'done');
      const cancelled = cancel.finally(() => {
        isOver = true;
      });
      for (let last = 1; !isOver; ) {
        try {
          await journal.append(RUN, last, [eventAt(RUN, last + 1)]);
          last++;
        } catch {
          last = (await journal.read(RUN)).length;
        }
      }
      await cancelled;
      await claim.release();
      expect((await journal.read(RUN)).filter(({ type }) => type === 'cancel_requested')).toHaveLength(1);
    },
  );

  it('who watches is woken by the append of another process', async () => {
    await using temporary = await createRun();
    const { journal, directory } = temporary;
    const claim = await journal.claim(RUN);
    const woken = new Promise<void>((resolve) => {
      const unwatch = journal.watch(RUN, () => {
        unwatch();
        resolve();
      });
    });
    await Promise.all([woken, said(start(directory, 'append', RUN, '1', 'a'), 'done')]);
    expect(await journal.read(RUN, 1)).toHaveLength(1);
    await claim.release();
  });
});
