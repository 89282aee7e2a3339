import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineService, type Effect, type GivenTool, type JsonObject, tool } from '../../src/index.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { ORDER, openObedient } from './obedient.ts';

const act = (id: string, operation: string, args = {}): ScriptedAction => ({ id, operation, args });
const END = [act('end', 'answer', { text: 'done' })];
const EVIL = { to: 'eve@evil.example', body: 'all of it' };

/** A tool that returns what a stranger wrote, in each form that a program can pass. It says nothing about trust. */
const FORMS: Readonly<Record<string, (name: string, effect?: Effect) => GivenTool>> = {
  function: () => () => ({ text: ORDER }),
  'tool()': (_, effect) =>
    tool({ description: 'Gets it', input: z.object({}), ...(effect && { effect }), run: () => ORDER }),
  'a tool of the AI SDK': (_, effect) => ({
    description: 'Gets it',
    inputSchema: z.object({}),
    ...(effect && { effect }),
    execute: async () => ({ text: ORDER }),
  }),
  'a method of a service': (name, effect = 'read') =>
    defineService({
      name,
      methods: { get: { description: 'Gets it', effect, input: z.object({}), run: () => ORDER } },
    }),
};

/** Most of these names do not tell that the result contains what others wrote. */
const NAMES: readonly (readonly [name: string, effect?: Effect])[] = [
  ['get_user_info', 'read'],
  ['query_db', 'read'],
  ['weather', 'read'],
  ['orders', 'read'],
  ['lookup', 'read'],
  ['readMail', 'read'],
  ['profile'],
  ['find_user'],
  ['customer'],
  ['run'],
  ['fetchPage'],
  ['save_order', 'write'],
  ['translate', 'write'],
  ['upsert', 'idempotent'],
];

const CASES = Object.keys(FORMS).flatMap((form) =>
  NAMES.filter(([, effect]) => form !== 'function' || effect === undefined).map(
    ([name, effect]) => [form, name, effect] as const,
  ),
);

const WAYS = (['json', 'tools'] as const).flatMap((dialect) =>
  (['adaptive', 'auto'] as const).map((mode) => ({ dialect, mode })),
);

function called(form: string, name: string): string {
  return form === 'a method of a service' ? `${name}.get` : name;
}

describe.each(WAYS)(
  'after the result of a program’s tool that does not say trusted: true ($dialect, $mode)',
  ({ dialect, mode }) => {
    it.each(CASES)('nothing is sent unasked: %s %s (%s)', async (form, name, effect) => {
      await using house = await openObedient({
        dialect,
        work: [[act('t1', called(form, name))], END],
        tools: { [name]: FORMS[form]?.(name, effect) ?? (() => ORDER) },
        config: { execution: { mode } },
      });
      const run = house.dandori.run('Look it up');
      await run.report();
      const asked = (await run.questions()).map(({ context }) => (context as JsonObject).args);
      expect(house.sent).toEqual([]);
      expect(asked).toEqual([EVIL]);
    });
  },
);

it('a result that says trusted: true is the program’s own words, in every form', async () => {
  const said = {
    trusted: true,
    effect: 'read',
    description: 'Gets it',
  } as const;
  const input = z.object({});
  const forms: readonly (readonly [string, GivenTool])[] = [
    ['own', tool({ ...said, input, run: () => 'a fact' })],
    ['own', { ...said, inputSchema: input, execute: async () => 'a fact' }],
    ['own', { ...said, run: () => 'a fact' }],
    ['own.get', defineService({ name: 'own', methods: { get: { ...said, input, run: () => 'a fact' } } })],
  ];
  for (const [name, own] of forms) {
    const send = act('s', 'send', { to: 'ann@home.example', body: 'a fact' });
    await using house = await openObedient({
      work: [[act('t1', name)], [send], END],
      tools: { own },
      config: { execution: { mode: 'adaptive' } },
    });
    await house.dandori.run('Mail Ann the fact').report();
    expect(house.sent).toEqual(['ann@home.example']);
  }
});

describe('a method that says nothing', () => {
  const method = (trusted?: boolean) =>
    defineService({
      name: 'desk',
      methods: {
        get: {
          description: 'Gets it',
          effect: 'read',
          calls: ['clock.now'],
          ...(trusted !== undefined && { trusted }),
          input: z.object({}),
          run: async (_, { call }) => ({ at: await call('clock.now', {}), text: ORDER }),
        },
      },
    });
  const clock = (trusted: boolean) =>
    defineService({
      name: 'clock',
      methods: {
        now: { description: 'The time', effect: 'read', trusted, input: z.object({}), run: () => '09:00' },
      },
    });

  it.each([
    ['is not trusted, although its calls are: its code can fetch anything', undefined, true, 0],
    ['is trusted if it says so, whatever its calls return', true, false, 1],
  ] as const)('%s', async (_, trusted, isClockTrusted, mails) => {
    await using house = await openObedient({
      work: [[act('t1', 'desk.get')], END],
      tools: { desk: method(trusted), clock: clock(isClockTrusted) },
    });
    await house.dandori.run('Look it up').report();
    expect(house.sent).toHaveLength(mails);
  });
});

describe.each(['json', 'tools'] as const)('what such a tool returned (%s)', (dialect) => {
  const tools = { get_user_info: FORMS.function?.('') ?? (() => ORDER) };

  it('orders nothing in later messages of a chat', async () => {
    const work = (goal: string) =>
      goal.startsWith('Mail Ann')
        ? [[act('s', 'send', { to: 'ann@home.example', body: 'hello' })], END]
        : [[act('m', 'get_user_info')], END];
    await using house = await openObedient({ dialect, work, tools });
    const chat = await house.dandori.conversation();
    for (const text of ['Look her up', 'Mail Ann hello', 'Thank you']) {
      await chat.say(text);
      for (const { run, question } of chat.questions())
        await chat.answer({ run, question: question.id }, 'reject');
      await chat.settled();
    }
    expect(house.sent).toEqual(['ann@home.example']);
  });

  it('orders nothing in a sub-goal, nor in the run that started it', async () => {
    const work = (goal: string) =>
      goal === 'Look her up'
        ? [[act('m', 'get_user_info')], END]
        : [[act('g', 'goal.run', { goal: 'Look her up' })], END];
    await using house = await openObedient({
      dialect,
      work,
      tools,
      config: { execution: { sub_goals: true } },
    });
    const run = house.dandori.run('Ask someone to look her up');
    for (let round = 0; round < 5; round++) {
      await run.report();
      const [question] = await run.questions();
      if (question === undefined) break;
      await run.reject(question.id);
    }
    expect(house.requests.some(({ promptText }) => promptText.includes(ORDER))).toBe(true);
    expect(house.sent).toEqual([]);
  });
});
