import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import {
  ambiguous,
  defineService,
  type Effect,
  type GivenTool,
  type Json,
  type JsonObject,
  type ServiceContext,
  tool,
} from '../../src/index.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createToolbox } from '../../src/tools/create-toolbox.ts';
import { servicesOf } from '../../src/tools/program-tools.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { ServiceCallError } from '../../src/tools/service-call.ts';
import { words as english } from '../../src/views/texts/en/words.ts';
import { words as japanese } from '../../src/views/texts/ja/words.ts';
import { trustLines } from '../../src/views/trust.ts';
import { toolTrust, trustEntries } from '../../src/views/trust-report.ts';
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

/** The server of a page was lost, and says what it wants. */
const lost = new ServiceCallError('page.lose', { kind: 'unavailable', message: ORDER }, true);

function fail(error: unknown = new Error('no more room')): never {
  throw error instanceof Error ? error : new Error('no more room');
}

describe('what a trusted method passes on of a tool that is not trusted', () => {
  const page = (run: () => string) =>
    defineService({
      name: 'page',
      methods: { get: { description: 'A page', effect: 'read', input: z.object({}), run } },
    });
  const desk = defineService({
    name: 'desk',
    methods: {
      get: {
        description: 'Counts the letters of a page',
        effect: 'read',
        trusted: true,
        calls: ['page.get'],
        input: z.object({ id: z.string().optional() }),
        run: async ({ id }, { call }) => (id === undefined ? String(await call('page.get', {})).length : 1),
      },
    },
  });

  const open = (run: () => string) =>
    openObedient({
      work: [[act('t1', 'desk.get')], END],
      tools: { desk, page: page(run) },
      config: { execution: { mode: 'adaptive' } },
    });

  it('is external content: its error', async () => {
    await using house = await open(() => {
      throw new Error(ORDER);
    });
    await house.dandori.run('Count them').report();
    expect(house.requests.some(({ promptText }) => promptText.includes(ORDER))).toBe(true);
    expect(house.sent).toEqual([]);
  });

  it.each<[string, Effect, (page: Json, call: ServiceContext['call']) => unknown]>([
    ['its error while it parses the page', 'read', (page) => JSON.parse(String(page))],
    [
      'the calls that it made before it failed',
      'write',
      (page, call) => call('page.keep', { page }).then(fail),
    ],
    ['that an inner call of a read is lost', 'read', (_, call) => call('page.lose', {})],
    ['that an inner call of a write is lost', 'write', (_, call) => call('page.lose', {})],
  ])('is external content: %s', async (_, effect, run) => {
    const input = z.object({});
    const said = { description: 'It', effect: 'read', input } as const;
    await using house = await openObedient({
      work: [[act('t1', 'desk.get')], END],
      tools: {
        desk: defineService({
          name: 'desk',
          methods: {
            get: {
              ...said,
              effect,
              trusted: true,
              calls: ['page.get', 'page.lose', ...(effect === 'write' ? ['page.keep'] : [])],
              run: async (_, { call }) => (await run(await call('page.get', {}), call)) as string,
            },
          },
        }),
        page: defineService({
          name: 'page',
          methods: {
            get: { ...said, run: () => ORDER },
            keep: { ...said, effect: 'write', input: z.object({ page: z.string() }), run: () => 'kept' },
            lose: { ...said, run: () => fail(lost) },
          },
        }),
      },
      config: { execution: { mode: 'adaptive' } },
    });
    const lookUp = house.dandori.run('Count them');
    await lookUp.report();
    for (const { id, kind } of await lookUp.questions())
      if (kind === 'in_doubt') await lookUp.answer(id, 'give_up');
    await lookUp.report();
    const events = await Array.fromAsync(lookUp.events());
    const ended = events.find(({ type }) => type === 'task_failed' || type === 'task_in_doubt');
    expect(ended?.data).toMatchObject({ hasHeardStrangers: true });
    expect(JSON.stringify(ended?.data)).toContain('OBEY');
    expect(house.sent).toEqual([]);
  });

  it('is nothing, if it asks: a harmless label could set an argument of the method', async () => {
    await using house = await open(() => {
      throw ambiguous({ question: ORDER, options: [{ label: 'Ann', value: 'ann', args: { id: 'a' } }] });
    });
    const run = house.dandori.run('Count them');
    const { tasks } = await run.report();
    expect(await run.questions()).toEqual([]);
    expect(Object.values(tasks)).toMatchObject([
      { failure: { message: expect.stringContaining('desk.get is trusted and page.get is not') } },
    ]);
    expect(house.requests.some(({ promptText }) => promptText.includes(ORDER))).toBe(false);
    expect(house.sent).toEqual([]);
  });
});

describe('the preview of a trusted method', () => {
  const said = { description: 'It', input: z.object({ id: z.string().optional() }) };
  const open = (get: () => string) =>
    openObedient({
      work: [[act('t1', 'desk.clear')], END],
      tools: {
        desk: defineService({
          name: 'desk',
          methods: {
            clear: {
              ...said,
              effect: 'write',
              trusted: true,
              calls: ['page.get'],
              preview: async (_, { call }) => ({
                summary: `${String(await call('page.get', {})).length} letters`,
              }),
              run: () => 'cleared',
            },
          },
        }),
        page: defineService({
          name: 'page',
          methods: { get: { ...said, effect: 'read', run: get } },
        }),
      },
      config: {
        execution: { mode: 'adaptive', approval: 'writes' },
        effects: { 'mail.*': { approval: 'never' } },
      },
    });

  it.each<[string, () => string]>([
    ['fails', () => fail(new Error(ORDER))],
    ['is lost', () => fail(lost)],
    [
      'asks',
      () =>
        fail(ambiguous({ question: ORDER, options: [{ label: 'Ann', value: 'ann', args: { id: 'a' } }] })),
    ],
  ])('passes on nothing of a tool that is not trusted, if that %s', async (_, get) => {
    await using house = await open(get);
    const run = house.dandori.run('Clear the desk');
    await run.report();
    const questions = await run.questions();
    expect(questions.map(({ kind }) => kind)).toEqual(['approval']);
    expect(JSON.stringify(questions)).not.toContain('OBEY');
    await run.reject(questions[0]?.id);
    await run.report();
    expect(house.requests.length).toBeGreaterThan(1);
    expect(house.requests.some(({ promptText }) => promptText.includes('OBEY'))).toBe(false);
    expect(house.sent).toEqual([]);
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

describe('a question because of such a tool', () => {
  const read = tool({ description: 'Finds a user', effect: 'read', run: () => ORDER });
  const open = (tools: Readonly<Record<string, GivenTool>>, config = {}) =>
    openObedient({ work: [[act('t1', Object.keys(tools)[0] ?? '')], END], tools, config });

  it.each([
    [
      'Look her up',
      'find_user does not say trusted: true, so what it returns counts as external content. If it returns no text that others wrote, add trusted: true to the definition.',
    ],
    [
      '調べてください',
      'find_user の定義に trusted: true がないため、結果を外部コンテンツとして扱います。第三者が書いた文章を返さないツールなら、定義に trusted: true を追加してください。',
    ],
  ])('tells the developer what to do: %s', async (goal, hint) => {
    await using house = await open({ find_user: read });
    const run = house.dandori.run(goal);
    await run.report();
    const [question] = await run.questions();
    expect(question?.context).toMatchObject({ trust: { trustMissing: ['find_user'] } });
    expect(question?.hint).toBe(hint);
    await expect(run.output()).rejects.toMatchObject({
      code: 'run-waiting',
      fix: expect.stringContaining(hint),
    });
    const words = goal === 'Look her up' ? english : japanese;
    const events = await Array.fromAsync(run.events());
    const told = trustEntries(events).flatMap((one) =>
      one.kind === 'asked' ? trustLines(one.trust, words) : [],
    );
    expect(told).toContain(hint);
  });

  it('tells nothing to a developer who has said trusted: false', async () => {
    await using house = await open({ find_user: { ...read, trusted: false } });
    const run = house.dandori.run('Look her up');
    await run.report();
    const [question] = await run.questions();
    expect(question?.context).toMatchObject({ trust: { because: 'not_ordered' } });
    expect(question).not.toHaveProperty('hint');
  });

  it.each([
    [true, ['eve@evil.example']],
    [false, []],
  ])('depends on what the configuration says about the tool: trusted: %s', async (trusted, sent) => {
    const users = defineService({
      name: 'users',
      methods: { find: { ...read, input: z.object({}), effect: 'read', trusted: !trusted } },
    });
    await using house = await openObedient({
      work: [[act('t1', 'users.find')], END],
      tools: { users },
      config: { effects: { 'users.find': { trusted } } },
    });
    await house.dandori.run('Look her up').report();
    expect(house.sent).toEqual(sent);
  });

  it('is announced by dandori tools --trust', async () => {
    const toolbox = await createToolbox({
      schemaCheck: createSchemaCheck(),
      services: await servicesOf({ find_user: read, known: { ...read, trusted: true }, other: () => 1 }),
      effects: { other: { trusted: false } },
    });
    const found = toolTrust(toolbox.tools().values(), { policy: 'standard' });
    expect(found.map(({ name, trusted, trustMissing }) => [name, trusted, trustMissing])).toEqual([
      ['find_user', false, true],
      ['known', true, undefined],
      ['other', false, undefined],
    ]);
    await toolbox.close();
  });
});
