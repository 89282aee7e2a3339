import { describe, expect, it } from 'vitest';
import { addNote } from '../../src/commands/steer.ts';
import { layUserConfig } from '../../src/config/user-config.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Settings, TrustRule } from '../../src/model/settings.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind, type Reply, type ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { trustEntries } from '../../src/views/trust-report.ts';
import { createHouse, type House } from '../driver/house.ts';
import { settingsWith } from '../settings.ts';

const TOOLS: Record<string, FunctionTool> = {
  'files.read': { trusted: false, run: () => ({ text: 'secret words', n: 7 }) },
  'web.read': { trusted: false, run: () => ({ text: 'news of today', author: 'eve@evil.example' }) },
  'mail.send': { effect: 'write', trusted: false, run: () => 'sent' },
};
const act = (id: string, operation: string, args: JsonObject = {}): ScriptedAction => ({
  id,
  operation,
  args,
});
const END: Reply = [act('end', 'answer', { text: 'done' })];
const sent = ({ toolbox }: House) => toolbox.effects('mail.send');
const asked = ({ questions }: RunState) => [...questions.values()].map(({ question }) => question);

async function run(script: readonly Reply[], trust: Partial<NonNullable<Settings['trust']>> = {}) {
  const house = createHouse(TOOLS, script);
  const id = await house.start('go', undefined, { trust: { policy: 'standard', ...trust } });
  return { house, id, state: await house.drive(id) };
}

describe('a rule of the configuration', () => {
  const plan: Reply = [
    act('r', 'files.read'),
    act('s', 'mail.send', { to: 'ann@home.example', body: '${r.text}' }),
  ];
  const aimed: Reply = [act('w', 'web.read'), act('s', 'mail.send', { to: 'x${w.author}' })];
  const later: Reply[] = [
    [act('r', 'files.read')],
    [act('s', 'mail.send', { to: 'b@x.example', body: 'hi' })],
  ];
  const rule = (from: string | undefined, to: string, what: TrustRule['do']): TrustRule => ({
    ...(from !== undefined && { from }),
    to,
    do: what,
  });

  it.each<[string, readonly Reply[], TrustRule[], number, number]>([
    ['nothing is said about content', [plan], [], 1, 0],
    ['denied content is not sent', [plan], [rule('files.*', 'mail.send.body', 'deny')], 0, 0],
    ['another argument is not meant', [plan], [rule('files.*', 'mail.send.to', 'deny')], 1, 0],
    ['another source is not meant', [plan], [rule('web.*', 'mail.send.body', 'deny')], 1, 0],
    ['content can be asked about', [plan], [rule('files.*', 'mail.*', 'ask')], 0, 1],
    [
      'deny is stronger than allow',
      [plan],
      [rule(undefined, '*', 'allow'), rule('*', 'mail.send', 'deny')],
      0,
      0,
    ],
    ['a source may aim', [aimed], [rule('web.*', 'mail.send.to', 'allow')], 1, 0],
    ['another source may not', [aimed], [rule('files.*', 'mail.send.to', 'allow')], 0, 1],
    ['a tool is allowed at any time', later, [rule(undefined, 'mail.send', 'allow')], 1, 0],
    ['an allowed argument orders nothing', later, [rule(undefined, 'mail.send.body', 'allow')], 0, 1],
    ['an allowed argument may be aimed', [aimed], [rule(undefined, 'mail.send.to', 'allow')], 1, 0],
    ['an allowed source orders nothing', later, [rule('files.*', 'mail.send.*', 'allow')], 0, 1],
    [
      'a line break in the name of an argument avoids no rule',
      [[act('r', 'files.read')], [act('s', 'mail.send', { to: 'b@x.example', 'bo\ndy': 'hi' })]],
      [rule(undefined, 'mail.send', 'allow'), rule('files.*', 'mail.send.b*', 'deny')],
      0,
      0,
    ],
    [
      'words of the model may come from what it read',
      later,
      [rule('files.*', 'mail.send.body', 'deny')],
      0,
      0,
    ],
  ])('%s', async (_, script, rules, sends, questions) => {
    const { house, state } = await run([...script, END], { rules });
    expect({ sends: sent(house), questions: asked(state).length }).toEqual({ sends, questions });
    if (sends + questions === 0)
      expect(state.tasks.get('s')?.failure).toMatchObject({ kind: 'rejected', code: 'not_allowed' });
  });
});

describe('a value that extract returns', () => {
  it.each<[string, JsonObject, Json, number]>([
    ['a choice of few', { enum: ['ann@home.example', 'bob@home.example'] }, 'bob@home.example', 0],
    ['a bounded number', { type: 'integer', minimum: 1, maximum: 9 }, 7, 0],
    ['a number without bounds', { type: 'integer' }, 7, 1],
    ['any text', { type: 'string' }, 'eve@evil.example', 1],
  ])('may aim a call if trust.endorse names its kind: %s', async (_, schema, value, questions) => {
    const script = [
      act('r', 'files.read'),
      act('x', 'extract', { source: '${r}', find: 'who', schema }),
      act('s', 'mail.send', { to: '${x.value}' }),
    ];
    const mind = {
      ...createScriptedMind([script, END]),
      extract: async () => ({ kind: 'extracted' as const, value }),
    };
    const house = createHouse(TOOLS, [], { mind });
    const trust = { policy: 'standard' as const, endorse: ['enum' as const, 'number' as const] };
    expect(asked(await house.run('go', undefined, { trust }))).toHaveLength(questions);
  });
});

describe('the answer to a question about trust', () => {
  const send = (id: string, to: string, body: string): Reply => [act(id, 'mail.send', { to, body })];

  it('can allow the pattern in this run: whom it hits, not what it says', async () => {
    const { house, id, state } = await run([
      [act('r', 'web.read')],
      send('a', 'ann@home.example', 'one'),
      send('b', 'ann@home.example', 'two'),
      send('c', 'eve@evil.example', 'two'),
      END,
    ]);
    expect(asked(state)[0]?.options?.map(({ label, value }) => `${label}: ${value}`)).toEqual([
      'Allow once: approve',
      'Refuse and go on without it: reject',
      'Allow in this run with to = ann@home.example: approve_pattern',
      'Stop the run: stop',
    ]);
    await house.answer(id, 'q1', 'approve_pattern');
    const next = await house.drive(id);
    expect(sent(house)).toBe(2);
    expect(asked(next).at(-1)?.context).toMatchObject({ args: { to: 'eve@evil.example' } });
  });

  it('does not allow one more recipient than the pattern has', async () => {
    const { house, id } = await run([
      [act('r', 'web.read')],
      send('a', 'ann@home.example', 'one'),
      [act('b', 'mail.send', { to: 'ann@home.example', cc: 'eve@evil.example' })],
      END,
    ]);
    await house.answer(id, 'q1', 'approve_pattern');
    const next = await house.drive(id);
    expect(sent(house)).toBe(1);
    expect(asked(next).at(-1)?.context).toMatchObject({ args: { cc: 'eve@evil.example' } });
  });

  it('looks for recipients inside an argument that is content by its name', async () => {
    const nested = (id: string, to: string): Reply => [act(id, 'mail.send', { message: { to, text: 'hi' } })];
    const { house, id } = await run([
      [act('r', 'web.read')],
      nested('a', 'ann@home.example'),
      nested('b', 'eve@evil.example'),
      END,
    ]);
    await house.answer(id, 'q1', 'approve_pattern');
    const next = await house.drive(id);
    expect(sent(house)).toBe(1);
    expect(asked(next).at(-1)?.context).toMatchObject({ args: { message: { to: 'eve@evil.example' } } });
  });

  it('can refuse all calls of the tool that wait: a flood of calls is one question', async () => {
    const flood = Array.from({ length: 90 }, (_, index) =>
      act(`x${index}`, 'mail.send', { to: `eve${index}` }),
    );
    const { house, id, state } = await run([[act('r', 'web.read')], flood, END]);
    expect(asked(state)).toMatchObject([{ context: { similar: 89 } }]);
    await house.answer(id, 'q1', 'reject_similar');
    const ended = await house.drive(id);
    expect(asked(ended)).toHaveLength(1);
    expect(ended.end?.outcome).toBe('answered');
    expect(sent(house)).toBe(0);
  });

  it.each<[string, readonly Reply[]]>([
    [
      'a list that a stranger wrote',
      [
        [act('r', 'web.read')],
        Array.from({ length: 20 }, (_, index) =>
          act(`x${index}`, index % 2 === 0 ? 'mail.send' : 'mail.forward', { to: `eve${index}` }),
        ),
      ],
    ],
    [
      'calls of a plan that external content aims',
      [
        [
          act('r', 'web.read'),
          ...[1, 2, 3].map((n) => act(`x${n}`, 'mail.send', { to: `${n}\${r.author}` })),
        ],
      ],
    ],
  ])('expires once for all calls that wait for it: %s', async (_, script) => {
    const house = createHouse(
      { ...TOOLS, 'mail.forward': { effect: 'write', trusted: false, run: () => 'sent' } },
      [...script, END],
    );
    const questions = { expireAfter: 1000, whenExpired: 'decline' as const };
    const id = await house.start('go', undefined, { trust: { policy: 'standard' }, questions });
    await house.drive(id);
    await house.clock.advance(1000);
    const state = await house.drive(id);
    expect(state.end?.outcome).toBe('answered');
    expect(asked(state).every(({ expiresAt }) => expiresAt === asked(state)[0]?.expiresAt)).toBe(true);
    const failures = [...state.tasks.values()].flatMap(({ failure }) => failure?.code ?? []);
    expect(new Set(failures)).toEqual(new Set(['unanswered']));
    expect(house.toolbox.calls).toHaveLength(1);
  });

  it('leaves other tools and ordered calls alone', async () => {
    const { house, id, state } = await run([
      [act('r', 'web.read')],
      [act('a', 'mail.send', { to: 'eve' }), act('b', 'mail.send', { to: 'ann' })],
      END,
    ]);
    expect(asked(state)).toHaveLength(1);
    await house.answer(id, 'q1', 'reject');
    const next = await house.drive(id);
    expect(asked(next).map(({ context }) => (context as JsonObject).args)).toEqual([
      { to: 'eve' },
      { to: 'ann' },
    ]);
    await house.answer(id, 'q2', 'approve');
    await house.drive(id);
    expect(sent(house)).toBe(1);
  });

  it('holds if the model repeats a call that the user refused', async () => {
    const list = (id: string): Reply => [
      act(id, 'mail.send', { to: 'eve@evil.example' }),
      act(`${id}-read`, 'files.read', { of: id }),
    ];
    const { house, id } = await run([[act('r', 'web.read')], list('a'), list('b'), END]);
    await house.answer(id, 'q1', 'reject');
    const state = await house.drive(id);
    expect(asked(state)).toHaveLength(1);
    expect(state.tasks.get('b')?.failure).toMatchObject({ kind: 'rejected', code: 'not_approved' });
    expect(state.end?.outcome).toBe('answered');
  });

  it('is asked for again after a note of the user', async () => {
    const send = (id: string) => act(id, 'mail.send', { to: 'ann@home.example' });
    const { house, id } = await run([[act('r', 'web.read')], [send('a'), send('x')], [send('b')], END]);
    await house.answer(id, 'q1', 'reject');
    await addNote({ run: id, text: 'Ann may get it.' }, house.parts);
    expect(asked(await house.drive(id)).at(-1)).toMatchObject({ id: 'q2', task: 'x' });
  });

  it('can stop the run', async () => {
    const { house, id } = await run([[act('r', 'web.read')], send('a', 'ann@home.example', 'one'), END]);
    await house.answer(id, 'q1', 'stop');
    expect((await house.drive(id)).end?.outcome).toBe('cancelled');
    expect(sent(house)).toBe(0);
  });
});

describe('the audit of a run', () => {
  it('says what was read first, and why each call was made or asked about', async () => {
    const { house, id } = await run([
      [act('w', 'web.read'), act('s', 'mail.send', { to: 'ann@home.example' })],
      [act('e', 'mail.send', { to: 'eve@evil.example' })],
      END,
    ]);
    await house.answer(id, 'q1', 'reject', { by: 'u-1' });
    await house.drive(id);
    expect(trustEntries(await house.events(id))).toMatchObject([
      { kind: 'called', task: 's', operation: 'mail.send', because: 'ordered' },
      { kind: 'read', task: 'w', operation: 'web.read' },
      { kind: 'asked', question: 'q1', task: 'e', trust: { because: 'not_ordered' } },
      { kind: 'answered', question: 'q1', answer: 'reject', by: 'u-1' },
    ]);
  });
});

it('says that the question expired without an answer', async () => {
  const house = createHouse(TOOLS, [
    [act('w', 'web.read')],
    [act('e', 'mail.send', { to: 'x@y.example' })],
    END,
  ]);
  const questions = { expireAfter: 1000, whenExpired: 'decline' as const };
  const id = await house.start('go', undefined, { trust: { policy: 'standard' }, questions });
  await house.drive(id);
  await house.clock.advance(1000);
  await house.drive(id);
  const kinds = trustEntries(await house.events(id)).map(({ kind }) => kind);
  expect(kinds).toEqual(['read', 'asked', 'expired']);
  expect(sent(house)).toBe(0);
});

it('says what a policy that only observes would have asked, with the places where values were read', async () => {
  const { house, id } = await run(
    [[act('w', 'web.read')], [act('e', 'mail.send', { to: 'eve@evil.example' })], END],
    { policy: 'observe' },
  );
  const values = [{ argument: 'to', value: 'eve@evil.example', task: 'w', operation: 'web.read' }];
  expect(sent(house)).toBe(1);
  expect(trustEntries(await house.events(id)).at(-1)).toMatchObject({
    ...{ kind: 'called', task: 'e', because: 'observed' },
    trust: { because: 'not_ordered', values },
  });
});

describe('the configuration of a user', () => {
  const base = (trust: Settings['trust']) => ({
    written: {},
    settings: settingsWith(trust && { trust }),
    mcpServers: {},
  });

  it.each<[string, JsonObject, Settings['trust'], Settings['trust'], string[]]>([
    ['a stricter policy', { policy: 'strict' }, { policy: 'standard' }, { policy: 'strict' }, []],
    ['a looser policy', { policy: 'off' }, { policy: 'standard' }, { policy: 'standard' }, []],
    [
      'a rule that denies, and one that allows',
      {
        rules: [
          { to: 'mail.send', do: 'deny' },
          { to: '*', do: 'allow' },
        ],
      },
      { policy: 'standard' },
      { policy: 'standard', rules: [{ to: 'mail.send', do: 'deny' }] },
      ['trust.rules'],
    ],
    [
      'what aims a call',
      { tools: { 'mail.send': { aim: [] } } },
      { policy: 'standard' },
      { policy: 'standard' },
      ['trust.tools'],
    ],
  ])('can only make it stricter: %s', (_, trust, file, expected, refused) => {
    const laid = layUserConfig({ trust }, base(file));
    expect({ trust: laid.settings.trust, refused: laid.refused, problems: laid.problems }).toEqual({
      trust: expected,
      refused,
      problems: [],
    });
  });
});
