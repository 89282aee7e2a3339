import { describe, expect, it } from 'vitest';
import { pauseRun } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import { decide } from '../../src/run/decide.ts';
import { apply } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { report } from '../../src/views/report.ts';
import { growth, LINEAR } from '../plan/growth.ts';
import { answers, journalFrom, started } from '../run/facts.ts';
import { count, createHouse, DONE, type House, task } from './house.ts';

const HOUR = 3_600_000;
const EXPIRING: Partial<Settings> = { questions: { expireAfter: HOUR, whenExpired: 'decline' } };
const check = createSchemaCheck();

const WHICH: CallOutcome = {
  kind: 'ambiguous',
  question: 'Which milk?',
  options: [
    { label: 'whole', value: 1, args: { item: 'm1' } },
    { label: 'skimmed', value: 2, args: { item: 'm2' } },
  ],
};
const TAKE = { run: ({ item }: JsonObject) => (item === 'milk' ? WHICH : 'taken') };

async function last(house: House, run: string) {
  return (await house.events(run)).at(-1);
}

describe('a question that expires', () => {
  it('says until when it can be answered, and then takes its default, even after days without a driver', async () => {
    const house = createHouse(
      { 'shop.take': { run: ({ item }) => (item === 'milk' ? { ...WHICH, default: 2 } : 'taken') } },
      DONE,
      { check },
    );
    const run = await house.start('go', [task('m', 'shop.take', { args: { item: 'milk' } })], EXPIRING);
    const waiting = await house.drive(run);
    const { askedAt, question } = waiting.questions.get('q1') ?? {};
    expect(question?.expiresAt).toBe((askedAt ?? 0) + HOUR);
    await house.clock.advance(48 * HOUR);
    const state = await house.drive(run);
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({ item: 'm2' });
    expect(state.end?.outcome).toBe('answered');
    // The days of waiting are not the run's.
    expect(state.activeMs).toBeLessThan(HOUR);
  });

  it.each([
    ['decline', 'failed', 'Expired without an answer: Which milk?'],
    ['cancel', 'cancelled', 'Expired without an answer: Which milk?'],
  ] as const)('without a default counts as the settings say: %s', async (whenExpired, outcome, message) => {
    const house = createHouse({ 'shop.take': TAKE }, DONE);
    const run = await house.start('go', [task('m', 'shop.take', { args: { item: 'milk' } })], {
      questions: { expireAfter: HOUR, whenExpired },
    });
    await house.drive(run);
    await house.clock.advance(HOUR);
    expect((await house.drive(run)).end).toMatchObject({ outcome, failure: { message } });
  });

  it('is not waited for by a driver that has nothing else to do, but wakes one that has', async () => {
    const house = createHouse({ 'shop.take': TAKE, 'other.get': { takes: 3 * HOUR } }, DONE);
    const alone = await house.start('go', [task('m', 'shop.take', { args: { item: 'milk' } })], EXPIRING);
    const before = house.clock.now();
    await house.drive(alone);
    expect(house.clock.now()).toBe(before);
    const tasks = [
      task('m', 'shop.take', { args: { item: 'milk' } }),
      task('o', 'other.get', { timeoutMs: 9 * HOUR }),
    ];
    const run = await house.start('go', tasks, {
      ...EXPIRING,
      limits: { steps: 9, calls: 9, tasks: 9, time: 24 * HOUR },
    });
    const driving = drive(run, house.parts);
    await house.clock.advance(HOUR + 1);
    expect(count(await house.events(run), 'question_expired')).toBe(1);
    expect((await house.clock.runUntil(driving)).tasks.get('o')?.status).toBe('succeeded');
  });

  it('is refused if it comes too late, even before a driver has noticed the expiry', async () => {
    const house = createHouse({ 'shop.take': TAKE }, DONE);
    const run = await house.start(
      'go',
      [
        task('m', 'shop.take', { args: { item: 'milk' } }),
        task('n', 'shop.take', { args: { item: 'milk' } }),
      ],
      EXPIRING,
    );
    await house.drive(run);
    await house.clock.advance(HOUR - 1);
    await house.answer(run, 'q1', 1);
    await house.clock.advance(1);
    await expect(house.answer(run, 'q2', 1)).rejects.toMatchObject({ code: 'question-expired' });
    expect((await last(house, run))?.type).toBe('question_answered');
    await pauseRun({ run }, house.parts);
    await house.drive(run);
    expect((await last(house, run))?.type).toBe('answer_applied');
    await expect(house.answer(run, 'q2', 1)).rejects.toMatchObject({ code: 'question-expired' });
  });

  it('of the mind is told to it, and the run goes on with a decision', async () => {
    const house = createHouse({}, [
      [{ operation: 'ask', args: { question: 'Which colour?' } }],
      ({ state }) => [
        { operation: 'answer', args: { text: JSON.stringify(state.questions.get('q1')?.answer?.isExpired) } },
      ],
    ]);
    const run = await house.start('paint', undefined, EXPIRING);
    await house.drive(run);
    await house.clock.advance(HOUR);
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'answered', answer: 'true' });
  });
});

describe('what is asked of a person', () => {
  const form = {
    type: 'object',
    properties: { size: { type: 'string', enum: ['s', 'l'] }, count: { type: 'integer', minimum: 1 } },
    required: ['size', 'count'],
  };
  const wanted: CallOutcome = { kind: 'ambiguous', question: 'Which?', options: [], form };

  it.each([
    ['is no schema', { type: 'object', properties: { a: { type: 'nmber' } } }],
    ['is of no object, whose fields could become arguments', { type: 'integer' }],
  ])('fails where its form %s: no answer could fit it', async (_, unusable) => {
    const house = createHouse({ 'shop.order': { run: () => ({ ...wanted, form: unusable }) } }, DONE, {
      check: createSchemaCheck(),
    });
    const state = await house.run('go', [task('b', 'shop.order')]);
    expect(state.questions.size).toBe(0);
    expect(state.tasks.get('b')?.failure).toMatchObject({
      kind: 'invalid_result',
      message: expect.stringContaining("The form of the tool's question can't be used"),
    });
  });

  it('may be a form: each wrong field is named, and the fields become arguments', async () => {
    const house = createHouse(
      { 'shop.buy': { effect: 'write', run: ({ size }) => (size === undefined ? wanted : 'bought') } },
      DONE,
      { check },
    );
    const run = await house.start('go', [task('b', 'shop.buy', { args: { what: 'shirt' } })]);
    expect(report(await house.drive(run)).questions).toMatchObject([
      { id: 'q1', form, context: { args: { what: 'shirt' } }, blocks: ['b'] },
    ]);
    await expect(house.answer(run, 'q1', { size: 'm', count: 0, other: '${b.x}' })).rejects.toMatchObject({
      code: 'answer-invalid',
      message: expect.stringMatching(/size .*count /),
    });
    await house.answer(run, 'q1', { size: 'l', count: 2, note: '${b.x}' });
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    expect(house.toolbox.calls.at(-1)?.call.args).toEqual({
      what: 'shirt',
      size: 'l',
      count: 2,
      note: '${b.x}',
    });
  });

  it('may be answered only by the users who are named', async () => {
    const house = createHouse({ 'shop.take': TAKE }, DONE);
    const run = await house.start('go', [task('m', 'shop.take', { args: { item: 'milk' } })], {
      questions: { whenExpired: 'decline', answerers: ['anna'] },
    });
    await house.drive(run);
    for (const by of [undefined, 'bert'])
      await expect(house.answer(run, 'q1', 1, { by })).rejects.toMatchObject({ code: 'answer-not-allowed' });
    await expect(house.answer(run, 'q1', null, { by: 'bert', declined: true })).rejects.toMatchObject({
      code: 'answer-not-allowed',
    });
    await house.answer(run, 'q1', 1, { by: 'anna' });
    await expect(house.answer(run, 'q1', 2, { by: 'anna' })).rejects.toMatchObject({
      code: 'question-answered',
      message: 'The question q1 was already answered by anna: 1.',
    });
    await house.drive(run);
    await expect(house.answer(run, 'q1', 2, { by: 'anna' })).rejects.toMatchObject({ code: 'run-ended' });
  });

  it('may be declined with a comment: the task fails with it, and independent tasks continue', async () => {
    const house = createHouse({ 'shop.take': TAKE, 'other.get': {} }, DONE);
    const run = await house.start('go', [
      task('m', 'shop.take', { args: { item: 'milk' } }),
      task('n', 'other.get', { after: ['m'] }),
      task('o', 'other.get'),
    ]);
    expect(report(await house.drive(run)).questions[0]?.blocks).toEqual(['m', 'n']);
    await house.answer(run, 'q1', null, { declined: true, comment: 'no milk today' });
    const state = await house.drive(run);
    expect(state.tasks.get('m')?.failure).toMatchObject({
      kind: 'rejected',
      code: 'declined',
      params: { operation: 'shop.take', reason: 'no milk today' },
    });
    expect([...state.tasks.values()].map(({ status }) => status)).toEqual(['failed', 'blocked', 'succeeded']);
  });
});

describe('a step of another branch', () => {
  it('is planned and done while a question is open, and the run does not end before the answer', async () => {
    const house = createHouse({ 'shop.take': TAKE, 'other.get': {} }, [
      [
        { operation: 'shop.take', id: 'm', args: { item: 'milk' } },
        { operation: 'task.generate_list', id: 's', args: { purpose: 'the rest' } },
      ],
      [{ operation: 'other.get', id: 'o', step: 's' }],
      [{ operation: 'answer', args: { text: 'done' } }],
    ]);
    const run = await house.start('go', undefined, { mode: 'hierarchical' });
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('o')?.status).toBe('succeeded');
    expect(waiting.end).toBeUndefined();
    expect(waiting.indexes.openQuestions).toBe(1);
    await house.answer(run, 'q1', 1);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    house.mind.verify();
  });
});

describe('a list that is written while a question is open', () => {
  const script = (tool: string): ScriptedAction[][] => [
    [
      {
        operation: 'plan.propose',
        args: {
          steps: [
            {
              id: 's1',
              description: 'the milk',
              tasks: [
                { id: 'm', operation: 'shop.take', args: { item: 'milk' } },
                { id: 'u', operation: 'other.get', args: { of: '${m}' } },
              ],
            },
            { id: 's2', description: 'the rest' },
          ],
        },
      },
    ],
    [{ operation: tool, id: 'o', step: 's2' }],
    [{ operation: 'answer', args: { text: 'done' } }],
  ];
  const TOOLS = { 'shop.take': TAKE, 'shop.clear': { effect: 'write' as const }, 'other.get': {} };

  it('may refer to the task that waits', async () => {
    const house = createHouse(TOOLS, script('other.get'));
    const run = await house.start('go', undefined, { mode: 'hierarchical' });
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('o')?.status).toBe('succeeded');
    expect(waiting.tasks.get('u')?.status).toBe('pending');
    await house.answer(run, 'q1', 1);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(state.tasks.get('u')?.status).toBe('succeeded');
    expect(count(await house.events(run), 'plan_rejected')).toBe(0);
  });

  it('keeps the written order: tasks on the same resource come after the task that waits', async () => {
    const house = createHouse(TOOLS, script('shop.clear'));
    const run = await house.start('go', undefined, { mode: 'hierarchical' });
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('o')?.status).toBe('pending');
    await house.answer(run, 'q1', 1);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
    const shop = house.toolbox.calls.map(({ call }) => call.operation).filter((name) => name !== 'other.get');
    expect(shop).toEqual(['shop.take', 'shop.take', 'shop.clear']);
  });
});

describe('a hundred questions at once', () => {
  it('are all open together, and all answered', async () => {
    const house = createHouse({ 'shop.take': { effect: 'read', run: TAKE.run } }, DONE);
    const tasks = Array.from({ length: 100 }, (_, index) =>
      task(`m${index}`, 'shop.take', { args: { item: 'milk' } }),
    );
    const run = await house.start('go', tasks, EXPIRING);
    const waiting = await house.drive(run);
    expect(waiting.indexes.openQuestions).toBe(100);
    for (const { id } of report(waiting).questions) await house.answer(run, id, 1);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(state.indexes.expiring.size).toBe(0);
    expect(house.toolbox.calls).toHaveLength(200);
  });

  it('cost no more each than a few', async () => {
    const ask = (id: number) => ({
      type: 'question_asked' as const,
      data: { question: { id: `q${id}`, kind: 'missing_input' as const, text: '?', expiresAt: 1e15 - id } },
    });
    const answerAll = (size: number) => {
      const facts = [
        started(),
        ...Array.from({ length: size }, (_, id) => ask(id)),
        ...Array.from({ length: size }, (_, id) => answers(`q${id}`, 'yes')),
      ];
      let state: RunState | undefined;
      for (const event of journalFrom(facts)) {
        state = apply(state, event);
        decide(state, event.at);
      }
      expect(state?.indexes.openQuestions).toBe(0);
    };
    expect(await growth(answerAll, 500)).toBeLessThan(LINEAR);
  });
});

describe('an approval of one call of a long plan', () => {
  it('names the ends of the plan, not each of its calls', async () => {
    const house = createHouse({ 'b.drop': { effect: 'destructive' } }, DONE);
    const after = (index: number) => (index === 0 ? {} : { after: [`t${index - 1}`] });
    const tasks = Array.from({ length: 400 }, (_, index) => task(`t${index}`, 'b.drop', after(index)));
    const run = await house.start('go', tasks, { approval: 'destructive' });
    const [asked] = report(await house.drive(run)).questions;
    const ends = [...Array.from({ length: 10 }, (_, index) => `t${index}`), '… (389)', 't399'];
    expect(asked?.context).toMatchObject({
      plan: { calls: 400, writes: 400, irreversible: ends, criticalPath: ends },
    });
    expect(JSON.stringify(asked?.context).length).toBeLessThan(1_000);
  });
});
