import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { rounds } from '../long.ts';
import { createHouse, DONE, task } from './house.ts';

const DURATIONS = [0, 1, 3, 10, 30];
const refused: CallOutcome = { kind: 'failed', failure: { kind: 'tool_error', message: 'no' } };

/** Every task is on one of two servers, takes its time, and leaves its name there if it is a write. */
const plans = fc.array(
  fc.record({
    server: fc.constantFrom('x', 'y'),
    isWrite: fc.boolean(),
    takes: fc.constantFrom(...DURATIONS),
    fails: fc.nat(3).map((one) => one === 0),
    needs: fc.array(fc.nat(11), { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 12 },
);
type Plan = typeof plans extends fc.Arbitrary<infer T> ? T : never;

function toTasks(plan: Plan) {
  return plan.map(({ server, isWrite, takes, fails, needs }, index) =>
    task(`t${index}`, `${server}.${isWrite ? 'write' : 'read'}${takes}`, {
      args: { fails },
      after: [...new Set(needs.filter((need) => need < index).map((need) => `t${need}`))],
    }),
  );
}

function createWorld() {
  const left: Record<string, string> = { x: '', y: '' };
  const seen: Record<string, string> = {};
  const tools: Record<string, FunctionTool> = {};
  const visit = (server: string, isWrite: boolean, call: { task: string; fails: boolean }): boolean => {
    seen[call.task] = left[server] ?? '';
    if (isWrite && !call.fails) left[server] += ` ${call.task}`;
    return !call.fails;
  };
  for (const server of ['x', 'y']) {
    for (const takes of DURATIONS) {
      for (const isWrite of [true, false]) {
        tools[`${server}.${isWrite ? 'write' : 'read'}${takes}`] = {
          takes,
          effect: isWrite ? 'write' : 'read',
          run: ({ fails }, call) =>
            visit(server, isWrite, { task: call.task, fails: fails === true }) ? 'ok' : refused,
        };
      }
    }
  }
  return { left, seen, tools, visit };
}

describe('a plan', () => {
  it('gives in parallel what its written order gives, whatever takes how long and whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const parallel = createWorld();
        const house = createHouse(parallel.tools, DONE);
        await house.run('go', toTasks(plan), { concurrency: 100 });
        const written = createWorld();
        const failed = new Set<number>();
        plan.forEach(({ server, isWrite, fails, needs }, index) => {
          const isBlocked = needs.some((need) => need < index && failed.has(need));
          if (isBlocked || !written.visit(server, isWrite, { task: `t${index}`, fails })) failed.add(index);
        });
        expect({ left: parallel.left, seen: parallel.seen }).toEqual({
          left: written.left,
          seen: written.seen,
        });
      }),
      { numRuns: rounds(300) },
    );
  });

  it('takes no longer than its longest path: everything starts as soon as its inputs are there', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const reads = plan.map((one) => ({ ...one, isWrite: false, fails: false }));
        const house = createHouse(createWorld().tools, DONE);
        const from = house.clock.now();
        await house.run('go', toTasks(reads), { concurrency: 100 });
        const ends: number[] = [];
        for (const [index, { takes, needs }] of reads.entries()) {
          ends.push(
            takes + Math.max(0, ...needs.filter((need) => need < index).map((need) => ends[need] ?? 0)),
          );
        }
        const last = Math.max(...house.toolbox.calls.map(({ endedAt }) => endedAt ?? Number.NaN));
        expect(last - from).toBe(Math.max(...ends));
      }),
      { numRuns: rounds(200) },
    );
  });

  it('D3: never has more calls out than allowed, and always as many as it can', async () => {
    const house = createHouse({ 'x.read': { takes: 10 } }, DONE);
    const tasks = Array.from({ length: 20 }, (_, index) => task(`t${index}`, 'x.read'));
    const from = house.clock.now();
    await house.run('go', tasks, { concurrency: 3 });
    const { calls } = house.toolbox;
    const outAt = (time: number) =>
      calls.filter(({ startedAt, endedAt }) => startedAt <= time && time < (endedAt ?? 0)).length;
    const moments = calls.map(({ startedAt }) => outAt(startedAt));
    expect(Math.max(...moments)).toBe(3);
    expect(Math.max(...calls.map(({ endedAt }) => endedAt ?? 0)) - from).toBe(70);
  });

  it('passes results on with their types', async () => {
    const house = createHouse(
      { 'a.get': { run: () => ({ n: 4, list: [1, 2] }) }, 'b.put': { effect: 'write', run: (args) => args } },
      DONE,
    );
    const state = await house.run('go', [
      task('g', 'a.get'),
      task('p', 'b.put', {
        args: { n: '${g.n}', sum: '${g | sum(list)}', text: 'n=${g.n}', literal: '$${g.n}' },
      }),
    ]);
    expect(state.tasks.get('p')?.result).toEqual({ value: { n: 4, sum: 3, text: 'n=4', literal: '${g.n}' } });
    expect(state.end?.outcome).toBe('answered');
  });

  it('does not call a tool with arguments that turn out not to fit, and says where they came from', async () => {
    const check = (_schema: object, value: unknown) =>
      typeof (value as { n?: unknown }).n === 'number'
        ? []
        : [{ path: ['n'], keyword: 'type', message: 'must be a number' }];
    const house = createHouse(
      { 'a.get': { run: () => ({ n: 'four' }) }, 'b.put': { effect: 'write' } },
      DONE,
      {
        check: (schema, value) =>
          JSON.stringify(value).includes('${') || !('n' in (value as object)) ? [] : check(schema, value),
      },
    );
    const state = await house.run('go', [task('g', 'a.get'), task('p', 'b.put', { args: { n: '${g.n}' } })]);
    expect(state.tasks.get('p')?.failure).toEqual({
      kind: 'invalid_args',
      message: 'Invalid arguments for b.put: n: must be a number (n from ${g.n}). The tool was not called.',
      code: 'not_fitting',
      params: { operation: 'b.put', problems: 'n: must be a number (n from ${g.n})' },
    });
    expect(house.toolbox.effects('b.put')).toBe(0);
  });

  it('a condition that is false for the result fails the task, and the tasks that need it are not called', async () => {
    const house = createHouse({ 'a.get': { run: () => ({ rows: [] }) }, 'b.put': { effect: 'write' } }, DONE);
    const state = await house.run('go', [
      task('g', 'a.get', { expect: 'length(rows) > `0`' }),
      task('p', 'b.put', { after: ['g'] }),
    ]);
    expect(state.tasks.get('g')?.failure).toEqual({
      kind: 'unexpected',
      message: 'Unexpected result: length(rows) > `0` is false. The result was {"rows":[]}',
      code: 'unexpected',
      params: { expect: 'length(rows) > `0`', found: 'false', result: '{"rows":[]}' },
    });
    expect(state.tasks.get('p')?.status).toBe('blocked');
    expect(state.end?.outcome).toBe('failed');
  });

  it('a condition that is true is no obstacle; one that breaks is told', async () => {
    const house = createHouse({ 'a.get': { run: () => ({ rows: [1], big: 'x'.repeat(5_000) }) } }, DONE);
    const state = await house.run('go', [
      task('ok', 'a.get', { expect: 'length(rows) == `1`' }),
      task('no', 'a.get', { expect: 'sum(big)' }),
      task('long', 'a.get', { expect: 'big' }),
    ]);
    expect(state.tasks.get('ok')?.status).toBe('succeeded');
    expect(state.tasks.get('no')?.failure?.kind).toBe('unexpected');
    expect(state.tasks.get('long')?.failure?.message.length).toBeLessThan(500);
  });
});

it('starts what a task frees by failing at its start before what is written later', async () => {
  const house = createHouse({
    'box.open': { run: () => ({}) },
    'disk.read': { run: () => 1 },
    'disk.write': { effect: 'write', resource: 'part:{part}', run: () => 1, takes: 10 },
    'mail.send': { effect: 'write', run: () => 1, takes: 10 },
  });
  const tasks = [
    task('open', 'box.open'),
    // The result has no key, so it fails before it is called. Until then both writes wait for it.
    task('read', 'disk.read', { args: { key: '${open.key}' } }),
    task('left', 'disk.write', { args: { part: 'left' } }),
    task('right', 'disk.write', { args: { part: 'right' } }),
    task('mail', 'mail.send', { after: ['open'] }),
  ];
  const run = await house.start('go', tasks, { concurrency: 2 });
  // Also proves by a replay that each start was intended then.
  await house.drive(run);
  const started = (await house.events(run)).flatMap((event) =>
    event.type === 'task_started' ? [event.data.task] : [],
  );
  expect(started).toEqual(['open', 'read', 'left', 'right', 'mail']);
});
