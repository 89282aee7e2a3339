import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openRuntime } from '../../src/app/dandori.ts';
import type { Event, FactType } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { IS_LONG } from '../long.ts';
import { PROGRAM, service, started } from '../program.ts';
import { openPlace, type Place } from './command.ts';
import { DOWN, ENTER, openTerminal } from './terminal.ts';

const DESK = service('cli/fixtures/desk.ts');
const ANSWERING = started('cli/fixtures/answering.ts');
const WHICH = { id: 'w', operation: 'desk.which', args: {} };
const SLOW = { id: 's', operation: 'desk.slow', args: {}, timeout: 60 };
const ORDER = { id: 'o', operation: 'desk.order', args: {} };

async function prepare(tasks: readonly object[], more: object = {}): Promise<Place> {
  const place = await openPlace();
  await place.write('dandori.yaml', JSON.stringify({ mcpServers: {}, services: [DESK], ...more }));
  await place.write('plan.json', JSON.stringify({ goal: 'order', tasks }));
  return place;
}

const RUN = ['run', '--plan', 'plan.json'];

async function eventsOf(place: Place): Promise<Event[]> {
  const [run = ''] = await place.runs();
  return place.events(run).catch(() => []);
}

/** Waits until the journal on the disk has so many of these. */
async function until(place: Place, type: FactType, times = 1): Promise<Event[]> {
  for (;;) {
    const events = await eventsOf(place);
    if (events.filter((event) => event.type === type).length >= times) return events;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function lawsOf(place: Place): Promise<string[]> {
  const { stdout } = await place.dandori('log', 'last', '--json');
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Event);
  return brokenLaws(events);
}

describe('many questions', () => {
  const count = IS_LONG ? 100 : 20;

  it('are open at once, survive the command that asked them, and are answered by another process', async () => {
    const tasks = Array.from({ length: count }, (_, index) => ({ ...WHICH, id: `w${index}` }));
    await using place = await prepare(tasks);
    const waiting = await place.dandori(...RUN, '--json');
    expect(waiting.code).toBe(3);
    const { run, questions } = JSON.parse(waiting.stdout) as { run: string; questions: { id: string }[] };
    expect(questions).toHaveLength(count);
    // This process is another one than the command.
    await using dandori = await openRuntime({ cwd: place.folder, tools: false });
    for (const [index, { id }] of questions.entries())
      await dandori.answer(run, id, index % 2 === 0 ? 'left' : 'right');
    const resumed = await place.dandori('resume', 'last', '--json');
    expect(resumed.code).toBe(0);
    const { tasks: done } = JSON.parse(resumed.stdout) as { tasks: Record<string, { result: unknown }> };
    const results = Object.values(done).map(({ result }) => result);
    expect(results).toEqual(questions.map((_, index) => ({ id: 1 + (index % 2) })));
    expect(await lawsOf(place)).toEqual([]);
  });
});

describe('two commands on one run', () => {
  it('the second answers while the first drives another branch, and the first continues with the answer', async () => {
    await using place = await prepare([WHICH, SLOW]);
    const first = place.begin(...RUN, '--json');
    await until(place, 'question_asked');
    const listed = JSON.parse((await place.dandori('questions', '--json')).stdout);
    expect(listed.questions).toMatchObject([{ id: 'q1', text: 'Which one?', blocks: ['w'], goal: 'order' }]);
    const answered = await place.dandori('answer', 'last', 'the right one');
    expect(answered.code).toBe(0);
    const events = await until(place, 'task_succeeded');
    expect(
      events.some(({ type, data }) => type === 'task_succeeded' && 'task' in data && data.task === 's'),
    ).toBe(false);
    await place.write('go', '');
    const { code, stdout } = await first.finished;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'answered', tasks: { w: { result: { id: 2 } } } });
    expect(await lawsOf(place)).toEqual([]);
  });

  it('the second pauses it: running calls finish, the first exits with 6, and resume continues', async () => {
    await using place = await prepare([SLOW, { ...WHICH, args: { id: 1 }, after: ['s'] }]);
    const first = place.begin(...RUN);
    await until(place, 'task_started');
    expect((await place.dandori('pause', 'last', '--reason', 'lunch')).code).toBe(0);
    expect((await place.dandori('note', 'last', 'and', 'hurry')).code).toBe(0);
    await place.write('go', '');
    const { code, stderr } = await first.finished;
    expect(code).toBe(6);
    expect(stderr).toContain('Paused: lunch\n');
    expect(JSON.parse((await place.dandori('runs', '--json')).stdout)).toMatchObject({
      runs: [{ status: 'paused' }],
    });
    expect((await place.dandori('show', 'last')).stdout).toContain('and hurry');
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await lawsOf(place)).toEqual([]);
  });

  it('the second cancels it: a call that does not stop is named', async () => {
    await using place = await prepare([SLOW]);
    const first = place.begin(...RUN);
    await until(place, 'task_started');
    await place.dandori('cancel', 'last', '--reason', 'enough');
    const { code, stderr } = await first.finished;
    expect(code).toBe(4);
    expect(stderr).toContain('Cancelled: enough\n');
    expect(stderr).toContain("s desk.slow didn't stop when asked");
  });
});

describe('a command that was killed while it asked the user', () => {
  it('is answered later, and continues', async () => {
    await using place = await prepare([WHICH, SLOW]);
    const { child, finished } = place.begin(...RUN);
    await until(place, 'question_asked');
    child.kill('SIGKILL');
    await finished;
    await place.write('go', '');
    expect((await place.dandori('answer', 'last', 'q1', '1')).code).toBe(0);
    const { code, stdout } = await place.dandori('resume', 'last', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      tasks: { w: { result: { id: 1 } }, s: { status: 'succeeded' } },
    });
    expect(await lawsOf(place)).toEqual([]);
  });
});

/** Another process, which answers when it is told to. */
function beginAnswering(place: Place): { say(line: string): void; heard(): Promise<string>; end(): void } {
  const child = spawn(process.execPath, [ANSWERING], {
    cwd: place.folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    say: (line) => void child.stdin.write(`${line}\n`),
    heard: async () => (await lines.next()).value ?? '',
    end: () => void child.stdin.end(),
  };
}

describe('two answers at the same instant', () => {
  it('exactly one wins each time, and the other gets an error', async () => {
    const count = IS_LONG ? 20 : 5;
    const tasks = Array.from({ length: count }, (_, index) => ({ ...WHICH, id: `w${index}` }));
    await using place = await prepare(tasks);
    expect((await place.dandori(...RUN)).code).toBe(3);
    const both = [beginAnswering(place), beginAnswering(place)];
    expect(await Promise.all(both.map((one) => one.heard()))).toEqual(['ready', 'ready']);
    for (let number = 1; number <= count; number++) {
      for (const [index, one] of both.entries()) one.say(`q${number} ${index === 0 ? 'left' : 'right'}`);
      const heard = await Promise.all(both.map((one) => one.heard()));
      expect(heard.sort()).toEqual(['question-answered', 'taken']);
    }
    for (const one of both) one.end();
    expect((await place.dandori('resume', 'last')).code).toBe(0);
    expect(await lawsOf(place)).toEqual([]);
  });
});

describe('a form', () => {
  it('is printed with the command that fills it in; what does not fit is named; values get their types', async () => {
    await using place = await prepare([ORDER]);
    const { code, stderr } = await place.dandori(...RUN);
    const [run] = await place.runs();
    expect(code).toBe(3);
    expect(stderr).toContain(
      '    size  small | large\n    count  whole number 1…\n    gift  Yes | No  (optional)\n    extras  ribbon | card  default: ["card"]  (optional)\n',
    );
    expect(stderr).toContain(`dandori answer ${run} q1 --field size=<value> --field count=<value>\n`);
    const wrong = await place.dandori('answer', 'last', '--field', 'size=huge', '--field', 'count=many');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/error\[answer-invalid\]: .*size .*count /);
    expect((await place.dandori('answer', 'last', '--field', 'colour=red')).stderr).toContain(
      'Its fields: size, count, gift, extras.',
    );
    await place.dandori('answer', 'last', '{"size":"small"}', '--field', 'count=2', '--field', 'gift=yes');
    const { stdout } = await place.dandori('resume', 'last', '--json');
    expect(JSON.parse(stdout).tasks.o.result).toEqual({ size: 'small', count: 2, gift: true });
  });

  it('can be declined with a reason', async () => {
    await using place = await prepare([ORDER]);
    await place.dandori(...RUN);
    await place.dandori('answer', 'last', '--decline', '--comment', 'not today');
    const { code, stderr } = await place.dandori('resume', 'last');
    expect(code).toBe(1);
    expect(stderr).toContain('declined. not today');
    expect((await place.dandori('answer', 'last', '1')).stderr).toContain('error[run-ended]');
  });

  it('that is already filled in is no longer open', async () => {
    await using place = await prepare([ORDER]);
    await place.dandori(...RUN);
    const fill = () => place.dandori('answer', 'last', '--field', 'size=small', '--field', 'count=1');
    expect((await fill()).code).toBe(0);
    expect((await fill()).stderr).toMatch(/error\[question-not-found\]: The run \S+ has no open question\./);
  });
});

describe('a question that expires', () => {
  it('on a real clock: it says when, a late answer is refused, and resume goes on without it', async () => {
    await using place = await prepare([WHICH], {
      questions: { expire_after: '3s', when_expired: 'cancel' },
    });
    const { code, stdout } = await place.dandori(...RUN, '--json');
    expect(code).toBe(3);
    const [{ expiresAt }] = JSON.parse(stdout).questions;
    while (Date.now() < expiresAt) await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await place.dandori('answer', 'last', '1')).stderr).toContain('error[question-expired]');
    const [run] = await place.runs();
    const listed = await place.dandori('questions');
    expect(listed.stdout).toContain(`Resume:  dandori resume ${run}\n`);
    expect(listed.stdout).not.toContain('dandori answer');
    const resumed = await place.dandori('resume', 'last');
    expect(resumed.code).toBe(4);
    expect(resumed.stderr).toContain('Cancelled: Expired without an answer: Which one?\n');
  });

  it('may be answered only by the named users', async () => {
    await using place = await prepare([WHICH], { questions: { answerers: ['anna'] } });
    expect((await place.dandori(...RUN)).stderr).toContain('Can be answered by: anna\n');
    expect((await place.dandori('answer', 'last', '1')).stderr).toContain('error[answer-not-allowed]');
    expect((await place.dandori('answer', 'last', '1', '--user', 'bert')).code).toBe(2);
    const fork = ['fork', 'last', '--answer', 'q1=1', '--no-run', '--user'];
    expect((await place.dandori(...fork, 'bert')).stderr).toContain('error[answer-not-allowed]');
    expect((await place.dandori('answer', 'last', '1', '--user', 'anna')).code).toBe(0);
    expect((await place.dandori(...fork, 'anna')).code).toBe(0);
  });
});

describe('the two milks of the kitchen', () => {
  const config = JSON.stringify({
    mcpServers: { kitchen: { shipped: 'kitchen' } },
    execution: { approval: 'never' },
  });

  it.each([
    [
      '在庫から牛乳を削除して',
      '「牛乳」に当てはまるものが 2 つあります。どれを削除しますか？',
      '回答：  dandori answer ',
      '低脂肪',
      '残りは 0',
    ],
    [
      'Remove the milk from the kitchen inventory',
      '2 items fit "milk". Which one should be removed?',
      'Answer:  dandori answer ',
      'low-fat',
      'In stock now: 0',
    ],
  ])('are asked about in the language of the goal: %s', async (goal, question, how, which, left) => {
    await using place = await openPlace();
    await place.write('dandori.yaml', config);
    const { code, stderr } = await place.dandori('run', goal);
    expect(code).toBe(3);
    expect(stderr).toContain(`? ${question}\n`);
    expect(stderr).toContain(how);
    expect((await place.dandori('answer', 'last', '1')).code).toBe(0);
    const { code: end, stdout } = await place.dandori('resume', 'last', '--json');
    expect(end).toBe(0);
    const { tasks, answer } = JSON.parse(stdout);
    const [removed] = Object.values<{ result: { item: { name: string } } }>(tasks);
    expect(removed?.result.item.name).toContain(which);
    expect(Object.keys(tasks)).toHaveLength(1);
    expect(answer).toContain(left);
  });

  it('wait through SIGKILL, and cancelling there ends the run with a clear message', async () => {
    await using place = await openPlace();
    await place.write('dandori.yaml', config);
    await place.write(
      'plan.json',
      JSON.stringify({
        goal: 'milk',
        tasks: [
          { id: 'm', operation: 'kitchen.remove_item', args: { name: '牛乳' } },
          { ...SLOW, id: 's' },
        ],
      }),
    );
    await place.write('dandori.yaml', JSON.stringify({ ...JSON.parse(config), services: [DESK] }));
    const { child, finished } = place.begin(...RUN);
    await until(place, 'question_asked');
    child.kill('SIGKILL');
    await finished;
    await place.dandori('cancel', 'last', '--reason', 'no milk after all');
    const { stderr, stdout } = await place.dandori('show', 'last');
    expect(stderr).toContain('Cancelled: no milk after all\n');
    expect(stdout).toContain('m kitchen.remove_item Skipped');
    expect((await place.dandori('answer', 'last', 'q1', '1')).stderr).toContain('error[run-ended]');
  });
});

const hasScript = spawnSync('script', ['--version']).status === 0;

describe.runIf(hasScript)('at a terminal', () => {
  /** Types each text as soon as what goes before it is shown. */
  async function type(
    place: Place,
    dialogue: readonly (readonly [string, string])[],
  ): Promise<number | null> {
    const command = `stty cols 100 rows 40 && "${process.execPath}" "${PROGRAM}" ${RUN.join(' ')}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...process.env, TERM: 'xterm', NO_COLOR: '1', LANG: 'C' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let seen = '';
    let next = 0;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
      const [shown, keys] = dialogue[next] ?? [];
      if (shown === undefined || keys === undefined || !seen.includes(shown)) return;
      seen = '';
      next++;
      child.stdin.write(keys);
    });
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    expect(next, seen).toBe(dialogue.length);
    return code;
  }

  it('a form is asked field by field, a wrong value is refused at once, and Enter adds no value', async () => {
    await using place = await prepare([ORDER]);
    const code = await type(place, [
      ['Cancel run', '\r'],
      ['large', `${DOWN}\r`],
      ['count', '0\r'],
      ['must be', '\b2\r'],
      ['Skip', '\r'],
      ['ribbon', '\r'],
    ]);
    expect(code).toBe(0);
    const { stdout } = await place.dandori('show', 'last', '--json');
    expect(JSON.parse(stdout).tasks.o.result).toEqual({ size: 'large', count: 2, extras: ['card'] });
  });

  it('the user can decline, or cancel the run', async () => {
    await using declining = await prepare([WHICH]);
    expect(
      await type(declining, [
        ['Cancel run', `${DOWN}${DOWN}\r`],
        ['Reason (optional)', 'neither\r'],
      ]),
    ).toBe(1);
    await using cancelling = await prepare([WHICH]);
    expect(await type(cancelling, [['Cancel run', `${DOWN}${DOWN}${DOWN}\r`]])).toBe(4);
    const { stderr } = await cancelling.dandori('show', 'last');
    expect(stderr).toContain('Cancelled: Stopped at the question: Which one?\n');
  });

  it('a question that is answered elsewhere disappears, with the answer, and the run continues', async () => {
    await using place = await prepare([WHICH]);
    await using terminal = openTerminal(place, place.env, ...RUN);
    await terminal.shows('Cancel run');
    expect((await place.dandori('answer', 'last', 'right', '--user', 'bo')).code).toBe(0);
    await terminal.shows('bo answered q1: The right one');
    expect(await terminal.code).toBe(0);
    const { stdout } = await place.dandori('show', 'last', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'answered', tasks: { w: { result: { id: 2 } } } });
  });

  it('a run that is cancelled elsewhere ends here too, and says why', async () => {
    await using place = await prepare([WHICH]);
    await using terminal = openTerminal(place, place.env, ...RUN);
    await terminal.shows('Cancel run');
    expect((await place.dandori('cancel', 'last', '--reason', 'enough')).code).toBe(0);
    await terminal.shows('Cancelled: enough');
    expect(await terminal.code).toBe(4);
  });

  it('a question says when it expires, and then disappears', async () => {
    await using place = await prepare([WHICH], {
      questions: { expire_after: '6s', when_expired: 'cancel' },
    });
    await using terminal = openTerminal(place, place.env, ...RUN);
    await terminal.shows(/Expires in [\d.]+ (s|ms)[\s\S]*Cancel run/);
    await terminal.shows('Cancelled: Expired without an answer: Which one?');
    expect(await terminal.code).toBe(4);
  });

  it('the keys, yes and no are shown in the language of the run', async () => {
    await using place = await prepare([ORDER], { language: 'ja' });
    await using terminal = openTerminal(place, place.env, ...RUN);
    await terminal.shows(/回答 \(↑\/↓ で選び、Enter で決定\)[\s\S]*実行を中止/);
    terminal.type(ENTER);
    await terminal.shows('large');
    expect(terminal.output()).not.toMatch(/navigate|confirm/);
  });
});
