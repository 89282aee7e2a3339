import { describe, expect, it } from 'vitest';
import { forkRun } from '../../src/history/fork.ts';
import { replayRun } from '../../src/history/replay.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryApprovals } from '../../src/store/standing-approvals.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { createHouse, type House } from './house.ts';

const MILKS = [
  { label: '低脂肪', args: { item: 1 } },
  { label: '成分無調整', args: { item: 2 } },
];

/** Two milks. Without an item the call is ambiguous; the preview then names one. */
function shelf(more: Partial<FunctionTool> = {}): FunctionTool {
  const resolve = ({ item }: JsonObject): CallOutcome | undefined =>
    item === undefined
      ? {
          kind: 'ambiguous',
          question: 'どの牛乳ですか？',
          options: MILKS.map(({ label, args }) => ({ label, args, value: label })),
        }
      : undefined;
  return {
    effect: 'destructive',
    preview: (args) =>
      resolve(args) ?? {
        summary: `${args.item === 1 ? '低脂肪' : '成分無調整'}を1本捨てます`,
        reversible: false,
      },
    run: (args) => resolve(args) ?? { removed: args.item ?? null },
    ...more,
  };
}

const OK = [{ operation: 'answer', args: { text: 'ok' } }];

const REMOVE = { id: 't1', operation: 'shelf.remove', args: { name: '牛乳' } };

function openOnes(state: RunState) {
  return [...state.questions.values()]
    .filter(({ answer }) => answer === undefined)
    .map(({ question }) => question);
}

function only(state: RunState) {
  const [question, ...others] = openOnes(state);
  expect(others).toEqual([]);
  if (question === undefined) throw new Error('no question is open');
  return question;
}

async function start(house: House, args: JsonObject = { name: '牛乳' }): Promise<string> {
  return house.start('牛乳を捨てて', [{ ...REMOVE, args }], { approval: 'destructive' });
}

const previewsMade = ({ toolbox }: House) =>
  toolbox.calls.filter(({ call }) => call.preview !== undefined).length;

describe('a preview before an approval', () => {
  it('asks which one first, and then for one approval with the text of the tool', async () => {
    const house = createHouse({ 'shelf.remove': shelf() }, [OK]);
    const run = await start(house);
    const first = only(await house.drive(run));
    expect(first).toMatchObject({ kind: 'ambiguity', text: 'どの牛乳ですか？', task: 't1' });
    await house.answer(run, first.id, '低脂肪');
    const second = only(await house.drive(run));
    expect(second).toMatchObject({
      kind: 'approval',
      text: '低脂肪を1本捨てます。承認しますか？（shelf.remove、取り消し不可）',
      context: {
        operation: 'shelf.remove',
        args: { name: '牛乳', item: 1 },
        preview: { summary: '低脂肪を1本捨てます', reversible: false },
      },
    });
    expect(house.toolbox.effects('shelf.remove')).toBe(0);
    await house.answer(run, second.id, 'approve');
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(state.tasks.get('t1')?.sent).toEqual({ name: '牛乳', item: 1 });
    expect(state.questions.size).toBe(2);
    expect(house.toolbox.effects('shelf.remove')).toBe(1);
    expect(
      (await house.events(run)).map(({ type }) => type).filter((type) => type.startsWith('preview')),
    ).toEqual(['preview_started', 'preview_ended', 'preview_started', 'preview_ended']);
  });

  it('tells the tool that it is a preview and in which language, and asks no question meanwhile', async () => {
    const house = createHouse({ 'shelf.remove': shelf() });
    await house.drive(await start(house, { item: 1 }));
    const [made] = house.toolbox.calls;
    expect(made?.call).toMatchObject({ preview: true, language: 'ja' });
    expect(made?.call.elicit).toBeUndefined();
    expect(made?.call.inner).toBeUndefined();
  });

  it('asks and calls in the language of the last answer', async () => {
    const asks: FunctionTool = {
      effect: 'read',
      run: ({ item }, { language }): Json | CallOutcome => {
        if (item !== undefined) return { item };
        const question = language === 'ja' ? 'どの牛乳ですか？' : 'Which milk?';
        return { kind: 'ambiguous', question, options: [{ label: 'low-fat', args: { item: 1 }, value: 1 }] };
      },
    };
    const house = createHouse({ 'shelf.find': asks }, [OK]);
    const run = await house.start('牛乳を探して', [{ id: 't1', operation: 'shelf.find', args: {} }]);
    const first = only(await house.drive(run));
    expect(first.text).toBe('どの牛乳ですか？');
    await house.answer(run, first.id, 1, { language: 'en' });
    await house.drive(run);
    expect(house.toolbox.calls.map(({ call }) => call.language)).toEqual(['ja', 'en']);
  });

  it('calls with the exact arguments that the preview names', async () => {
    const exact = shelf({ preview: () => ({ summary: 'Remove it', args: { item: 2 } }) });
    const house = createHouse({ 'shelf.remove': exact }, [OK]);
    const run = await start(house);
    const asked = only(await house.drive(run));
    expect(asked.context).toMatchObject({ args: { name: '牛乳', item: 2 } });
    await house.answer(run, asked.id, 'approve');
    expect((await house.drive(run)).tasks.get('t1')?.sent).toEqual({ name: '牛乳', item: 2 });
  });

  it('never takes the text of a preview for a Ref', async () => {
    const exact = shelf({ preview: () => ({ summary: 'x', args: { item: '${t1.secret}' } }) });
    const house = createHouse({ 'shelf.remove': exact }, [OK]);
    const run = await start(house);
    await house.answer(run, only(await house.drive(run)).id, 'approve');
    expect((await house.drive(run)).tasks.get('t1')?.sent).toEqual({ name: '牛乳', item: '${t1.secret}' });
  });

  it.each<[string, FunctionTool['preview']]>([
    [
      'cannot be made now',
      () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'busy', retryable: true } }),
    ],
    ['has no server', () => ({ kind: 'failed', failure: { kind: 'unavailable', message: 'not running' } })],
    ['is lost', () => ({ kind: 'lost', cause: 'connection_lost', message: 'gone' })],
    ['throws', () => Promise.reject(new Error('broken'))],
    ['says nothing', () => null],
    ['has no words', () => ({ summary: '  ' })],
    ['has the wrong form', () => ({ summary: 7 })],
    ['asks for input', () => ({ kind: 'input_wanted', requests: [{ text: 'password?' }] })],
    ['names arguments that do not fit', () => ({ summary: 'x', args: { item: 'two' } })],
  ])('asks with the arguments as they are if the preview %s', async (_, preview) => {
    const inputSchema = { type: 'object', properties: { item: { type: 'integer' } } };
    const tool = shelf({ preview: preview as NonNullable<FunctionTool['preview']>, inputSchema });
    const house = createHouse({ 'shelf.remove': tool }, [], { check: createSchemaCheck() });
    const asked = only(await house.drive(await start(house, { item: 1 })));
    expect(asked).toMatchObject({
      kind: 'approval',
      text: 'shelf.remove を承認しますか？（取り消し不可）',
      context: { args: { item: 1 }, previewFailed: expect.any(String) },
    });
    expect(asked.context).not.toHaveProperty('preview');
    expect(house.toolbox.effects('shelf.remove')).toBe(0);
  });

  it('does not ask about a call that cannot succeed: the task fails and the model is told why', async () => {
    const failure = { kind: 'tool_error', message: 'there is no 牛乳' } as const;
    const empty = shelf({ preview: () => ({ kind: 'failed', failure }) });
    const house = createHouse({ 'shelf.remove': empty }, [OK]);
    const run = await start(house);
    const state = await house.drive(run);
    expect([...state.questions.values()]).toEqual([]);
    expect(state.tasks.get('t1')).toMatchObject({ status: 'failed', failure, attempts: 0 });
    expect(state.end).toMatchObject({ answer: 'ok' });
    expect(house.toolbox.effects('shelf.remove')).toBe(0);
    expect((await replayRun(run, {}, house.parts)).differences).toEqual([]);
  });

  it('keeps the configured effect and one line, whatever the preview says', async () => {
    const lying = shelf({ preview: () => ({ summary: 'Reads\n\n  nothing else', reversible: true }) });
    const house = createHouse({ 'shelf.remove': lying });
    const asked = only(await house.drive(await start(house, { item: 1 })));
    expect(asked.text).toBe('Reads nothing else。承認しますか？（shelf.remove、取り消し不可）');
    expect(asked.context).toMatchObject({ effect: 'destructive', args: { item: 1 } });
  });

  it('makes no preview of a call that needs no approval', async () => {
    const house = createHouse({ 'shelf.remove': shelf() }, [OK]);
    const run = await house.start('x', [{ ...REMOVE, args: { item: 1 } }], { approval: 'never' });
    await house.drive(run);
    expect(previewsMade(house)).toBe(0);
  });

  it('makes the preview again after a crash in the middle, and the call only once', async () => {
    const house = createHouse({ 'shelf.remove': shelf() }, [OK]);
    const run = await start(house);
    await house.answer(run, only(await house.drive(run)).id, '低脂肪');
    const asked = only(await house.drive(run));
    await house.answer(run, asked.id, 'approve');
    await house.drive(run);
    const events = await house.events(run);
    for (let seq = 2; seq < events.length; seq++) {
      const crashed = createHouse({ 'shelf.remove': shelf() }, [OK]);
      await crashed.parts.journal.create(run, events.slice(0, 1));
      if (seq > 1) await crashed.parts.journal.append(run, 1, events.slice(1, seq));
      let state = await crashed.drive(run);
      for (let question = openOnes(state)[0]; question !== undefined; question = openOnes(state)[0]) {
        const answer: Json =
          question.kind === 'in_doubt' ? 'happened' : question.kind === 'approval' ? 'approve' : '低脂肪';
        await crashed.answer(run, question.id, answer);
        state = await crashed.drive(run);
      }
      expect(state.end?.outcome).toBe('answered');
      expect(state.tasks.get('t1')?.sent).toEqual({ name: '牛乳', item: 1 });
      expect(crashed.toolbox.effects('shelf.remove')).toBeLessThanOrEqual(1);
    }
  });

  it('is not repeated by a replay, and a fork asks about the other choice', async () => {
    const house = createHouse({ 'shelf.remove': shelf() }, [OK, OK]);
    const run = await start(house);
    const first = only(await house.drive(run));
    await house.answer(run, first.id, '低脂肪');
    await house.drive(run);
    const made = previewsMade(house);
    expect((await replayRun(run, {}, house.parts)).differences).toEqual([]);
    expect(previewsMade(house)).toBe(made);
    const asked = (await house.events(run)).find(({ type }) => type === 'question_asked');
    const { run: fork } = await forkRun(run, { at: asked?.seq ?? 0 }, house.parts);
    await house.answer(fork, only(await house.drive(fork)).id, '成分無調整');
    expect(only(await house.drive(fork)).text).toContain('成分無調整を1本捨てます');
  });

  it('makes at most as many previews at once as calls', async () => {
    let most = 0;
    let now = 0;
    const slow = shelf({
      preview: async (_, { signal }) => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve());
          setImmediate(resolve);
        });
        now--;
        return { summary: 'Remove it' };
      },
    });
    const house = createHouse({ 'shelf.remove': slow });
    const tasks = Array.from({ length: 12 }, (_, index) => ({
      ...REMOVE,
      id: `t${index}`,
      args: { item: index },
    }));
    const run = await house.start('x', tasks, { approval: 'destructive', concurrency: 3 });
    const state = await house.drive(run);
    expect(openOnes(state)).toHaveLength(1);
    expect(most).toBeLessThanOrEqual(3);
  });
});

describe('an approval for more than one call', () => {
  const two = [
    { ...REMOVE, args: { item: 1 } },
    { ...REMOVE, id: 't2', args: { item: 2 } },
  ];

  it('covers the later calls of the tool in this run, and says so in the journal', async () => {
    const house = createHouse({ 'shelf.remove': shelf() }, [OK]);
    const run = await house.start('x', two, { approval: 'destructive' });
    await house.answer(run, only(await house.drive(run)).id, 'approve_for_run');
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(state.questions.size).toBe(1);
    expect((await house.events(run)).find(({ type }) => type === 'call_approved')?.data).toMatchObject({
      task: 't2',
      question: 'q1',
    });
  });

  it.each([
    ['approve_tool_always', true],
    ['approve_call_always', false],
  ])('%s covers other arguments: %s', async (answer, isCovered) => {
    const approvals = createMemoryApprovals();
    const house = createHouse({ 'shelf.remove': shelf() }, [OK, OK, OK], {
      approvals,
    });
    const run = await house.start('x', two.slice(0, 1), { approval: 'destructive' });
    await house.answer(run, only(await house.drive(run)).id, answer);
    await house.drive(run);
    const [kept] = await approvals.list(undefined);
    expect(kept).toMatchObject({ operation: 'shelf.remove', effect: 'destructive', run });
    expect(kept?.args).toEqual(isCovered ? undefined : { item: 1 });
    const same = await house.run('x', two.slice(0, 1), { approval: 'destructive' });
    expect(same.questions.size).toBe(0);
    const other = await house.start('x', two.slice(1), { approval: 'destructive' });
    expect(openOnes(await house.drive(other))).toHaveLength(isCovered ? 0 : 1);
    await approvals.remove(undefined, kept?.id ?? '');
    const after = await house.start('x', two.slice(0, 1), { approval: 'destructive' });
    expect(openOnes(await house.drive(after))).toHaveLength(1);
  });

  it('does not cover another user, or a worse effect', async () => {
    const approvals = createMemoryApprovals();
    await approvals.add({ user: 'u-1', operation: 'shelf.remove', effect: 'destructive', at: 0, run: 'r' });
    await approvals.add({ operation: 'shelf.remove', effect: 'write', at: 0, run: 'r' });
    const house = createHouse({ 'shelf.remove': shelf() }, [], { approvals });
    const run = await house.start('x', two.slice(0, 1), { approval: 'destructive' });
    expect(only(await house.drive(run)).kind).toBe('approval');
  });

  it('is offered permanently only if there is a place to store it', async () => {
    const house = createHouse({ 'shelf.remove': shelf() });
    const run = await house.start('x', two.slice(0, 1), { approval: 'destructive' });
    const { options = [] } = only(await house.drive(run));
    expect(options.map(({ value }) => value)).toEqual(['approve', 'reject', 'approve_for_run']);
  });
});
