import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { IS_LONG } from '../long.ts';
import { fixture, until } from '../tools/fixtures/calls.ts';
import { startDesk } from '../tools/fixtures/desk-process.ts';
import { openPlace, type Place } from './command.ts';

interface Desk extends Place {
  /** What the server wrote down. */
  record(): string;
  /** The same without what it was told to stop. */
  deeds(): string[];
  /** Answers from this process, which drives nothing. */
  answer(question: string, answer: Json): Promise<void>;
  /** The run, as soon as so many questions were asked in it. */
  asked(questions?: number): Promise<string>;
}

async function prepare(
  tasks: object[],
  {
    era = 'legacy',
    url,
    hold = '5m',
    goal = 'book',
    expire,
  }: { era?: string; url?: string; hold?: string; goal?: string; expire?: string } = {},
): Promise<Desk> {
  const place = await openPlace();
  const record = join(place.folder, 'record');
  const stdio = {
    command: process.execPath,
    args: [fixture('desk-stdio.ts'), era],
    env: { DESK_RECORD: record },
  };
  const config = {
    mcpServers: { desk: url === undefined ? stdio : { url } },
    execution: { approval: 'never', retry: { attempts: 5, backoff: '100ms' } },
    questions: { hold, ...(expire !== undefined && { expire_after: expire }) },
  };
  const configFile = await place.write('dandori.yaml', JSON.stringify(config));
  await place.write('plan.json', JSON.stringify({ goal, tasks }));
  const read = () => (existsSync(record) ? readFileSync(record, 'utf8') : '');
  return {
    ...place,
    record: read,
    deeds: () =>
      read()
        .split('\n')
        .filter((line) => /^(called|did)/.test(line)),
    async answer(question, answer) {
      await using dandori = await openRuntime({ configFile, tools: false });
      const [run = ''] = await place.runs();
      await dandori.answer(run, question, answer);
    },
    async asked(questions = 1) {
      for (;;) {
        const [run] = await place.runs();
        const journal = run === undefined ? '' : await place.journal(run);
        if (run !== undefined && journal.split('"question_asked"').length > questions) return run;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

const BOOK = { id: 't1', operation: 'desk.book', args: {} };
const RESERVE = { ...BOOK, operation: 'desk.reserve' };
const RUN = ['run', '--plan', 'plan.json'];
const AKI = { name: 'Aki' };

async function lawful(desk: Desk, run: string): Promise<Event[]> {
  const events = await desk.events(run);
  expect(brokenLaws(events)).toEqual([]);
  return events;
}

describe('a tool that asks while it runs', () => {
  it('gets the answer of another process, after the question was printed in a pipe', async () => {
    await using desk = await prepare([BOOK]);
    const { finished } = desk.begin(...RUN);
    const run = await desk.asked();
    const refused = await desk.dandori('answer', 'last', 'q1', '--field', 'name=Aki', '--field', 'seats=0');
    expect(refused.code).toBe(2);
    expect((await desk.dandori('answer', 'last', 'q1', '--field', 'name=Aki')).code).toBe(0);
    const { code, stderr } = await finished;
    expect(stderr).toContain('? Who is it for?\n    desk.book {}\n');
    expect(stderr).toContain(
      `The tool is waiting for this answer.\nAnswer:  dandori answer ${run} q1 --field name=<value>\n`,
    );
    expect(stderr).toContain('✓ t1 desk.book');
    expect(code).toBe(0);
    expect(desk.deeds()).toEqual(['called book', 'did book [{"action":"accept","content":{"name":"Aki"}}]']);
    await lawful(desk, run);
  });

  it('shows a page with its host, in Japanese too, and learns from a command that it is done', async () => {
    await using desk = await prepare([{ ...BOOK, args: { ask: 'page' } }], { goal: '席を予約する' });
    const { finished } = desk.begin(...RUN);
    await desk.asked();
    expect((await desk.dandori('answer', 'last', 'q1', '1')).code).toBe(0);
    const { code, stderr } = await finished;
    expect(stderr).toContain('開くページ：https://example.com/pay?id=7（ホスト：example.com）\n');
    expect(stderr).toContain('1  完了\n');
    expect(code).toBe(0);
    expect(desk.record()).toContain('did book [{"action":"accept"}]');
  });

  it('is held open for a limited time, and called again with the answer that comes later', async () => {
    await using desk = await prepare([{ ...RESERVE, args: { strict: true } }], { hold: '100ms' });
    const { code, stderr } = await desk.dandori(...RUN);
    expect(code).toBe(3);
    expect(stderr).toContain('Resume:  dandori resume');
    await desk.answer('q1', AKI);
    expect((await desk.dandori('resume', 'last')).code).toBe(0);
    expect(desk.deeds()).toEqual([
      'called reserve',
      'called reserve',
      'did reserve [{"action":"accept","content":{"name":"Aki"}}]',
    ]);
    const [run = ''] = await desk.runs();
    const events = await lawful(desk, run);
    expect(events.filter(({ type }) => type === 'question_asked')).toHaveLength(1);
  });

  it('is told that the user declines, or that no answer came in time', async () => {
    await using desk = await prepare([BOOK]);
    const { finished } = desk.begin(...RUN);
    const run = await desk.asked();
    expect((await desk.dandori('answer', 'last', 'q1', '--decline')).code).toBe(0);
    expect((await finished).code).toBe(0);
    expect(desk.deeds()).toEqual(['called book', 'did book [{"action":"decline"}]']);
    await lawful(desk, run);
    await using late = await prepare([BOOK], { expire: '300ms' });
    expect((await late.dandori(...RUN)).code).toBe(0);
    expect(late.deeds()).toEqual(['called book', 'did book [{"action":"cancel"}]']);
    await lawful(late, (await late.runs())[0] ?? '');
  });

  it('is cancelled with its run', async () => {
    await using desk = await prepare([BOOK]);
    const { finished } = desk.begin(...RUN);
    const run = await desk.asked();
    await desk.dandori('cancel', 'last');
    const { code, stderr } = await finished;
    expect(code).toBe(4);
    expect(stderr).toContain('outcome unconfirmed');
    await until(() => desk.record().includes('cancelled book'));
    await lawful(desk, run);
  });

  it('does not block the other tasks', async () => {
    const plan = [
      { ...BOOK, operation: 'desk.look', id: 't1', args: { ask: 'name' } },
      { ...BOOK, id: 't2', operation: 'desk.look', args: { ask: 'guest' } },
    ];
    await using desk = await prepare(plan);
    const { finished } = desk.begin(...RUN);
    const run = await desk.asked(2);
    await desk.answer('q2', { name: 'B' });
    await desk.answer('q1', { name: 'A' });
    expect((await finished).code).toBe(0);
    expect(desk.record().match(/did look/g)).toHaveLength(2);
    await lawful(desk, run);
  });
});

describe('a driver that is killed while a tool waits for an answer', () => {
  async function killed(desk: Desk): Promise<string> {
    const { child, finished } = desk.begin(...RUN);
    const run = await desk.asked();
    child.kill('SIGKILL');
    await finished;
    return run;
  }

  it.each(IS_LONG ? ['before', 'after'] : ['after'])(
    'makes an idempotent call again, answered %s the next one came',
    async (when) => {
      await using desk = await prepare([RESERVE]);
      const run = await killed(desk);
      if (when === 'after') expect((await desk.dandori('resume', 'last')).code).toBe(3);
      await desk.answer('q1', AKI);
      expect((await desk.dandori('resume', 'last')).code).toBe(0);
      expect(desk.deeds()).toEqual([
        'called reserve',
        'called reserve',
        'did reserve [{"action":"accept","content":{"name":"Aki"}}]',
      ]);
      await lawful(desk, run);
    },
  );

  it('asks about a write, and never calls it again by itself', async () => {
    await using desk = await prepare([BOOK]);
    const run = await killed(desk);
    await desk.answer('q1', AKI);
    const { code, stderr } = await desk.dandori('resume', 'last');
    expect(code).toBe(3);
    expect(stderr).toContain(
      'Input: The tool asked a question while it ran, and may not have received the answer.',
    );
    expect(desk.deeds()).toEqual(['called book']);
    await desk.dandori('answer', 'last', 'q2', 'again');
    expect((await desk.dandori('resume', 'last')).code).toBe(0);
    expect(desk.record()).toContain('did book [{"action":"accept","content":{"name":"Aki"}}]');
    await lawful(desk, run);
  });
});

describe('a server that ends its call to ask', () => {
  it('lets the process exit at once, and is called again after the answer', async () => {
    await using desk = await prepare([BOOK], { era: 'modern' });
    const { code } = await desk.dandori(...RUN);
    expect(code).toBe(3);
    await desk.answer('q1', AKI);
    expect((await desk.dandori('resume', 'last')).code).toBe(0);
    expect(desk.deeds()).toEqual([
      'called book',
      'called book',
      'did book {"name":{"action":"accept","content":{"name":"Aki"}}}',
    ]);
    const [run = ''] = await desk.runs();
    await lawful(desk, run);
  });

  it('gets the answer after both it and the driver were killed and restarted', async () => {
    await using first = await startDesk('modern');
    const file = join(tmpdir(), `dandori-desk-${process.pid}`);
    // Keeps the driver alive until it is killed.
    const busy = { id: 't2', operation: 'desk.wait', args: { file } };
    const asking = { ...BOOK, operation: 'desk.look', args: { ask: 'name,page' } };
    await using desk = await prepare([asking, busy], { url: first.url });
    const { child, finished } = desk.begin(...RUN);
    const run = await desk.asked(2);
    child.kill('SIGKILL');
    first.child.kill('SIGKILL');
    const [{ signal }] = await Promise.all([finished, once(first.child, 'exit')]);
    expect(signal).toBe('SIGKILL');
    await desk.answer('q2', 'done');
    await desk.answer('q1', AKI);
    await using again = await startDesk('modern', { port: first.port });
    expect(again.port).toBe(first.port);
    await writeFile(file, '');
    expect((await desk.dandori('resume', 'last')).code).toBe(0);
    await rm(file);
    const events = await lawful(desk, run);
    const done = events.find((event) => event.type === 'task_succeeded' && event.data.task === 't1');
    expect(done?.data).toMatchObject({
      attempt: 2,
      result: {
        answers: { name: { action: 'accept', content: AKI }, page: { action: 'accept' } },
        state: 'asked look',
      },
    });
  });
});
