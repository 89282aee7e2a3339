import { afterEach, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-code.ts';
import { drive } from '../../src/driver/drive.ts';
import { createLanguageMind } from '../../src/mind/language/mind.ts';
import type { ModelReply } from '../../src/testing/model-server/index.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { report } from '../../src/views/report.ts';
import {
  closeServers,
  createModelHouse,
  type DialectUnderTest,
  factsOf,
  optionsFor,
  say,
  serve,
} from './model-house.ts';

afterEach(closeServers);

const DIALECTS = ['json', 'tools'] as const;
const find = ['places.find', { q: 'Kyoto' }] as ['places.find', { q: string }];
const forecast = ['weather.now', { city: '${t1.city}' }] as ['weather.now', { city: string }];
const answer = ['answer', { text: 'Sunny.' }] as ['answer', { text: string }];

interface Trouble {
  readonly name: string;
  readonly only?: DialectUnderTest;
  /** What the model says before it does better, or in a way that is understood. */
  readonly replies: (dialect: DialectUnderTest) => readonly ModelReply[];
  /** What the journal notes: why a decision failed, what was repaired, or why a plan was refused. */
  readonly notes: RegExp;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: 'too many requests',
    replies: () => [{ status: 429, headers: { 'retry-after-ms': '5' } }],
    notes: /429/,
  },
  {
    name: 'a failing server',
    replies: () => [{ status: 500 }, { status: 503 }],
    notes: /failed \(500\).*\(503\)/s,
  },
  {
    name: 'a cut stream',
    replies: (dialect) => [{ ...say(dialect, find), cut: 9 } as ModelReply],
    notes: /broke off|cannot be reached/,
  },
  { name: 'events that are no JSON', replies: () => [{ raw: 'data: {oops\n\n' }], notes: /broke off/ },
  { name: 'an output without a word', replies: () => [{ content: '' }], notes: /it is empty/ },
  {
    name: 'an output that was cut at its limit',
    replies: (dialect) => [{ ...say(dialect, find), finishReason: 'length' } as ModelReply],
    notes: /cut off/,
  },
  {
    name: 'broken JSON',
    only: 'json',
    replies: () => [{ content: '{"actions":[{"operation":"places.find","args":{"q":' }],
    notes: /still open/,
  },
  {
    name: 'broken arguments',
    only: 'tools',
    replies: () => [{ toolCalls: [{ name: 'places_find', arguments: '{"q": ' }] }],
    notes: /arguments of call 1 \(places\.find\) are broken/,
  },
  {
    name: 'keys in Japanese',
    only: 'json',
    replies: () => [{ content: { 行動: [{ 操作: 'places.find', 引数: { q: 'Kyoto' } }] } }],
    notes: /no list of actions/,
  },
  {
    name: 'keys in German',
    only: 'json',
    replies: () => [{ content: { actions: [{ Vorgang: 'places.find', Argumente: { q: 'Kyoto' } }] } }],
    notes: /has no "operation"/,
  },
  {
    name: 'arguments in Japanese',
    replies: (dialect) => [say(dialect, ['weather.now', { 都市: 'Kyoto' }])],
    notes: /city/,
  },
  {
    name: 'two lists of actions',
    only: 'json',
    replies: () => [
      {
        content:
          '{"actions":[{"operation":"places.find","args":{"q":"a"}}],"actions":[{"operation":"answer","args":{"text":"b"}}]}',
      },
    ],
    notes: /two lists/,
  },
  {
    name: 'a tool that does not exist',
    replies: (dialect) => [say(dialect, ['places.search_for', { q: 'Kyoto' }])],
    notes: /no tool "places\.search_for"/,
  },
  {
    name: 'a tool of another server',
    replies: (dialect) => [say(dialect, ['weather.find', { q: 'Kyoto' }])],
    notes: /no tool "weather\.find".*did you mean "places\.find"/s,
  },
  {
    name: 'the same id twice',
    only: 'json',
    replies: () => [
      {
        content: {
          actions: [
            { id: 'a', operation: find[0], args: find[1] },
            { id: 'a', operation: find[0], args: find[1] },
          ],
        },
      },
    ],
    notes: /"a"/,
  },
  {
    name: 'the same id twice',
    only: 'tools',
    replies: () => [
      { toolCalls: [1, 2].map(() => ({ name: 'places_find', arguments: { q: 'x', _task: { id: 'a' } } })) },
    ],
    notes: /"a"/,
  },
  {
    name: 'a call written as text that is broken, and one that is cut',
    replies: () => [
      { content: 'First:\n<tool_call>{"name": "places_find", "arguments": {"q": 5/18}}</tool_call>' },
      { content: 'まず調べます。\n<tool_call>\n{"name": "places_find", "arguments": {"q": "Kyo' },
    ],
    notes: /could not be used.*could not be used/s,
  },
  { name: 'arguments nested for ever', replies: (dialect) => [deep(dialect)], notes: /nested more than/ },
  {
    name: 'nothing but brackets',
    only: 'json',
    replies: () => [{ content: '['.repeat(100_000), chunkSize: 10_000 }],
    notes: /could not be used/,
  },
];

describe.each(DIALECTS)('a model in trouble (%s) is asked again, and the run goes on', (dialect) => {
  it.each(TROUBLES.filter(({ only }) => only === undefined || only === dialect))(
    'after $name',
    async ({ replies, notes }) => {
      const script = [...replies(dialect), say(dialect, find, forecast), say(dialect, answer)];
      const { run, server } = await createModelHouse(script, { dialect });
      const { state, events } = await run();
      expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Sunny.' });
      expect(server.requests).toHaveLength(script.length);
      expect([...state.tasks.values()].map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
      expect(
        JSON.stringify(events.filter(({ type }) => /failed|rejected/.test(type))).replaceAll('\\"', '"'),
      ).toMatch(notes);
    },
  );
});

it.each([...DIALECTS, 'auto'] as const)(
  'a model that writes nothing but broken calls as text has not answered (%s)',
  async (dialect) => {
    const broken = {
      content: 'Now:\n<tool_call>{"name": "places_find", "arguments": {"q": 5/18}}</tool_call>',
    };
    const { run } = await createModelHouse([broken, broken, broken], { dialect });
    const { state } = await run();
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'unusable_output' } });
  },
);

const UNDERSTOOD: readonly Trouble[] = [
  {
    name: 'prose around JSON',
    only: 'json',
    replies: () => [
      {
        content: `Sure!\n\`\`\`json\n${JSON.stringify({ actions: [{ operation: find[0], args: find[1] }] })}\n\`\`\`\nShall I?`,
      },
    ],
    notes: /./,
  },
  {
    name: 'prose beside calls',
    only: 'tools',
    replies: () => [{ content: 'Let me look.', toolCalls: [{ name: 'places_find', arguments: find[1] }] }],
    notes: /Let me look/,
  },
  {
    name: 'one object instead of a list',
    only: 'json',
    replies: () => [{ content: { operation: find[0], args: find[1] } }],
    notes: /one object taken as the list/,
  },
  {
    name: 'a comma too many',
    only: 'json',
    replies: () => [{ content: '{"actions":[{"operation":"places.find","args":{"q":"Kyoto",},},]}' }],
    notes: /broken JSON repaired/,
  },
  {
    name: 'arguments as text',
    replies: (dialect) => [
      dialect === 'json'
        ? { content: { actions: [{ operation: find[0], args: JSON.stringify(find[1]) }] } }
        : { toolCalls: [{ name: 'places_find', arguments: JSON.stringify(JSON.stringify(find[1])) }] },
    ],
    notes: /./,
  },
  {
    name: 'a number as text',
    replies: (dialect) => [say(dialect, ['weather.now', { city: 'Kyoto', days: '3' }])],
    notes: /days is taken for the number 3/,
  },
  {
    name: 'a tool without its server',
    replies: (dialect) => [say(dialect, ['find', { q: 'Kyoto' }])],
    notes: /find is taken for places\.find/,
  },
  {
    name: 'one letter too many',
    replies: (dialect) => [say(dialect, ['places.findd', { q: 'Kyoto' }])],
    notes: /places\.findd is taken for places\.find/,
  },
  {
    name: 'the form of the other dialect',
    replies: (dialect) => [say(dialect === 'json' ? 'tools' : 'json', find)],
    notes: /./,
  },
  {
    name: 'a megabyte of arguments',
    replies: (dialect) => [
      { ...say(dialect, ['places.find', { q: 'x'.repeat(1_000_000) }]), chunkSize: 50_000 } as ModelReply,
    ],
    notes: /./,
  },
];

describe.each(DIALECTS)('what a model means (%s) is understood without asking again', (dialect) => {
  it.each(UNDERSTOOD.filter(({ only }) => only === undefined || only === dialect))(
    '$name',
    async ({ replies, notes }) => {
      const { run, server } = await createModelHouse([...replies(dialect), say(dialect, answer)], {
        dialect,
      });
      const { state, events } = await run();
      expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Sunny.' });
      expect(server.requests).toHaveLength(2);
      expect([...state.tasks.values()].map(({ status }) => status)).toEqual(['succeeded']);
      expect(JSON.stringify(events)).toMatch(notes);
    },
  );

  it('an answer of a megabyte', async () => {
    const text = '晴れ '.repeat(350_000);
    const { run } = await createModelHouse(
      [{ ...say(dialect, ['answer', { text }]), chunkSize: 50_000 } as ModelReply],
      { dialect },
    );
    expect((await run()).state.end?.answer).toBe(text);
  });

  it('an answer in plain words, which the user reads', async () => {
    const goal = 'Who will win?';
    const { run } = await createModelHouse([{ content: 'Nobody can tell that.' }], { dialect }, { goal });
    const { state, events } = await run();
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Nobody can tell that.' });
    expect(factsOf(events, 'decision_made')[0]?.repaired).toBe('plain text taken as the answer');
  });
});

describe.each(DIALECTS)('a model that does not get better (%s)', (dialect) => {
  it.each<[string, ModelReply, RegExp]>([
    ['the same broken output', { content: '{"actions": [' }, /could not be used/],
    ['nothing', { content: '' }, /it is empty/],
    [
      'a tool that does not exist',
      say(dialect, ['nobody.knows', {}]),
      /No valid plan after 3 attempts.*nobody.knows/,
    ],
    ['a failing server', { status: 500 }, /failed \(500\)/],
    ['cut streams', { ...say(dialect, find), cut: 9 } as ModelReply, /broke off|cannot be reached/],
  ])('ends the run as failed after a few attempts: %s forever', async (_, reply, reason) => {
    const { run, server } = await createModelHouse([say(dialect, find), reply, reply, reply], { dialect });
    const { state } = await run();
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { message: expect.stringMatching(reason) },
      answer: expect.stringContaining('- places.find: {"city":"the city of Kyoto","days":3}'),
    });
    expect(exitCodeOf(report(state).outcome)).toBe(1);
    expect(server.requests).toHaveLength(4);
  });

  it.each<[string, ModelReply, RegExp]>([
    ['a content filter', { content: '', finishReason: 'content_filter' }, /refused: its content filter/],
    ['a refusal', { refusal: 'I will not do that.' }, /refused: I will not do that/],
    ['a wrong key', { status: 401 }, /model\.api_key_env/],
  ])('ends it at once where asking again is of no use: %s', async (_, reply, reason) => {
    const { run, server } = await createModelHouse([reply], { dialect });
    expect((await run()).state.end).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'model_error', message: expect.stringMatching(reason) },
    });
    expect(server.requests).toHaveLength(1);
  });
});

describe.each(DIALECTS)('a run with a real connection (%s)', (dialect) => {
  it('does not wait forever for a silent model', async () => {
    const silent = await serve(() => ({ hang: true }));
    const hasty = createLanguageMind(optionsFor(silent, { dialect, timeoutMs: 20 }));
    const { house, run } = await createModelHouse([say(dialect, answer)], { dialect });
    // Only the call that must run into its limit has a short one: how long a good one takes is the machine's affair.
    const { mind } = house.parts;
    const think: typeof mind.think = (thought) =>
      thought.state.decisions.length === 0 ? hasty.think(thought) : mind.think(thought);
    const { state, events } = await run({}, { mind: { name: mind.name, think } });
    expect(state.end?.outcome).toBe('answered');
    expect(factsOf(events, 'decision_failed')[0]?.failure.message).toMatch(
      /within 0\.02 s \(model\.timeout\)/,
    );
  });

  it('waits as long as a busy server says, and no less', async () => {
    const clock = createStepClock();
    const script = [{ status: 429, retryAfter: 30 }, say(dialect, answer)];
    const { house, server } = await createModelHouse(script, { dialect }, { clock });
    const run = await house.start('Weather?');
    const driving = drive(run, house.parts);
    await expect.poll(async () => factsOf(await house.events(run), 'decision_failed').length).toBe(1);
    await clock.advance(29_999);
    expect(server.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await driving).end?.outcome).toBe('answered');
    expect(factsOf(await house.events(run), 'decision_failed')[0]?.failure.retryAfter).toBe(30_000);
  });

  it('does not wait if a busy server asks for more time than the run has, and keeps its results', async () => {
    const script = [say(dialect, find), { status: 429, retryAfter: 3600 }];
    const { run, server } = await createModelHouse(script, { dialect });
    const { state } = await run();
    expect(state.end).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'model_error', message: expect.stringMatching(/It asks to wait for 3600 s/) },
      answer: expect.stringContaining('the city of Kyoto'),
    });
    expect(server.requests).toHaveLength(2);
  });

  it('needs no second call if the answer came with the actions, and fills it', async () => {
    const last: [string, { text: string }] = ['answer', { text: 'It says: ${t2}' }];
    const written = () => live.flatMap((one) => (one.type === 'action_written' ? one.action.operation : []));
    const end = dialect === 'json' ? ']}' : '${t2}"}';
    const hold = (text: string) => text.endsWith(end) && expect.poll(written).toHaveLength(3);
    const reply = { ...say(dialect, find, forecast, last), hold } as ModelReply;
    const { run, server, live } = await createModelHouse([reply], { dialect });
    const { state } = await run();
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'It says: 1 × sun in the city of Kyoto' });
    expect(server.requests).toHaveLength(1);
    expect(live.filter(({ type }) => type === 'answer_text')).toEqual([]);
    expect(written()).toEqual(['places.find', 'weather.now', 'answer']);
  });

  it('streams the answer that the run ends with', async () => {
    const told = () => live.flatMap((one) => (one.type === 'answer_text' ? one.text : []));
    const hold = (text: string) => text.includes('Sun') && expect.poll(told).not.toEqual([]);
    const reply = { ...say(dialect, answer), chunkSize: 2, hold } as ModelReply;
    const { run, live } = await createModelHouse([say(dialect, find), reply], { dialect });
    const { state } = await run();
    expect(told().join('')).toBe(state.end?.answer);
    expect(told().length).toBeGreaterThan(1);
  });

  it('gives a Ref its type, also if the schema wants a number', async () => {
    const call: [string, { city: string; days: string }] = [
      'weather.now',
      { city: '${t1.city}', days: '${t1.days}' },
    ];
    const { run, house } = await createModelHouse([say(dialect, find, call), say(dialect, answer)], {
      dialect,
    });
    await run();
    expect(house.toolbox.calls[1]?.call.args).toEqual({ city: 'the city of Kyoto', days: 3 });
  });
});

describe('the dialect auto', () => {
  it('goes on with native calls after an output that could not be used', async () => {
    const script = [{ content: { 行動: [] } }, say('tools', find), say('tools', answer)];
    const { run, server } = await createModelHouse(script, { dialect: 'auto' });
    expect((await run()).state.end?.outcome).toBe('answered');
    expect(server.requests.map(({ body }) => body.tools !== undefined)).toEqual([false, true, true]);
  });
});

function deep(dialect: DialectUnderTest): ModelReply {
  const args = `{"q":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`;
  return dialect === 'tools'
    ? { toolCalls: [{ name: 'places_find', arguments: args }], chunkSize: 10_000 }
    : { content: `{"actions":[{"operation":"places.find","args":${args}}]}`, chunkSize: 10_000 };
}
