import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import type { Task } from '../../src/model/task.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { report } from '../../src/views/report.ts';
import { count, createHouse, DONE, task } from './house.ts';

const OFFERED: readonly Task[] = [
  task('t1', 'shop.order', { args: { item: 'oats' } }),
  task('t2', 'shop.make', { args: { from: '${t1.item}' } }),
];

function houseWith(tasks: readonly Task[]) {
  const which: CallOutcome = {
    kind: 'ambiguous',
    question: 'There is no milk. What then?',
    options: [
      { label: 'Make some', value: 'make', tasks: [...tasks] },
      { label: 'Take cream', value: 'cream', args: { item: 'cream' } },
    ],
  };
  return createHouse(
    {
      'kitchen.take': {
        effect: 'write',
        run: ({ item }) => (item === 'milk' ? which : { got: item as string }),
      },
      'shop.order': { effect: 'write', run: ({ item }) => ({ item: item as string }) },
      'shop.make': { effect: 'write', run: ({ from }) => ({ got: `${from as string} milk` }) },
      'kitchen.pour': { effect: 'write', run: (args: JsonObject) => args },
      'shop.pay': { effect: 'write', takes: 500 },
    },
    DONE,
  );
}

const PLAN = [
  task('t1', 'shop.pay'),
  task('m', 'kitchen.take', { args: { item: 'milk' } }),
  task('p', 'kitchen.pour', { args: { what: '${m.got}' } }),
];

describe('an option that has tasks', () => {
  it('replaces the task that asked: Refs to it get the result of the last task', async () => {
    const house = houseWith(OFFERED);
    const run = await house.start('go', PLAN);
    await house.drive(run);
    await house.answer(run, 'q1', 'make');
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    // The id t1 was in use, so that the offered one got another.
    expect([...state.tasks.keys()]).toEqual(['t1', 'm', 'p', 't1_2', 't2']);
    expect(state.tasks.get('p')?.result).toEqual({ value: { what: 'oats milk' } });
    expect(state.tasks.get('m')).toMatchObject({
      status: 'succeeded',
      result: { value: { got: 'oats milk' } },
    });
    expect(state.revisions).toMatchObject([{ by: 'user', changes: [{ kind: 'replace', task: 'm' }] }]);
  });

  it('keeps the order: they wait for a running write of the same server', async () => {
    const house = houseWith([task('x', 'shop.order', { args: { item: 'oats' } })]);
    const run = await house.start('go', [
      task('m', 'kitchen.take', { args: { item: 'milk' } }),
      task('w', 'shop.pay'),
    ]);
    const driving = house.drive(run);
    for (let turn = 0; (await house.events(run)).every(({ type }) => type !== 'question_asked'); turn++) {
      if (turn > 1000) throw new Error('nobody asked');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await house.answer(run, 'q1', 'make');
    const state = await driving;
    const [pay, order] = ['shop.pay', 'shop.order'].map((name) =>
      house.toolbox.calls.find(({ call }) => call.operation === name),
    );
    expect(state.end?.outcome).toBe('answered');
    expect(order?.startedAt).toBeGreaterThanOrEqual(pay?.endedAt ?? Number.POSITIVE_INFINITY);
  });

  it('that is invalid fails the task with a clear failure, and none of its calls is made', async () => {
    const house = houseWith([task('x', 'shop.order', { args: {} }), task('y', 'no.such')]);
    const run = await house.start('go', PLAN);
    await house.drive(run);
    await house.answer(run, 'q1', 'make');
    const state = await house.drive(run);
    expect(state.tasks.get('m')?.failure).toMatchObject({
      kind: 'plan_error',
      message: expect.stringContaining('The choice made instead of kitchen.take has problems: y: '),
    });
    expect(state.tasks.get('p')?.status).toBe('blocked');
    expect(state.tasks.get('t1')?.status).toBe('succeeded');
    expect(house.toolbox.effects('shop.order')).toBe(0);
    expect(state.end?.outcome).toBe('failed');
  });

  it('fails with the task that replaces it', async () => {
    const house = houseWith([task('x', 'shop.make', { args: { from: 'x' }, expect: 'got == `1`' })]);
    const run = await house.start('go', PLAN);
    await house.drive(run);
    await house.answer(run, 'q1', 'make');
    const state = await house.drive(run);
    expect([state.tasks.get('m')?.status, state.tasks.get('p')?.status]).toEqual(['failed', 'blocked']);
  });

  it('ends the same way after a crash after any event', async () => {
    const whole = houseWith(OFFERED);
    const run = await whole.start('go', PLAN);
    await whole.drive(run);
    await whole.answer(run, 'q1', 'make');
    await whole.drive(run);
    const events = await whole.events(run);
    for (let length = 3; length < events.length; length++) {
      const house = houseWith(OFFERED);
      await house.parts.journal.create(run, events.slice(0, length));
      let state = await house.drive(run);
      for (let times = 0; state.end === undefined && times < 5; times++) {
        for (const { id, kind } of report(state).questions)
          await house.answer(run, id, kind === 'in_doubt' ? 'again' : 'make');
        state = await house.drive(run);
      }
      expect(state.end?.outcome, `after ${length} events`).toBe('answered');
      expect(state.tasks.get('p')?.result).toEqual({ value: { what: 'oats milk' } });
      expect(count(await house.events(run), 'plan_revised')).toBe(1);
    }
  });
});
