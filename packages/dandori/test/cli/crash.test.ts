import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { type ModelReply, type ModelServer, startModelServer } from '../../src/testing/model-server/index.ts';
import { IS_LONG } from '../long.ts';
import { started } from '../program.ts';
import { openPlace, type Place } from './command.ts';

const COUNTER = started('cli/fixtures/counter-server.ts');

/** Chained, so that there is one call at a time: a, b, c, then one that takes long, then e. */
function plan(slow: 'look' | 'send'): string {
  const tasks = [
    { id: 'a', operation: 'counter.send', args: { name: 'a' } },
    { id: 'b', operation: 'counter.look', args: { name: 'b', after: '${a.name}' } },
    { id: 'c', operation: 'counter.send', args: { name: 'c', after: '${b.name}' } },
    { id: 'd', operation: `counter.${slow}`, args: { name: 'd', after: '${c.name}', slow: true } },
    { id: 'e', operation: 'counter.send', args: { name: 'e', after: '${d.name}' } },
  ];
  return JSON.stringify({ goal: 'count', tasks });
}

async function prepare(slow: 'look' | 'send'): Promise<Place> {
  const place = await openPlace();
  const env = { COUNTER_FILE: join(place.folder, 'effects.txt') };
  await place.write(
    'dandori.yaml',
    JSON.stringify({ mcpServers: { counter: { command: process.execPath, args: [COUNTER], env } } }),
  );
  await place.write('plan.json', plan(slow));
  return place;
}

/** The server notes each call before it does anything, so that the slow one is known to be on its way. */
async function untilSlowCall(place: Place): Promise<void> {
  const calls = join(place.folder, 'effects.txt.calls');
  while (!(await readFile(calls, 'utf8').catch(() => '')).includes('d\n')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Lets the slow call go on, now and whenever it is made again. */
async function letGo(place: Place): Promise<void> {
  await place.write('effects.txt.go', '');
}

/** Starts the run and kills it as soon as the slow call is on its way. */
async function killInTheMiddle(place: Place): Promise<string> {
  const { child, finished } = place.begin('run', '--plan', 'plan.json');
  await untilSlowCall(place);
  child.kill('SIGKILL');
  expect((await finished).signal).toBe('SIGKILL');
  const [run = ''] = await place.runs();
  return run;
}

/** The same server, and a model that says this. */
async function withModel(place: Place, replies: readonly ModelReply[]): Promise<ModelServer> {
  const server = await startModelServer(replies, { chunkSize: 4 });
  const env = { COUNTER_FILE: join(place.folder, 'effects.txt') };
  const model = { provider: 'openai-compatible', name: 'test', base_url: server.url };
  const mcpServers = { counter: { command: process.execPath, args: [COUNTER], env } };
  await place.write('dandori.yaml', JSON.stringify({ model, mcpServers }));
  return server;
}

async function effects(place: Place): Promise<string> {
  return (await readFile(join(place.folder, 'effects.txt'), 'utf8')).replaceAll('\n', '');
}

async function journal(place: Place, run: string): Promise<Event[]> {
  const { stdout } = await place.dandori('log', run, '--json');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a run killed with SIGKILL', () => {
  it('goes on with resume, ends with the same answer, and does not repeat finished calls', async () => {
    await using undisturbed = await prepare('look');
    await letGo(undisturbed);
    const whole = JSON.parse((await undisturbed.dandori('run', '--plan', 'plan.json', '--json')).stdout);
    await using place = await prepare('look');
    const run = await killInTheMiddle(place);
    const listed = await place.dandori('runs', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ runs: [{ run, status: 'open' }] });
    expect((await place.dandori('runs')).stdout).toContain('  Interrupted  ');
    const shown = await place.dandori('show', run, '--lang', 'ja');
    expect(shown.stdout).toMatch(/^中断中、/m);
    expect(shown.stdout).toMatch(/^· d counter\.look 中断中/m);
    expect(shown.stdout).not.toContain('実行中');
    expect(shown.stderr).toContain(`再開：  dandori resume ${run}`);
    await letGo(place);
    const { code, stdout } = await place.dandori('resume', run, '--json');
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report.answer).toBe(whole.answer);
    expect(report.tasks.d).toMatchObject({ status: 'succeeded', attempts: 2 });
    expect(await effects(place)).toBe('ace');
    expect(brokenLaws(await journal(place, run))).toEqual([]);
  });

  it('while the model wrote and a read was prefetched: the read is repeated, and the write happens once', async () => {
    await using place = await prepare('look');
    const actions = [
      { id: 'd', operation: 'counter.look', args: { name: 'd' } },
      { id: 'e', operation: 'counter.send', args: { name: 'e', after: '${d.name}' } },
    ];
    const answer = { id: 'z', operation: 'answer', args: { text: 'done' } };
    const never = new Promise(() => {});
    const hold = (written: string) => (written.includes('"id":"e"') ? never : undefined);
    await using server = await withModel(place, [{ actions, hold }, { actions }, { actions: [answer] }]);
    const { child, finished } = place.begin('run', 'look and send');
    await untilSlowCall(place);
    expect(server.requests[0]?.endedAt).toBeUndefined();
    child.kill('SIGKILL');
    expect((await finished).signal).toBe('SIGKILL');
    const [run = ''] = await place.runs();
    expect((await journal(place, run)).map(({ type }) => type)).toEqual(['run_started', 'decision_started']);
    const { code, stdout } = await place.dandori('resume', run, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ answer: 'done', tasks: { d: { attempts: 1 } } });
    expect(await effects(place)).toBe('e');
    expect(await readFile(join(place.folder, 'effects.txt.calls'), 'utf8')).toBe('d\nd\ne\n');
    expect(brokenLaws(await journal(place, run))).toEqual([]);
  });

  it('asks about a write whose end is unknown, and never sends it again by itself', async () => {
    await using place = await prepare('send');
    const run = await killInTheMiddle(place);
    const resumed = await place.dandori('resume', run, '--json');
    expect(resumed.code).toBe(3);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      outcome: 'waiting',
      questions: [{ id: 'q1', kind: 'in_doubt', task: 'd' }],
    });
    expect(await effects(place)).toBe('acd');
    const wrong = await place.dandori('answer', run, 'q1', 'perhaps');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/happened, again, give_up/);
    expect((await place.dandori('answer', run, 'q1', 'again')).code).toBe(0);
    const twice = await place.dandori('answer', run, 'q1', 'again');
    expect(twice.stderr).toMatch(/question-answered/);
    await letGo(place);
    const { code, stdout } = await place.dandori('resume', run, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).outcome).toBe('answered');
    expect(await effects(place)).toBe('acdde');
    expect(brokenLaws(await journal(place, run))).toEqual([]);
  });

  it('cannot be driven by two processes at once: the second one learns which process drives it', async () => {
    await using place = await prepare('look');
    const { finished } = place.begin('run', '--plan', 'plan.json', '--json');
    await untilSlowCall(place);
    const second = await place.dandori('resume', 'last');
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/run-driven-elsewhere/);
    expect(second.stderr).toMatch(/process \d+/);
    expect(second.stderr).not.toMatch(/language model/);
    await letGo(place);
    expect((await finished).code).toBe(0);
    expect(await effects(place)).toBe('ace');
  });

  it.runIf(IS_LONG)(
    'is resumed by one of three processes that try at once, and the others learn which one has it',
    async () => {
      await using place = await prepare('look');
      const run = await killInTheMiddle(place);
      const three = ['a', 'b', 'c'].map(() => place.begin('resume', run, '--json').finished);
      // The one that drives waits for the slow call until both others have gone.
      let left = 3;
      const two = new Promise<void>((resolve) => {
        for (const one of three) void one.then(() => --left === 1 && resolve());
      });
      await two;
      await letGo(place);
      const ends = await Promise.all(three);
      expect(ends.map(({ code }) => code).sort()).toEqual([0, 2, 2]);
      for (const { code, stderr } of ends)
        if (code === 2) expect(stderr).toMatch(/already running in process \d+ on/);
      expect(await effects(place)).toBe('ace');
      expect(brokenLaws(await journal(place, run))).toEqual([]);
    },
  );

  it.runIf(IS_LONG)(
    'whose claim was deleted by hand while it was driven: one of the two drivers stops, and nothing happens twice',
    async () => {
      await using place = await prepare('look');
      const first = place.begin('run', '--plan', 'plan.json', '--json');
      await untilSlowCall(place);
      const [run = ''] = await place.runs();
      const claim = join(place.folder, '.dandori/runs', `${run}.driver`);
      await rm(claim);
      const second = place.begin('resume', run, '--json');
      const { code, stderr } = await first.finished;
      expect(code).toBe(2);
      expect(stderr).toMatch(/run-driven-elsewhere[\s\S]*it stops|run-driven-elsewhere[\s\S]*this one stops/);
      expect(existsSync(claim)).toBe(true);
      await letGo(place);
      expect((await second.finished).code).toBe(0);
      expect(await effects(place)).toBe('ace');
      expect(brokenLaws(await journal(place, run))).toEqual([]);
    },
  );

  it('is cancelled from another process: the call is aborted, and the run ends cancelled with the reason', async () => {
    await using place = await prepare('look');
    const { finished } = place.begin('run', '--plan', 'plan.json', '--json');
    await untilSlowCall(place);
    expect((await place.dandori('cancel', 'last', '--reason', 'changed my mind')).code).toBe(0);
    const { code, stdout } = await finished;
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'cancelled',
      failure: { message: 'changed my mind' },
    });
    expect(await effects(place)).toBe('ac');
  });

  it('is cancelled by Ctrl-C with exit code 4', async () => {
    await using place = await prepare('look');
    const { child, finished } = place.begin('run', '--plan', 'plan.json', '--json');
    await untilSlowCall(place);
    child.kill('SIGINT');
    const { code, stdout } = await finished;
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'cancelled' });
  });
});
