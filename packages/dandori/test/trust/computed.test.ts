import { describe, expect, it } from 'vitest';
import { contextLines } from '../../src/cli/questions/question.ts';
import { textsFor } from '../../src/cli/texts.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createScriptedMind, type Reply, type ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse } from '../driver/house.ts';

const ROWS = [
  { sender: 'ann', subject: 'Dinner on Monday', amount: 10, to: 'eve', at: 'evil.example' },
  { sender: 'bob', subject: 'Spotify', amount: 50, to: 'mallory', at: 'evil.example' },
];
const TOOLS: Record<string, FunctionTool> = {
  'bank.list': { trusted: false, run: () => ({ rows: ROWS }) },
  'bank.pay': { effect: 'destructive', trusted: false, run: () => 'paid' },
};
const act = (id: string, operation: string, args: JsonObject = {}): ScriptedAction => ({
  id,
  operation,
  args,
});
const END: Reply = [act('end', 'answer', { text: 'done' })];

function contexts({ questions }: RunState): Json[] {
  return [...questions.values()].map(({ question }) => question.context ?? null);
}

async function start(
  script: readonly Reply[],
  policy: 'standard' | 'strict' = 'standard',
  values: Json[] = [],
) {
  const left = [...values];
  const mind = {
    ...createScriptedMind(script),
    extract: async () => ({ kind: 'extracted' as const, value: left.shift() ?? null }),
  };
  const house = createHouse(TOOLS, [], { mind });
  const id = await house.start('go', undefined, { trust: { policy } });
  const state = await house.drive(id);
  const paid = () =>
    house.toolbox.calls.filter(({ call }) => call.operation === 'bank.pay').map(({ call }) => call.args);
  return { house, id, state, paid };
}

describe('a value that an ordered plan computes from fields of a result', () => {
  it.each<[string, string, number, unknown]>([
    ['is a difference', "${r.(rows[?sender=='ann'] | [0].amount) - `12` / `2`}", 0, 4],
    ['is a share', "${r.(rows[?contains(subject, 'Spotify')].amount | [0]) * `10` / `100`}", 0, 5],
    ['is a sum', '${r.sum(rows[*].amount)}', 0, 60],
    ['is selected by a word', "${r.rows[?contains(subject, 'Spotify')].amount | [0]}", 0, 50],
    ['is a number in a longer text', 'invoice-${r.rows[0].amount}', 1, undefined],
    ['is put together from texts', "${r.join('@', [rows[0].to, rows[0].at])}", 1, undefined],
    ['is a part of a text', "${r.split(rows[0].subject, ' ') | [2]}", 1, undefined],
  ])('may aim the call only as a number: it %s', async (_, to, questions, paid) => {
    const { state, paid: made } = await start([[act('r', 'bank.list'), act('p', 'bank.pay', { to })], END]);
    expect(contexts(state)).toHaveLength(questions);
    if (questions === 0) expect(made()).toEqual([{ to: paid }]);
  });

  it('asks under strict', async () => {
    const pay = act('p', 'bank.pay', { amount: '${r.sum(rows[*].amount)}' });
    expect(contexts((await start([[act('r', 'bank.list'), pay], END], 'strict')).state)).toHaveLength(1);
  });

  it('may be announced as a number, and not as a text that is put together', async () => {
    const may = (path: string) =>
      act('m', 'may', { calls: [{ operation: 'bank.pay', args: { to: { from: 'bank.list', path } } }] });
    const play = async (path: string, to: Json) => {
      const first = [may(path), act('r', 'bank.list')];
      return contexts((await start([first, [act('p', 'bank.pay', { to })], END])).state).length;
    };
    expect(await play('sum(rows[*].amount)', 60)).toBe(0);
    expect(await play("join('@', [rows[0].to, rows[0].at])", 'eve@evil.example')).toBe(1);
  });
});

describe('several ordered calls that are aimed by external content', () => {
  const extract = (id: string) =>
    act(id, 'extract', { source: '${r}', find: 'who', schema: { type: 'string' } });
  const PLAN: Reply = [
    act('r', 'bank.list'),
    ...['e1', 'e2'].map(extract),
    act('p1', 'bank.pay', { to: '${e1.value}' }),
    { ...act('p2', 'bank.pay', { to: '${e2.value}' }), after: ['p1'] },
  ];

  it('are one question that shows each call with its source', async () => {
    const { state, house, id, paid } = await start([PLAN, END], 'standard', ['ann', 'bob']);
    const [question] = [...state.questions.values()].map((one) => one.question);
    expect(question?.context).toMatchObject({
      args: { to: 'ann' },
      also: [{ task: 'p2', args: { to: 'bob' }, trust: { values: [{ argument: 'to', task: 'e2' }] } }],
    });
    expect(question?.options?.map(({ label }) => label)).toContain('Allow these 2 calls');
    const lines = question === undefined ? [] : contextLines(question, textsFor({ language: 'en' }));
    expect(lines.join('\n')).toContain('Also waiting: bank.pay\n  to: "bob"\n    read in extract (e2)');
    await house.answer(id, 'q1', 'approve_listed');
    const ended = await house.drive(id);
    expect(contexts(ended)).toHaveLength(1);
    expect(paid()).toEqual([{ to: 'ann' }, { to: 'bob' }]);
    expect(ended.end?.outcome).toBe('answered');
  });

  it('are asked about one by one if only the first is allowed', async () => {
    const { house, id, paid } = await start([PLAN, END], 'standard', ['ann', 'bob']);
    await house.answer(id, 'q1', 'approve');
    expect(contexts(await house.drive(id))).toHaveLength(2);
    expect(paid()).toEqual([{ to: 'ann' }]);
  });

  it('allow nothing else: a call of the model with one of the values and one more asks', async () => {
    const { house, id, paid } = await start(
      [PLAN, [act('x', 'bank.pay', { to: 'bob', cc: 'eve' })], END],
      'standard',
      ['ann', 'bob'],
    );
    await house.answer(id, 'q1', 'approve_listed');
    const next = await house.drive(id);
    expect(paid()).toEqual([{ to: 'ann' }, { to: 'bob' }]);
    expect(contexts(next)).toHaveLength(2);
  });

  it('allow each call once: the same call again asks, whatever happened in between', async () => {
    const again = (id: string): Reply => [
      act(id, 'bank.pay', { to: 'bob' }),
      act(`${id}-list`, 'bank.list', { of: id }),
    ];
    const script = [PLAN, [act('x-list', 'bank.list', { of: 'x' })], again('x'), again('y'), END];
    const { house, id, paid } = await start(script, 'standard', ['ann', 'bob']);
    await house.answer(id, 'q1', 'approve_listed');
    const next = await house.drive(id);
    expect(paid()).toEqual([{ to: 'ann' }, { to: 'bob' }]);
    expect(contexts(next)).toHaveLength(2);
  });
});
