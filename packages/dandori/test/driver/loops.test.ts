import { describe, expect, it } from 'vitest';
import { addBudget, addNote } from '../../src/commands/steer.ts';
import { replayRun } from '../../src/history/replay.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply, ScriptedAction } from '../../src/testing/scripted-mind.ts';
import { createHouse, type House } from './house.ts';

const call = (operation: string, args = {}): ScriptedAction[] => [{ operation, args }];
const concluded: ScriptedAction[] = [{ operation: 'answer', args: { text: 'this far', achieved: false } }];
const failing: FunctionTool = {
  run: () => ({ kind: 'failed', failure: { kind: 'tool_error', message: 'no' } }) as never,
};
const ADAPTIVE = { mode: 'adaptive' as const };

interface Circle {
  readonly tools: Record<string, FunctionTool>;
  readonly turns: readonly ScriptedAction[][];
  readonly kind: string;
  /** How many turns come before the mind is told. */
  readonly told: number;
}

const CIRCLES: Record<string, Circle> = {
  'the same call with the same result': {
    tools: { 'a.get': { run: () => 1 } },
    turns: [call('a.get')],
    kind: 'same_result',
    told: 3,
  },
  'the same call that fails': {
    tools: { 'a.get': failing },
    turns: [call('a.get')],
    kind: 'same_failure',
    told: 2,
  },
  'two turns that take turns': {
    tools: { 'a.get': { run: () => 1 }, 'b.get': { run: () => 2 } },
    turns: [call('a.get'), call('b.get')],
    kind: 'ping_pong',
    told: 4,
  },
};

describe('a run that loops', () => {
  it.each(Object.entries(CIRCLES))(
    '%s: is warned once, then stopped',
    async (_, { tools, turns, kind, told }) => {
      const script: Reply[] = Array.from(
        { length: told + 1 },
        (__, index) => turns[index % turns.length] ?? [],
      );
      const house = createHouse(tools, [...script, concluded]);
      const state = await house.run('go', undefined, ADAPTIVE);
      expect(house.mind.thoughts.map(({ brief }) => brief?.loop?.kind)).toEqual([
        ...Array.from({ length: told }, () => undefined),
        kind,
        undefined,
      ]);
      expect(house.mind.thoughts.at(-1)?.purpose).toBe('conclude');
      expect(state.end).toMatchObject({ outcome: 'exhausted', answer: 'this far' });
      expect(state.end?.missing?.[0]).toMatch(/did the same again/);
    },
  );

  it('plan after plan without a success is warned once, and ended by a limit, not as a loop', async () => {
    const turns = Array.from({ length: 10 }, (_, n) => call('a.get', { n }));
    const house = createHouse({ 'a.get': failing }, [...turns, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    const told = house.mind.thoughts.flatMap(({ brief }, index) =>
      brief?.loop ? [[index, brief.loop.kind]] : [],
    );
    expect(told).toEqual([[3, 'no_progress']]);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'steps' });
  });

  it('a plan that only grows: steps within steps, and nothing is ever called', async () => {
    const open = (n: number): ScriptedAction[] => [
      { id: `s${n}`, operation: 'task.generate_list', args: { purpose: 'more' } },
    ];
    const house = createHouse({}, [open(1), open(2), open(3), open(4), concluded]);
    const state = await house.run('go');
    expect(house.mind.thoughts[3]?.brief?.loop).toEqual({
      kind: 'no_progress',
      tasks: ['s1', 's2', 's3'],
      circle: 'no_progress s1',
    });
    expect(house.mind.thoughts.at(-1)?.purpose).toBe('conclude');
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('continues if the mind does something else', async () => {
    const house = createHouse({ 'a.get': { run: () => 1 }, 'b.get': { run: () => 2 } }, [
      call('a.get'),
      call('a.get'),
      call('a.get'),
      call('b.get'),
      [{ operation: 'answer', args: { text: 'found' } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts[3]?.brief?.loop?.kind).toBe('same_result');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'found' });
  });

  it('is no loop if the results differ, or if one list makes a call twice', async () => {
    let n = 0;
    const house = createHouse({ 'a.get': { run: () => n++ }, 'b.get': { run: () => 1 } }, [
      ...[1, 2, 3, 4, 5].map(() => call('a.get')),
      [...call('b.get'), ...call('b.get'), ...call('b.get')].map((one, index) => ({
        ...one,
        id: `b${index}`,
      })),
      [{ operation: 'answer', args: { text: 'ok' } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts.every(({ brief }) => brief?.loop === undefined)).toBe(true);
    expect(state.end?.outcome).toBe('answered');
  });

  it('is warned again, not stopped, if the mind did not get the warning', async () => {
    const house = createHouse({ 'a.get': failing }, [
      call('a.get'),
      call('a.get'),
      { kind: 'failed', failure: { kind: 'model_error', message: 'busy', retryable: true } },
      [{ operation: 'answer', args: { text: 'it is closed', achieved: true } }],
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(house.mind.thoughts[3]?.brief?.loop?.kind).toBe('same_failure');
    expect(state.end?.outcome).toBe('answered');
  });
});

const answered: ScriptedAction[] = [{ operation: 'answer', args: { text: 'found' } }];

/** Fails for all but these. */
const only = (...good: readonly number[]): FunctionTool => ({
  run: ({ n }) =>
    good.includes(Number(n))
      ? `booked ${n}`
      : ({ kind: 'failed', failure: { kind: 'tool_error', message: `no seat ${n}` } } as never),
});

const toldOf = ({ mind }: House) =>
  mind.thoughts.flatMap(({ brief }, index) =>
    brief?.loop === undefined ? [] : [[index + 1, brief.loop.circle]],
  );

describe('each loop is reported once, and only the same one again ends the run', () => {
  it('does not end a run that does something else, though that fails too', async () => {
    const book = (n: number) => call('air.book', { n });
    const house = createHouse({ 'air.book': only(30) }, [book(1), book(1), book(2), book(30), answered]);
    const state = await house.run('book a seat', undefined, ADAPTIVE);
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'found' });
    expect(toldOf(house)).toEqual([
      [3, 'same_failure t1'],
      [4, 'no_progress t1'],
    ]);
  });

  it('lets a search fail as often as the limits allow', async () => {
    const tries = [1, 1, 2, 3, 4, 5, 6, 30].map((n) => call('air.book', { n }));
    const house = createHouse({ 'air.book': only(30) }, [...tries, answered]);
    expect((await house.run('book a seat', undefined, ADAPTIVE)).end?.outcome).toBe('answered');
  });

  it('reports a new loop first, however many successes after the first one', async () => {
    const good = Array.from({ length: 10 }, (_, n) => call('air.book', { n: 100 + n }));
    const house = createHouse({ 'air.book': only(...good.map((_, n) => 100 + n)), 'b.get': failing }, [
      call('air.book', { n: 1 }),
      call('air.book', { n: 1 }),
      ...good,
      ...repeat(2, call('b.get')),
      answered,
    ]);
    const settings = { ...ADAPTIVE, limits: { steps: 50, calls: 50, tasks: 100, time: 600_000 } };
    const state = await house.run('go', undefined, settings);
    expect(toldOf(house).map(([, circle]) => circle)).toEqual(['same_failure t1', 'same_failure t1_13']);
    expect(state.end?.outcome).toBe('answered');
  });

  it('reports the same loop again if something new succeeded since', async () => {
    const [bad, good] = [call('air.book', { n: 1 }), call('air.book', { n: 30 })];
    const house = createHouse({ 'air.book': only(30) }, [bad, bad, good, bad, bad, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(toldOf(house).map(([decision]) => decision)).toEqual([3, 5]);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    expect(house.toolbox.calls).toHaveLength(5);
  });

  it('recognizes a failing call in any order of its arguments', async () => {
    const one = call('air.book', { n: 1, seat: { row: 2, place: 'a' } });
    const other = call('air.book', { seat: { place: 'a', row: 2 }, n: 1 });
    const house = createHouse({ 'air.book': failing }, [one, other, one, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    expect(house.toolbox.calls).toHaveLength(3);
  });

  it('two failing calls that take turns are two loops, each reported before one of them ends the run', async () => {
    const [one, other] = [call('air.book', { n: 1 }), call('air.book', { n: 2 })];
    const house = createHouse({ 'air.book': failing }, [one, other, one, other, one, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(toldOf(house).map(([, circle]) => circle)).toEqual(['same_failure t1', 'same_failure t1_2']);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('two reads that take turns end as the loop that was reported, whichever comes next', async () => {
    const tools = { 'a.get': { run: () => 1 }, 'b.get': { run: () => 2 } };
    const [one, other] = [call('a.get'), call('b.get')];
    const house = createHouse(tools, [one, other, one, other, one, concluded]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(toldOf(house)).toEqual([[5, 'ping_pong t1']]);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('three reads that take turns are reported, and end the run, however long it is', async () => {
    const turns = Array.from({ length: 40 }, (_, index) => call('a.get', { n: index % 3 }));
    const house = createHouse({ 'a.get': { run: () => 1 } }, [...turns.slice(0, 12), concluded]);
    const state = await house.run('go', undefined, {
      ...ADAPTIVE,
      limits: { steps: 50, calls: 90, tasks: 100, time: 600_000 },
    });
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
  });

  it('a status that changes is progress; one that never changes is reported once, then ends the run', async () => {
    const states = ['waiting', 'waiting', 'waiting', 'running', 'running', 'running', 'running', 'running'];
    let polls = 0;
    const poll = call('job.status');
    const house = createHouse({ 'job.status': { run: () => states[polls++] ?? 'running' } }, [
      ...repeat(7, poll),
      concluded,
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(toldOf(house)).toEqual([
      [4, 'same_result t1'],
      [7, 'same_result t1_4'],
    ]);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    expect(polls).toBe(7);
  });

  it('reading the same thing between pieces of work is no loop', async () => {
    const work = [1, 2, 3, 4].flatMap((n) => [call('b.get', { n }), call('a.get')]);
    const house = createHouse({ 'a.get': { run: () => 1 }, 'b.get': { run: ({ n }) => n ?? 0 } }, [
      ...work,
      answered,
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect([toldOf(house), state.end?.outcome]).toEqual([[], 'answered']);
  });

  it('does not end a run whose next list was refused by the compiler: nothing was done again', async () => {
    const bad = call('air.book', { n: 1 });
    const house = createHouse({ 'air.book': only(30) }, [
      bad,
      bad,
      call('nowhere.nothing'),
      call('air.book', { n: 30 }),
      answered,
    ]);
    const state = await house.run('go', undefined, ADAPTIVE);
    expect(state.end).toMatchObject({ outcome: 'answered' });
    expect(toldOf(house)).toEqual([[3, 'same_failure t1']]);
  });

  it('the same read in two steps of a plan is no loop; within one step it is', async () => {
    const step = (id: string): ScriptedAction => ({
      id,
      operation: 'task.generate_list',
      args: { purpose: id },
    });
    const look = (of: string): ScriptedAction[] => [
      { id: `look_${of}`, operation: 'a.get', args: {}, step: of },
    ];
    const house = createHouse({ 'a.get': { run: () => 1 } }, [
      [step('s1'), { ...step('s2'), after: ['s1'] }, { ...step('s3'), after: ['s2'] }],
      look('s1'),
      look('s2'),
      look('s3'),
      answered,
    ]);
    const state = await house.run('go', undefined, { mode: 'hierarchical' });
    expect([toldOf(house), state.end?.outcome]).toEqual([[], 'answered']);
  });

  it('begins to count again with a note of the user', async () => {
    const bad = call('air.book', { n: 1 });
    const house = createHouse({ 'air.book': failing }, [...repeat(6, bad), concluded]);
    const run = await house.start('go', undefined, ADAPTIVE);
    // The third decision is told; the user speaks before it has acted.
    let decisions = 0;
    const mind: House['mind'] = {
      ...house.mind,
      async think(thought) {
        if (++decisions === 3) await addNote({ run, text: 'try once more' }, house.parts);
        return house.mind.think(thought);
      },
    };
    const state = await house.drive(run, { mind });
    expect(toldOf(house).map(([decision]) => decision)).toEqual([3, 6]);
    expect(state.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    expect(house.toolbox.calls).toHaveLength(6);
  });

  it('begins to count again with an answer of the user, and with raised limits', async () => {
    const bad = call('air.book', { n: 1 });
    const ask: ScriptedAction[] = [{ operation: 'ask', args: { question: 'Once more?' } }];
    const house = createHouse({ 'air.book': failing }, [
      bad,
      bad,
      ask,
      ...repeat(3, bad),
      concluded,
      bad,
      answered,
    ]);
    const run = await house.start('go', undefined, ADAPTIVE);
    await house.drive(run);
    await house.answer(run, 'q1', 'yes');
    const ended = await house.drive(run);
    expect(toldOf(house).map(([decision]) => decision)).toEqual([3, 6]);
    expect(ended.end).toMatchObject({ outcome: 'exhausted', limit: 'loop' });
    await addBudget({ run, steps: 5 }, house.parts);
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'answered' });
  });

  it('a journal of the version that reported one loop per run is verified by its own rule', async () => {
    const house = createHouse({ 'air.book': failing }, [
      call('air.book', { n: 1 }),
      call('air.book', { n: 1 }),
      call('air.book', { n: 1 }),
      concluded,
    ]);
    const run = await house.start('go', undefined, ADAPTIVE);
    await house.drive(run);
    const events = await house.events(run);
    const old = events.map((event) => {
      if (event.type !== 'decision_started' || event.data.brief?.loop === undefined) return event;
      const { circle: _, ...loop } = event.data.brief.loop;
      return { ...event, data: { ...event.data, brief: { ...event.data.brief, loop } } };
    });
    const journal = { ...house.parts.journal, read: async () => old };
    const replayed = await replayRun(run, {}, { ...house.parts, journal });
    expect(replayed.differences).toEqual([]);
    expect(replayed.report).toMatchObject({ outcome: 'exhausted' });
  });
});

function repeat(times: number, turn: ScriptedAction[]): ScriptedAction[][] {
  return Array.from({ length: times }, () => turn);
}
