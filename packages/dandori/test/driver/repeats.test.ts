import { describe, expect, it } from 'vitest';
import { approve, reject } from '../../src/commands/answer.ts';
import { addBudget, addNote } from '../../src/commands/steer.ts';
import type { Settings } from '../../src/model/settings.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply, ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { count, createHouse, type House } from './house.ts';

const WRITE: FunctionTool = { effect: 'write', run: () => 'done' };
const TOOLS: Record<string, FunctionTool> = {
  'shop.add': WRITE,
  'shop.drop': { effect: 'destructive', run: () => 'gone' },
  'shop.set': { effect: 'idempotent', run: () => 'set' },
  'shop.look': { run: () => ({ item: 'milk' }) },
};

const one = (operation: string, args = {}): ScriptedAction => ({ operation, args });
const add = (item: string): ScriptedAction => one('shop.add', { item });
const list = (...actions: readonly ScriptedAction[]): ScriptedAction[] =>
  actions.map((action, index) => ({ id: `t${index + 1}`, ...action }));
const MILK = list(add('milk'));
const ANSWER: ScriptedAction[] = [one('answer', { text: 'done' })];
const CONCLUDED: ScriptedAction[] = [one('answer', { text: 'this far', achieved: false })];
const NEVER: Partial<Settings> = { mode: 'adaptive', approval: 'never' };
const ASKED: Partial<Settings> = { mode: 'adaptive', approval: 'destructive' };

async function rejections(house: House, run: string) {
  return (await house.events(run)).flatMap((event) => (event.type === 'plan_rejected' ? [event.data] : []));
}

const shop = (script: readonly Reply[], tools = TOOLS) => createHouse(tools, script);
const openQuestions = async (house: House, run: string) =>
  [...(fold(await house.events(run))?.questions.values() ?? [])].filter(({ answer }) => answer === undefined);

describe('a list of writes that was already done', () => {
  it('does not run a second time: the mind is told what was done, and answers', async () => {
    const house = shop([MILK, MILK, ANSWER]);
    const run = await house.start('add a milk', undefined, NEVER);
    const state = await house.drive(run);
    expect(house.toolbox.effects('shop.add')).toBe(1);
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
    const [told] = await rejections(house, run);
    expect(told?.repeats).toEqual({ tasks: ['t1'] });
    expect(told?.diagnostics).toMatchObject([
      { code: 'already-done', message: expect.stringMatching(/^t1 has/) },
    ]);
  });

  it.each(['adaptive', 'auto', 'planned'] as const)(
    'is run once however often a stuck mind sends it, where no one is asked (%s)',
    async (mode) => {
      const stuck = list(add('milk'), add('bread'));
      const house = shop([stuck, stuck, stuck, CONCLUDED]);
      const state = await house.run('add milk and bread', undefined, { mode, approval: 'never' });
      expect(house.toolbox.effects('shop.add')).toBe(2);
      expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop', answer: 'this far' });
      expect(state.end?.missing?.[0]).toMatch(/proposed calls again that already succeeded/);
      expect(house.mind.thoughts.at(-1)?.purpose).toBe('conclude');
    },
  );

  it('also where no invalid plan may be corrected: to repeat is no mistake in writing', async () => {
    const house = shop([MILK, MILK, ANSWER]);
    const state = await house.run('add a milk', undefined, { ...NEVER, repairs: 0 });
    expect(state.end?.outcome).toBe('answered');
  });

  it.each([
    ['in another order', list(add('bread'), add('milk'))],
    ['with arguments in another order', list(one('shop.add', { n: 1, item: 'x' }), add('milk'))],
    ['with an argument that is null', list({ ...add('milk'), args: { item: 'milk', note: null } })],
    ['together with a read', list(one('shop.look'), add('milk'), add('bread'))],
    ['only a part of it', list(add('bread'))],
  ])('is known %s', async (_, again) => {
    const first = list(add('milk'), add('bread'), one('shop.add', { item: 'x', n: 1 }));
    const house = shop([first, again, again, CONCLUDED]);
    await house.run('go', undefined, NEVER);
    expect(house.toolbox.effects('shop.add')).toBe(3);
  });

  it('is known in part if a call of it failed: only the failed call may be sent again', async () => {
    let tries = 0;
    const tools = {
      ...TOOLS,
      'shop.pay': {
        effect: 'write' as const,
        run: () =>
          ++tries === 1
            ? ({ kind: 'failed', failure: { kind: 'tool_error', message: 'no' } } as never)
            : 'paid',
      },
    };
    const whole = list(add('milk'), one('shop.pay'));
    const house = shop([whole, whole, list(one('shop.pay')), ANSWER], tools);
    const state = await house.run('go', undefined, NEVER);
    expect([house.toolbox.effects('shop.add'), tries]).toEqual([1, 2]);
    expect(state.end?.outcome).toBe('answered');
  });

  it('a stuck list of which one call always fails does not repeat the others', async () => {
    const tools = {
      ...TOOLS,
      'shop.pay': { effect: 'write' as const, faults: Array(9).fill({ kind: 'fail' }) },
    };
    const stuck = list(add('milk'), one('shop.pay'));
    const house = shop([stuck, stuck, stuck, CONCLUDED], tools);
    const state = await house.run('go', undefined, NEVER);
    expect(house.toolbox.effects('shop.add')).toBe(1);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it.each(['shop.add', 'shop.drop'])('is asked about where a person can be: yes (%s)', async (operation) => {
    const twice = list(one(operation, { item: 'milk' }));
    const house = shop([twice, twice, twice, ANSWER]);
    const run = await house.start('add two milks', undefined, {
      ...ASKED,
      approvals: { [operation]: 'destructive' },
    });
    for (let asked = 0; asked < 3; asked++) {
      const { end } = await house.drive(run);
      if (end !== undefined) break;
      await approve({ run }, house.parts);
    }
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.effects(operation)).toBe(2);
    const texts = [...state.questions.values()].map(({ question }) => question.text);
    expect(texts.at(-1)).toMatch(/already (?:succeeded|made the same call)/);
  });

  it('leads to a question if the user can be asked: no, and then not again', async () => {
    const house = shop([MILK, MILK, MILK, MILK, CONCLUDED]);
    const run = await house.start('add a milk', undefined, ASKED);
    await house.drive(run);
    const [question] = await openQuestions(house, run);
    expect(question?.question).toMatchObject({ kind: 'plan_approval', context: { repeats: ['t1'] } });
    await reject({ run, reason: 'one is enough' }, house.parts);
    const state = await house.drive(run);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    expect(state.questions.size).toBe(1);
    expect(house.toolbox.effects('shop.add')).toBe(1);
  });

  it('is asked about in the language of the run', async () => {
    const house = shop([MILK, MILK, MILK]);
    const run = await house.start('牛乳を追加して', undefined, ASKED);
    await house.drive(run);
    const [question] = await openQuestions(house, run);
    expect(question?.question.text).toBe(
      'この計画を承認しますか？ 成功済みの呼び出しを繰り返します：shop.add',
    );
  });

  it('is reported, without a question, if the calls are idempotent', async () => {
    const set = list(one('shop.set', { to: 1 }));
    const house = shop([set, set, set, ANSWER]);
    const run = await house.start('go', undefined, ASKED);
    const state = await house.drive(run);
    expect(await rejections(house, run)).toHaveLength(1);
    expect([state.questions.size, state.end?.outcome]).toEqual([0, 'answered']);
  });

  it('is known after a crash at any event', async () => {
    const whole = shop([MILK, MILK, MILK, CONCLUDED]);
    const events = await whole.events((await whole.run('add a milk', undefined, NEVER)).run);
    const from = events.findIndex(({ type }) => type === 'task_succeeded');
    for (let end = from + 1; end < events.length; end++) {
      const cut = events.slice(0, end);
      // It is written together with the plan that came of it.
      if (cut.at(-1)?.type === 'decision_made') continue;
      // The replies that are left: those of decisions that the cut journal lacks.
      const said = count(cut, 'decision_made');
      const house = shop([MILK, MILK, MILK, CONCLUDED].slice(said));
      const [first, ...rest] = cut;
      if (first === undefined) continue;
      await house.parts.journal.create(first.run, [first]);
      await house.parts.journal.append(first.run, 1, rest);
      const state = await house.drive(first.run);
      expect(house.toolbox.calls, `cut at ${end}`).toEqual([]);
      expect(state.end, `cut at ${end}`).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    }
  });
});

describe('what may be repeated', () => {
  it('two equal writes within one list', async () => {
    const house = shop([list(add('milk'), add('milk')), ANSWER]);
    const state = await house.run('add two milks', undefined, NEVER);
    expect([house.toolbox.effects('shop.add'), state.end?.outcome]).toEqual([2, 'answered']);
  });

  it('more of the same in one list, after the warning', async () => {
    const more = list(add('milk'), add('milk'));
    const house = shop([MILK, MILK, more, ANSWER]);
    const state = await house.run('add three milks', undefined, NEVER);
    expect([house.toolbox.effects('shop.add'), state.end?.outcome]).toEqual([3, 'answered']);
  });

  it('what a mind repeats after something new has succeeded in between', async () => {
    const forward = list(one('shop.add', { go: 'forward' }));
    const turn = list(one('shop.add', { go: 'left' }));
    const house = shop([forward, turn, forward, forward, ANSWER]);
    const state = await house.run('go', undefined, NEVER);
    expect([house.toolbox.effects('shop.add'), state.end?.outcome]).toEqual([3, 'answered']);
  });

  it('a call among new ones, where something new has succeeded in between', async () => {
    const cd = one('shop.add', { cd: 'documents' });
    const house = shop([list(cd, add('a')), list(add('b')), list(cd, add('c')), ANSWER]);
    const run = await house.start('go', undefined, NEVER);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(await rejections(house, run)).toEqual([]);
  });

  it('a call among new ones of a list that is sent again at once is told first', async () => {
    const house = shop([list(add('a'), add('b')), list(add('a'), add('c')), list(add('c')), ANSWER]);
    await house.run('go', undefined, NEVER);
    expect(house.toolbox.effects('shop.add')).toBe(3);
  });

  it('but not forever: two lists of writes that take turns end', async () => {
    const [a, b] = [MILK, list(add('bread'))];
    const house = shop([a, b, a, a, b, b, CONCLUDED]);
    const state = await house.run('go', undefined, NEVER);
    expect(house.toolbox.effects('shop.add')).toBe(3);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('reads, and the plan that the user gave', async () => {
    const look = list(one('shop.look'));
    const house = shop([look, look, ANSWER, ANSWER]);
    expect((await house.run('go', undefined, NEVER)).end?.outcome).toBe('answered');
    expect(house.toolbox.calls).toHaveLength(2);
    const milk = { operation: 'shop.add', args: { item: 'milk' } };
    await house.run('go', [
      { id: 'a', ...milk },
      { id: 'b', ...milk },
    ]);
    expect(house.toolbox.effects('shop.add')).toBe(2);
  });

  it('neither a note nor raised limits switch it off', async () => {
    const house = shop([MILK, MILK, MILK, CONCLUDED, MILK, ANSWER]);
    const run = await house.start('add a milk', undefined, NEVER);
    await house.drive(run);
    await addBudget({ run, steps: 5 }, house.parts);
    await addNote({ run, text: 'go on' }, house.parts);
    const state = await house.drive(run);
    expect([house.toolbox.effects('shop.add'), state.end?.outcome]).toEqual([1, 'answered']);
    expect(await rejections(house, run)).toHaveLength(3);
  });
});

describe('a write whose arguments are known only when it starts', () => {
  const stuck = list(one('shop.look'), one('shop.add', { item: '${t1.item}' }));

  it('needs approval before it is made again', async () => {
    const house = createHouse(TOOLS, [stuck, stuck, ANSWER], { check: createSchemaCheck() });
    const run = await house.start('go', undefined, { mode: 'planned', approval: 'destructive' });
    await house.drive(run);
    const [question] = await openQuestions(house, run);
    expect(question?.question).toMatchObject({
      kind: 'approval',
      text: 'Approve shop.add again? (write) t2 already made the same call and succeeded.',
    });
    expect(house.toolbox.effects('shop.add')).toBe(1);
    await approve({ run }, house.parts);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.effects('shop.add')).toBe(2);
  });

  it('fails, and is not called, if no user can be asked', async () => {
    const house = shop([stuck, stuck, stuck, stuck, CONCLUDED]);
    const run = await house.start('go', undefined, { mode: 'planned', approval: 'never' });
    const state = await house.drive(run);
    expect(house.toolbox.effects('shop.add')).toBe(1);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    const failures = (await house.events(run)).flatMap((event) =>
      event.type === 'task_failed' ? [event.data.failure.message] : [],
    );
    expect(failures[0]).toMatch(/^Not called again: t2 already called shop\.add/);
  });

  it('is made if the read before it returns something else', async () => {
    let n = 0;
    const tools = { ...TOOLS, 'shop.look': { run: () => ({ item: `item ${n++}` }) } };
    const house = shop([stuck, stuck, stuck, ANSWER], tools);
    const run = await house.start('go', undefined, { mode: 'planned', approval: 'never' });
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.effects('shop.add')).toBe(3);
    expect(count(await house.events(run), 'plan_rejected')).toBe(0);
  });
});
