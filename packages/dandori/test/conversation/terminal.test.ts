import { describe, expect, it } from 'vitest';
import { sees } from '../cli/screen.ts';
import { DOWN, ENTER, openTerminal } from '../cli/terminal.ts';
import { act, answer, own, say } from '../requirements/home.ts';
import { theseHold } from './laws.ts';
import { PLAN } from './script.ts';
import { openTown } from './town.ts';

const goalOf = (prompt: string) => /Goal:\n([\s\S]*)/.exec(prompt)?.[1] ?? '';

describe('dandori chat at a terminal', () => {
  it('takes messages of several lines, edits a line, and has a history', async () => {
    await using town = await openTown(({ promptText }) =>
      answer(`You said ${JSON.stringify(goalOf(promptText))}`),
    );
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /What would you like to do\?.*\n\n+›$/);
    terminal.type('hello wurld\u007f\u007f\u007f\u007forld\r');
    await sees(terminal, /› hello world\n● You said "hello world"\n+›$/);
    terminal.type('one \\\rtwo\r');
    await sees(terminal, /› one \\\n… two\n● You said "one \\ntwo"\n+›$/);
    terminal.type('"""\rthree\rfour"""\r');
    await sees(terminal, /● You said "three\\nfour"\n+›$/);
    terminal.type('\u001b[200~five\rsix\u001b[201~');
    terminal.type(' seven\r');
    await sees(terminal, /● You said "five\\nsix seven"\n+›$/);
    terminal.type('\u001b[A'.repeat(8));
    await sees(terminal, /› hello world$/);
    terminal.type('\u0015/quit\r');
    expect(await terminal.code).toBe(0);
    await theseHold(town.place.folder);
  });

  it('shows the suggestion of an answer, also below one that was streamed', async () => {
    const next = { text: 'Check the weekend', goal: 'the weather at the weekend' };
    await using town = await openTown(() =>
      say([own('answer', { text: 'Sunny, 21 degrees in Kyoto.', next })]),
    );
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /›$/);
    terminal.type('the weather\r');
    await sees(
      terminal,
      /● Sunny, 21 degrees in Kyoto\.\n+ +→ Next: Check the weekend \(\/next: the weather at/,
    );
  });

  it('cancels the turn with Ctrl-C, and quits at the second one at the prompt', async () => {
    await using town = await openTown([{ hang: true }]);
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /›$/);
    terminal.type('take your time\r');
    await expect.poll(() => town.model.requests.length).toBe(1);
    terminal.type('\u0003');
    await sees(terminal, /● Cancelled: Interrupted with Ctrl-C\n+›$/);
    terminal.type('half a line');
    await sees(terminal, /\n› half a line$/);
    terminal.type('\u0003');
    await sees(terminal, /Ctrl-C\n+›$/);
    terminal.type('\u0003');
    await sees(terminal, /Ctrl-C again/);
    terminal.type('\u0003');
    expect(await terminal.code).toBe(0);
  });

  it('asks, takes the answer, and shows a report while a line is being typed', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using town = await openTown(async ({ promptText, body }) => {
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      if (/Steps: s1/.test(last)) return say([act('t1', 'travel.weather', { city: 'Kyoto' })]);
      if (/Steps: s2/.test(last)) {
        await held;
        const next = act('t2', 'travel.weather', { city: 'Nara' });
        return say([own('report', { step: 's1', text: 'Step 1 went well.' }), next]);
      }
      if (/<result/.test(last)) return answer('All of it is done.');
      return /trip/.test(goalOf(promptText)) ? say([own('plan.propose', PLAN)]) : answer('Paris.');
    });
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /›$/);
    terminal.type('plan a trip\r');
    await sees(
      terminal,
      /Approve this plan\? \(2 steps\).*\n.*s1\. Look at the weather\n.*s2\. Find the place\n(?: +.*\n)* +yes \/ no.*\n+›$/,
    );
    terminal.type('yes\r');
    await sees(
      terminal,
      /\w{4} is running in the background\..*\n+▸ \w{4} plan a trip · . of 2 steps done\n+›$/,
    );
    terminal.type('what is the capital of France\r');
    await sees(terminal, /● Paris\.\n+▸ \w{4} plan a trip · 1 of 2 steps done\n+›$/);
    terminal.type('and of Ger');
    await sees(terminal, /› and of Ger$/);
    release();
    await sees(terminal, /◆ Step 1 went well\.[\s\S]*● All of it is done\.\n+› and of Ger$/);
    terminal.type('many\r');
    await sees(terminal, /› and of Germany\n● Paris\.\n+›$/);
    terminal.type('\u0004');
    expect(await terminal.code).toBe(0);
    await theseHold(town.place.folder);
  });

  it('does not take "yes" for an approval that arrived after it was typed', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using town = await openTown(async ({ body }) => {
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      if (/<result/.test(last)) return answer('It is booked.');
      await held;
      return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
    }, 'execution: { approval: writes }\n');
    await using terminal = openTerminal(town.place, town.place.env, 'chat');
    await sees(terminal, /›$/);
    terminal.type('book a room in Kyoto\r');
    await expect.poll(() => town.model.requests.length).toBe(1);
    terminal.type('yes\r');
    release();
    await sees(terminal, /New question while you were typing[\s\S]*Approve travel\.book.*\n+›$/);
    terminal.type('yes\r');
    await sees(terminal, /● It is booked\.\n+›$/);
    terminal.type('\u0004');
    expect(await terminal.code).toBe(0);
  });

  it('shows after a crash what waits for an answer, how to give it, and each running run once', async () => {
    await using town = await openTown(({ body }) => {
      const last = JSON.stringify(body.messages?.at(-1)?.content ?? '');
      return /Steps: s1/.test(last) ? { hang: true } : say([own('plan.propose', PLAN)]);
    });
    await using first = openTerminal(town.place, town.place.env, 'chat');
    await sees(first, /›$/);
    first.type('plan a trip\r');
    await sees(first, /yes \/ no.*\n+›$/);
    await first.kill();
    await using second = openTerminal(town.place, town.place.env, 'chat');
    await sees(
      second,
      /› plan a trip\n.*question q1\n\? Approve this plan\? \(2 steps\)[\s\S]*yes \/ no.*\n+›$/,
    );
    second.type('yes\r');
    await sees(second, /▸ \w{4} plan a trip · 0 of 2 steps done\n+›$/);
    await second.kill();
    await using third = openTerminal(town.place, town.place.env, 'chat');
    await sees(third, /s2\. Find the place\n› yes\n▸ \w{4} plan a trip · 0 of 2 steps done\n›$/);
  });
});

describe('dandori run at a terminal', () => {
  it('does not take an early Enter for a yes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using town = await openTown(async ({ body }) => {
      if (/<result/.test(JSON.stringify(body.messages?.at(-1)?.content ?? '')))
        return answer('It is booked.');
      await held;
      return say([act('t1', 'travel.book', { city: 'Kyoto' })]);
    }, 'execution: { approval: writes }\n');
    await using terminal = openTerminal(town.place, town.place.env, 'run', 'book a room in Kyoto');
    await expect.poll(() => town.model.requests.length).toBe(1);
    terminal.type(ENTER + ENTER);
    // The terminal shows them, so they were typed before the question.
    await terminal.shows(/\n\s*\n/);
    release();
    await sees(terminal, /Cancel run/);
    terminal.type(DOWN.repeat(5) + ENTER);
    expect(await terminal.ended).not.toContain('It is booked.');
    expect(town.model.requests).toHaveLength(1);
  });

  it('asks before it writes, and takes the choice', async () => {
    await using town = await openTown(
      [say([act('t1', 'travel.book', { city: 'Kyoto' })]), answer('It is booked.')],
      'execution: { approval: writes }\n',
    );
    await using terminal = openTerminal(town.place, town.place.env, 'run', 'book a room in Kyoto');
    await sees(terminal, /Approve travel\.book\? \(write\)/);
    terminal.type('\r');
    await sees(terminal, /It is booked\./);
    expect(await terminal.code).toBe(0);
  });
});
