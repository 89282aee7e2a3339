import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Place } from '../cli/command.ts';
import { act, answer, own, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';
import { PLAN } from './script.ts';
import { talk } from './talk.ts';
import { openTown } from './town.ts';

describe('the conversation of REQUIREMENTS E', () => {
  it('continues after SIGKILL: nothing is done twice, and no report is lost or repeated', async () => {
    let isHeld = true;
    let asked = 0;
    await using town = await openTown(({ promptText, body }) => {
      const goal = /Goal:\n([\s\S]*)/.exec(promptText)?.[1] ?? '';
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      if (/France/.test(goal)) return answer('Paris.');
      if (/Steps: s1/.test(last)) return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
      if (/Steps: s2/.test(last)) {
        asked++;
        if (isHeld) return { hang: true };
        const report = own('report', { step: 's1', text: 'Booked in Kyoto: 1 of 1. Next: Nara.' });
        return say([report, act('t2', 'travel.book', { city: 'Nara' })]);
      }
      if (/<result/.test(last)) return answer('Both rooms are booked.');
      return say([own('plan.propose', PLAN)]);
    });
    const { place } = town;
    const first = talk(place);
    first.say('plan a trip');
    await first.hears({ kind: 'question', ask: { kind: 'plan_approval' } });
    expect(await booked(place)).toBe('');
    first.say('yes');
    await expect.poll(() => first.lines().at(-1)).toMatchObject({ type: 'background' });
    first.say('what is the capital of France');
    await expect.poll(() => first.lines().at(-1)).toMatchObject({ text: 'Paris.' });
    await expect.poll(() => asked).toBe(1);
    expect(await booked(place)).toBe('Kyoto\n');
    // What was shown and not yet acknowledged would rightly come again.
    await expect.poll(() => deliveredIn(place.folder)).toHaveLength(2);
    first.child.kill('SIGKILL');
    await first.ended;
    isHeld = false;
    // The same conversation goes on by itself, without a word.
    const second = talk(place);
    await second.hears(
      { kind: 'report', step: 's1', text: 'Booked in Kyoto: 1 of 1. Next: Nara.', outcome: 'completed' },
      { kind: 'reply', text: 'Both rooms are booked.', outcome: 'answered' },
    );
    expect(await booked(place)).toBe('Kyoto\nNara\n');
    second.child.stdin.end();
    expect(await second.ended).toBe(0);
    expect(await deliveredIn(place.folder)).toHaveLength(4);
    const third = talk(place);
    third.child.stdin.end();
    expect(await third.ended).toBe(0);
    expect(third.lines()).toEqual([]);
  });

  it('goes on in a second terminal when the process of the first one is killed', async () => {
    let isHeld = true;
    let asked = 0;
    await using town = await openTown(() => {
      asked++;
      return isHeld ? { hang: true } : answer('Paris.');
    });
    const first = talk(town.place);
    first.say('what is the capital of France');
    await expect.poll(() => asked).toBe(1);
    const second = talk(town.place);
    second.say('/conversations');
    await expect.poll(() => second.lines().length).toBeGreaterThan(0);
    isHeld = false;
    first.child.kill('SIGKILL');
    await first.ended;
    await expect.poll(() => second.lines().at(-1)).toMatchObject({ kind: 'reply', text: 'Paris.' });
    second.child.stdin.end();
    expect(await second.ended).toBe(0);
  });

  it('reads one message per line from a pipe, prints the reports at the end, and exits with 3 if a question is open', async () => {
    await using town = await openTown(({ promptText, body }) => {
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      if (/Steps: s1/.test(last)) return say([act('t1', 'travel.weather', { city: 'Kyoto' })]);
      if (/Steps: s2/.test(last)) return say([act('t2', 'travel.weather', { city: 'Nara' })]);
      if (/<result/.test(last)) return answer('Sunny everywhere.');
      return /Goal:\nhello/.test(promptText) ? answer('Hello.') : say([own('plan.propose', PLAN)]);
    });
    const { place } = town;
    const first = talk(place);
    first.child.stdin.end('plan a trip\nyes\nhello');
    expect(await first.ended).toBe(0);
    const said = first.lines().map(({ type, kind, text }) => `${type} ${kind} ${text}`);
    expect(said[0]).toContain('message question');
    expect(said).toContain('message reply Hello.');
    expect(said).toContain('message report Look at the weather: done (1 of 1 task). Next: s2.');
    expect(said).toContain('message reply Sunny everywhere.');
    const second = talk(place, '--new');
    second.child.stdin.end('plan a trip\n');
    expect(await second.ended).toBe(3);
    const listed = await place.dandori('chat', '--list', '--json');
    expect(JSON.parse(listed.stdout)).toMatchObject({
      conversations: [{ title: 'plan a trip' }, { title: 'plan a trip' }],
    });
  });

  it.each([
    ['in words and a no', 'please skip the last step\nno'],
    ['by a command', '/reject skip the last step'],
  ])(
    'a plan that is to be different, %s, is asked about again before the next line of a pipe is read',
    async (_, change) => {
      await using town = await openTown(({ promptText, body }) => {
        const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
        const run = /- run (\S+), "plan a trip/.exec(promptText)?.[1];
        if (run !== undefined && /Goal:\nplease skip/.test(promptText))
          return /<result/.test(last)
            ? answer('I told it.')
            : say([act('t1', 'run.tell', { run, text: 'skip the last step' })]);
        if (/Steps: s1/.test(last)) return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
        if (/<result/.test(last)) return answer('Booked.');
        const steps = PLAN.steps as JsonObject[];
        return say([
          own('plan.propose', {
            ...PLAN,
            steps: /skip the last/.test(promptText) ? steps.slice(0, 1) : steps,
          }),
        ]);
      });
      const { place } = town;
      const chat = talk(place);
      chat.child.stdin.end(`plan a trip\n${change}\n/plan\nyes\n`);
      expect(await chat.ended).toBe(0);
      const texts = chat.lines().map(({ text }) => String(text));
      expect(texts.filter((text) => text.includes('Approve this plan'))).toEqual([
        expect.stringContaining('plan? (2 steps)'),
        expect.stringContaining('plan? (1 step)'),
      ]);
      expect(texts.find((text) => text.includes('Waiting for you'))).toMatch(/Look at the weather/);
      expect(texts.at(-1)).toBe('Booked.');
      expect(await booked(place)).toBe('Kyoto\n');
      await theseHold(place.folder);
    },
  );

  it('takes a form in a chat field by field or as JSON, says what does not fit, and can be declined', async () => {
    await using town = await openTown(({ body }) => {
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      if (/<result/.test(last)) return answer(`Reserved: ${/row.{0,40}/.exec(last)?.[0]}`);
      return /declined/.test(last) ? answer('Then not.') : say([act('t1', 'travel.seat', {})]);
    });
    const chat = talk(town.place);
    chat.child.stdin.end(
      ['a seat', '/answer q1 front', '/answer q1 row=0', '/answer q1 row=3, note=at the window, please']
        .concat(['another', '/answer q1 {"row": 4}', 'a third', '/reject I stand'])
        .join('\n'),
    );
    expect(await chat.ended).toBe(0);
    const errors = chat.lines().filter(({ type }) => type === 'error');
    expect(errors).toMatchObject([
      { error: { code: 'answer-invalid' } },
      { error: { code: 'answer-invalid' } },
    ]);
    const [first = '', second = '', third = ''] = (await town.place.runs()).sort();
    const tasks = async (run: string) =>
      JSON.parse((await town.place.dandori('show', run, '--json')).stdout).tasks.t1;
    expect((await tasks(first)).result).toEqual({ row: 3, note: 'at the window, please' });
    expect((await tasks(second)).result).toEqual({ row: 4 });
    expect((await tasks(third)).failure.message).toContain('I stand');
  });
});

async function booked(place: Place): Promise<string> {
  return readFile(join(place.folder, 'booked.txt'), 'utf8').catch(() => '');
}

async function deliveredIn(folder: string) {
  const [events = []] = await theseHold(folder);
  return events.filter(({ type }) => type === 'message_delivered');
}
