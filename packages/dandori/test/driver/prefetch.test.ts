import { describe, expect, it } from 'vitest';
import { cancelRun } from '../../src/commands/steer.ts';
import type { Mind } from '../../src/mind/mind.ts';
import type { Event } from '../../src/model/event.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { createMemoryJournal } from '../../src/store/in-memory.ts';
import type { Journal } from '../../src/store/journal.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { count, createHouse, SETTINGS } from './house.ts';
import { createGate, holdAt, openStream, type Stream } from './stream.ts';

const INPUT = {
  type: 'object',
  properties: { n: { type: 'number' }, text: { type: 'string' } },
  additionalProperties: false,
};
const TOOLS: Record<string, FunctionTool> = {
  'a.get': { inputSchema: INPUT, run: ({ n = 0 }) => ({ n: Number(n) + 1, text: 'word' }) },
  'a.put': { effect: 'write' },
  'b.get': { inputSchema: INPUT, run: () => ({ n: 10, secret: 'swordfish' }) },
  'b.put': { effect: 'write', inputSchema: INPUT },
};

const act = (id: string, operation: string, args: JsonObject = {}, more: object = {}) => ({
  id,
  operation,
  args,
  ...more,
});
const ANSWER = { actions: [act('z', 'answer', { text: 'done' })] };
const LAST = act('last', 'b.get');

const started = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === 'task_started' ? [event.data.task] : []));
const called = ({ calls }: Stream) => calls.map(({ task }) => task);

/** The journal without what differs between any two runs. */
function story(events: readonly Event[]): unknown[] {
  return events.map(({ type, data }) => {
    const { ms, usage, key, ...rest } = data as Record<string, unknown>;
    return { type, ...rest, ...(type === 'run_started' && { settings: undefined }) };
  });
}

describe('reads while the model still writes', () => {
  it('R1: end before it has written its last action, and are not called again', async () => {
    const gate = createGate();
    const actions = [act('t1', 'a.get', { n: 1 }), act('t2', 'b.get'), act('t3', 'b.put', { n: 1 })];
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"t3"', gate) }, ANSWER]);
    const run = await stream.start();
    const driving = stream.drive(run);
    await Promise.all([stream.ended('t1'), stream.ended('t2')]);
    expect(stream.server.requests[0]?.endedAt).toBeUndefined();
    expect(started(await stream.events(run))).toEqual([]);
    gate.open();
    const state = await driving;
    expect(state.end).toMatchObject({ outcome: 'answered' });
    expect(called(stream)).toEqual(['t1', 't2', 't3']);
    const events = await stream.events(run);
    expect(started(events).toSorted()).toEqual(['t1', 't2', 't3']);
    expect(brokenLaws(events)).toEqual([]);
  });

  it('that have ended by then are journaled with their start and the next decision, which saves a sync', async () => {
    const appends: string[][] = [];
    const real = createMemoryJournal();
    const journal: Journal = {
      ...real,
      async append(run, after, events) {
        appends.push(events.map(({ type }) => type));
        await real.append(run, after, events);
      },
    };
    const actions = [act('t1', 'a.get', { n: 1 }), act('t2', 'b.get')];
    await using stream = await openStream(TOOLS, [{ actions }, ANSWER], { journal });
    const run = await stream.start();
    expect((await stream.drive(run)).end).toMatchObject({ outcome: 'answered' });
    const starts = appends.filter((types) => types.includes('task_started'));
    expect(starts).toEqual([expect.arrayContaining(['task_succeeded', 'decision_started'])]);
    expect(called(stream)).toEqual(['t1', 't2']);
    expect(brokenLaws(await stream.events(run))).toEqual([]);
  });

  it('leave the same journal: calls, keys, results and order are the same without prefetch', async () => {
    const actions = [
      act('t1', 'a.get', { n: 1 }),
      act('t2', 'a.get', { n: '${t1.n}' }),
      act('t3', 'b.put', { n: '${t2.n}' }),
      act('t4', 'b.get', {}, { after: ['t3'] }),
    ];
    const stories: unknown[] = [];
    for (const streamDispatch of [true, false]) {
      await using stream = await openStream(TOOLS, [{ actions }, ANSWER]);
      const run = await stream.start({ streamDispatch });
      await stream.drive(run);
      stories.push([
        story(await stream.events(run)),
        stream.calls.map(({ task, key, args, operation }) => ({
          task,
          key: key.replace(run, ''),
          args,
          operation,
        })),
      ]);
    }
    expect(stories[0]).toEqual(stories[1]);
  });

  it('R1: a chain of them is prefetched as a whole, each with the result before it', async () => {
    const gate = createGate();
    const actions = [
      act('t1', 'a.get', { n: 1 }),
      act('t2', 'a.get', { n: '${t1.n}' }),
      act('t3', 'b.get', { text: 'about ${t2.n}' }),
      act('t4', 'b.put'),
    ];
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"t4"', gate) }, ANSWER]);
    const run = await stream.start();
    const driving = stream.drive(run);
    const { args } = await stream.ended('t3');
    expect(args).toEqual({ text: 'about 3' });
    gate.open();
    await driving;
    expect(called(stream)).toEqual(['t1', 't2', 't3', 't4']);
  });

  it('that still run when the list is compiled are awaited, and not called again', async () => {
    const actions = [act('t1', 'a.get'), act('t2', 'b.get')];
    const gate = createGate();
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"t2"', gate) }, ANSWER]);
    const hold = stream.hold('t1');
    const run = await stream.start();
    const driving = stream.drive(run);
    await stream.called('t1');
    gate.open();
    while (count(await stream.events(run), 'task_succeeded') === 0) await new Promise(setImmediate);
    expect(started(await stream.events(run)).toSorted()).toEqual(['t1', 't2']);
    hold.open();
    const state = await driving;
    expect(called(stream)).toEqual(['t1', 't2']);
    expect(state.tasks.get('t1')?.status).toBe('succeeded');
  });

  it('are journaled with the time that the call took, and not what was left of it', async () => {
    const house = createHouse({ 'a.get': { takes: 30 }, 'b.get': { takes: 5 } });
    const { clock } = house;
    const mind: Mind = {
      name: 'slow',
      async think({ state, onAction }) {
        if (state.tasks.size > 0) return { kind: 'decided', actions: ANSWER.actions };
        const actions = [act('t1', 'a.get'), act('t2', 'b.get')];
        for (const action of actions) {
          onAction?.(action);
          await new Promise<void>((resolve) => clock.at(clock.now() + 10, resolve));
        }
        return { kind: 'decided', actions };
      },
    };
    const run = await house.start('go', undefined, { streamDispatch: true });
    const state = await house.drive(run, { mind });
    const events = await house.events(run);
    const took = events.flatMap((event) =>
      event.type === 'task_succeeded' ? [[event.data.task, event.data.ms]] : [],
    );
    expect(took).toEqual([
      ['t2', 5],
      ['t1', 30],
    ]);
    expect(state.tasks.get('t1')?.ms).toBe(30);
    expect(state.tasks.get('t2')?.ms).toBe(5);
    // 20 to write, and 10 that were left of the longer one.
    expect(state.activeMs).toBe(30);
  });

  it('are called twice if the list has them twice', async () => {
    const actions = [act('t1', 'a.get', { n: 1 }), act('t2', 'a.get', { n: 1 }), LAST];
    await using stream = await openStream(TOOLS, [{ actions }, ANSWER]);
    const state = await stream.drive(await stream.start());
    expect(called(stream)).toEqual(['t1', 't2', 'last']);
    expect([...state.tasks.values()].map(({ status }) => status)).toEqual(Array(3).fill('succeeded'));
  });

  it('of a second decision get the ids that their tasks will have', async () => {
    const gate = createGate();
    const again = [act('t1', 'a.get', { n: '${t1.n}' }), act('t2', 'b.get', { n: '${t1.n}' }), LAST];
    await using stream = await openStream(TOOLS, [
      { actions: [act('t1', 'a.get')] },
      { actions: again, hold: holdAt('"id":"last"', gate) },
      ANSWER,
    ]);
    const driving = stream.drive(await stream.start());
    const { key, args } = await stream.ended('t1_2');
    expect({ key: key.split('/')[1], args }).toEqual({ key: 't1_2', args: { n: 1 } });
    expect((await stream.ended('t2')).args).toEqual({ n: 2 });
    gate.open();
    await driving;
    expect(called(stream)).toEqual(['t1', 't1_2', 't2', 'last']);
  });

  it('that fail count as the first attempt, and are retried as usual', async () => {
    const gate = createGate();
    const tools = { ...TOOLS, 'c.get': { faults: [{ kind: 'fail' as const, retryable: true }] } };
    const actions = [act('t1', 'c.get'), act('t2', 'a.get', { n: '${t1}' }), LAST];
    await using stream = await openStream(tools, [{ actions, hold: holdAt('"id":"last"', gate) }, ANSWER]);
    const run = await stream.start({ task: { ...SETTINGS.task, backoff: 0 } });
    const driving = stream.drive(run);
    await stream.ended('t1');
    gate.open();
    const state = await driving;
    expect(state.tasks.get('t1')).toMatchObject({ attempts: 2, status: 'succeeded' });
    expect(called(stream).filter((task) => task === 't1')).toHaveLength(2);
    expect(brokenLaws(await stream.events(run))).toEqual([]);
  });

  it('report progress once they are tasks, and not before', async () => {
    const gate = createGate();
    const tools: Record<string, FunctionTool> = {
      ...TOOLS,
      'c.get': {
        run: (_, { progress, task }) => {
          progress?.(`${task} works`);
          return 1;
        },
      },
    };
    const actions = [act('t1', 'c.get'), act('t2', 'c.get'), LAST];
    await using stream = await openStream(tools, [{ actions, hold: holdAt('"id":"last"', gate) }, ANSWER]);
    const hold = stream.hold('t2');
    const run = await stream.start();
    const driving = stream.drive(run);
    await stream.ended('t1');
    gate.open();
    while (!started(await stream.events(run)).includes('t2')) await new Promise(setImmediate);
    hold.open();
    await driving;
    const progress = stream.live.flatMap((one) => (one.type === 'task_progress' ? [one.message] : []));
    expect(progress).toEqual(['t2 works']);
  });

  it('send a secret unchanged, also through a chain', async () => {
    const gate = createGate();
    const actions = [
      act('t1', 'b.get', { text: 'key swordfish' }),
      act('t2', 'a.get', { text: '${t1.secret}' }),
      LAST,
    ];
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"last"', gate) }, ANSWER], {
      secrets: ['swordfish'],
    });
    const driving = stream.drive(await stream.start());
    await stream.ended('t2');
    gate.open();
    await driving;
    expect(stream.calls.map(({ args }) => args.text)).toEqual(['key swordfish', 'swordfish', undefined]);
  });

  it('do not start early if prefetch is off', async () => {
    const gate = createGate();
    const actions = [act('t1', 'a.get'), LAST];
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"last"', gate) }, ANSWER]);
    const driving = stream.drive(await stream.start({ streamDispatch: false }));
    while (stream.live.length === 0) await new Promise(setImmediate);
    expect(called(stream)).toEqual([]);
    gate.open();
    await driving;
    expect(called(stream)).toEqual(['t1', 'last']);
  });
});

describe('what waits for the whole list', () => {
  /** What has been called when the model stands before its last action and the read `sure` has ended. */
  async function calledAhead(
    actions: readonly ReturnType<typeof act>[],
    {
      settings = {},
      tools = TOOLS,
      replies = [ANSWER],
    }: {
      settings?: Parameters<Stream['start']>[0];
      tools?: Record<string, FunctionTool>;
      replies?: Parameters<typeof openStream>[1];
    } = {},
  ): Promise<{ ahead: string[]; all: string[]; events: Event[] }> {
    const gate = createGate();
    const all = [...actions, act('last', 'd.get')];
    const hold = holdAt('"id":"last"', gate);
    await using stream = await openStream({ ...tools, 'd.get': {} }, [{ actions: all, hold }, ...replies]);
    const run = await stream.start(settings);
    const driving = stream.drive(run);
    // The live event of an action comes before the engine looks at it; a few turns later it has.
    while (stream.live.length < actions.length) await new Promise(setImmediate);
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    const ahead = called(stream);
    gate.open();
    await driving;
    const events = await stream.events(run);
    expect(brokenLaws(events)).toEqual([]);
    return { ahead, all: called(stream), events };
  }

  it('a write is never prefetched', async () => {
    const { ahead, all } = await calledAhead([act('r', 'a.get'), act('w', 'b.put', { n: '${r.n}' })]);
    expect(ahead).toEqual(['r']);
    expect(all.toSorted()).toEqual(['last', 'r', 'w']);
  });

  it('O2: no read after a write of the same server, while one of another server is prefetched', async () => {
    const { ahead } = await calledAhead([act('w', 'a.put'), act('r', 'a.get'), act('s', 'b.get')]);
    expect(ahead).toEqual(['s']);
  });

  it('O2: of one server, reads of parts that no write touches are prefetched', async () => {
    const path = { type: 'object', properties: { path: { type: 'string' } } };
    const tools: Record<string, FunctionTool> = {
      ...TOOLS,
      'f.read': { inputSchema: path, resource: 'path:{path}' },
      'f.write': { inputSchema: path, resource: 'path:{path}', effect: 'write' },
    };
    const { ahead } = await calledAhead(
      [
        act('w', 'f.write', { path: 'x' }),
        act('r', 'f.read', { path: 'x' }),
        act('s', 'f.read', { path: 'y' }),
        act('t', 'f.read', { path: '${s}' }),
      ],
      { tools },
    );
    expect(ahead).toEqual(['s']);
  });

  it('what needs a write, by Ref or by `after`', async () => {
    const { ahead } = await calledAhead([
      act('w', 'b.put'),
      act('r', 'a.get', { text: 'x ${w}' }),
      act('s', 'a.get', {}, { after: ['w'] }),
    ]);
    expect(ahead).toEqual([]);
  });

  it('what follows a read that does not meet its expectation', async () => {
    const { ahead } = await calledAhead([
      act('r', 'a.get', {}, { expect: 'n == `5`' }),
      act('s', 'b.get', {}, { after: ['r'] }),
    ]);
    expect(ahead).toEqual(['r']);
  });

  it('everything if each call needs approval', async () => {
    await using stream = await openStream(TOOLS, [{ actions: [act('r', 'a.get'), LAST] }]);
    const state = await stream.drive(await stream.start({ approval: 'always' }));
    expect(called(stream)).toEqual([]);
    expect(state.indexes.openQuestions).toBe(2);
  });

  it('what would exceed the limits of the run', async () => {
    const { ahead } = await calledAhead([act('r', 'a.get'), act('s', 'a.get'), act('t', 'a.get')], {
      settings: { limits: { ...SETTINGS.limits, tasks: 2 } },
    });
    expect(ahead).toEqual(['r', 's']);
  });

  it('a placeholder in adaptive mode', async () => {
    const { ahead } = await calledAhead([act('r', 'a.get'), act('s', 'a.get', { text: '${r.text}' })], {
      settings: { mode: 'adaptive' },
    });
    expect(ahead).toEqual(['r']);
  });

  it('O3: what an order rule puts after another call, until that has succeeded', async () => {
    const settings = { order: [{ before: 'a.get', after: 'b.get' }] };
    const kept = await calledAhead([act('r', 'a.get'), act('s', 'b.get')], { settings });
    expect(kept.ahead).toEqual(['r', 's']);
    const broken = await calledAhead([act('s', 'b.get'), act('r', 'a.get')], { settings });
    expect(broken.ahead).toEqual([]);
    const tools = { ...TOOLS, 'a.get': { faults: [{ kind: 'fail' as const }] } };
    const failed = await calledAhead([act('r', 'a.get'), act('s', 'b.get')], { settings, tools });
    expect(failed.ahead).toEqual(['r']);
    expect(failed.all).toEqual(['r', 'last']);
  });

  it.each([
    ['a tool that is not there', act('x', 'a.vanish')],
    ['arguments that do not fit', act('x', 'a.get', { n: 'many' })],
    ['a Ref to nothing', act('x', 'a.get', { text: '${nobody.text}' })],
    ['an id that is there already', act('r', 'a.get')],
  ])('everything after %s', async (_, wrong) => {
    const { ahead, events } = await calledAhead([act('r', 'a.get'), wrong, act('s', 'b.get')]);
    expect(ahead).toEqual(['r']);
    expect(count(events, 'plan_rejected')).toBe(1);
    expect(started(events)).toEqual([]);
  });

  it('R4: no more calls at once than allowed, in total and per server', async () => {
    const actions = ['t1', 't2', 't3', 't4'].map((id) => act(id, 'a.get'));
    for (const settings of [{ concurrency: 2 }, { servers: { a: 2 } }]) {
      const gate = createGate();
      const hold = holdAt('"id":"last"', gate);
      await using stream = await openStream(TOOLS, [{ actions: [...actions, LAST], hold }, ANSWER]);
      const holds = ['t1', 't2', 't3', 't4'].map((id) => stream.hold(id));
      const run = await stream.start(settings);
      const driving = stream.drive(run);
      while (stream.live.length < actions.length) await new Promise(setImmediate);
      await stream.called('t2');
      expect(called(stream)).toEqual(['t1', 't2']);
      holds[0]?.open();
      await stream.called('t3');
      expect(called(stream)).toEqual(['t1', 't2', 't3']);
      for (const one of holds) one.open();
      gate.open();
      await driving;
      expect(called(stream).toSorted()).toEqual(['last', 't1', 't2', 't3', 't4']);
    }
  });
});

describe('a prefetch that is not used', () => {
  it('R3: is read again after a write of the same resource that turns out to come first', async () => {
    let version = 0;
    const tools: Record<string, FunctionTool> = {
      'a.get': { run: () => ({ n: 1, version }) },
      'a.put': {
        effect: 'write',
        run: () => {
          version++;
          return null;
        },
      },
    };
    // Only the last action shows that `r` does not mean the earlier t1, so it must read after the write.
    const actions = [
      act('r', 'a.get', { n: '${t1.n}' }),
      act('w', 'a.put'),
      act('t1', 'a.get', {}, { after: ['w'] }),
    ];
    const gate = createGate();
    await using stream = await openStream(tools, [
      { actions: [act('t1', 'a.get')] },
      { actions, hold: holdAt('"id":"w"', gate) },
      ANSWER,
    ]);
    const driving = stream.drive(await stream.start());
    expect((await stream.ended('r')).args).toEqual({ n: 1 });
    gate.open();
    const state = await driving;
    expect(called(stream)).toEqual(['t1', 'r', 'w', 't1_2', 'r']);
    expect(state.tasks.get('r')).toMatchObject({ sent: { n: 1 }, result: { value: { version: 1 } } });
  });

  it('R5: of a list that is refused in the end is aborted, and the journal has no task of it', async () => {
    const gate = createGate();
    const bad = [act('t1', 'a.get'), act('t2', 'b.get'), act('t3', 'b.vanish')];
    await using stream = await openStream(TOOLS, [{ actions: bad, hold: holdAt('"id":"t3"', gate) }, ANSWER]);
    stream.hold('t2');
    const run = await stream.start();
    const driving = stream.drive(run);
    await Promise.all([stream.ended('t1'), stream.called('t2')]);
    gate.open();
    const { signal } = await stream.ended('t2');
    expect(signal.reason).toBe('it will be no task');
    const state = await driving;
    expect(state.end?.outcome).toBe('answered');
    expect(state.tasks.size).toBe(0);
    expect(called(stream)).toEqual(['t1', 't2']);
    expect(brokenLaws(await stream.events(run))).toEqual([]);
  });

  it.each([
    ['breaks off', { cut: 60 }],
    ['was cut short', { finishReason: 'content_filter' }],
  ])('R5: of a model that %s is aborted, and the next decision starts over', async (_, how) => {
    const gate = createGate();
    const actions = [act('t1', 'a.get'), act('t2', 'b.get')];
    const first = { actions, hold: holdAt('"id":"t2"', gate), ...how };
    await using stream = await openStream(TOOLS, 'cut' in how ? [first, { actions }, ANSWER] : [first]);
    stream.hold('t1');
    const run = await stream.start({ task: { ...SETTINGS.task, backoff: 0 } });
    const driving = stream.drive(run);
    await stream.called('t1');
    gate.open();
    const { signal } = await stream.ended('t1');
    expect(signal.aborted).toBe(true);
    stream.hold('t1').open();
    const state = await driving;
    expect(state.end?.outcome).toBe('cut' in how ? 'answered' : 'failed');
    // The second action may arrive together with the end. Then it is not read ahead.
    if ('cut' in how) expect(called(stream)).toEqual(['t1', 't1', 't2']);
    else expect(['t1', 't2']).toEqual(expect.arrayContaining(called(stream)));
  });

  it('a cancel reaches it', async () => {
    const actions = [act('t1', 'a.get'), LAST];
    const hold = holdAt('"id":"last"', createGate());
    await using stream = await openStream(TOOLS, [{ actions, hold }]);
    stream.hold('t1');
    const run = await stream.start();
    const driving = stream.drive(run);
    const { signal } = await stream.called('t1');
    await cancelRun({ run, reason: 'enough' }, stream.parts);
    const state = await driving;
    expect(state.end?.outcome).toBe('cancelled');
    expect(signal.reason).toBe('cancelled: enough');
    expect(started(await stream.events(run))).toEqual([]);
  });

  it('its own timeout reaches it, and is the outcome of the first attempt', async () => {
    const gate = createGate();
    const actions = [act('t1', 'a.get', {}, { timeout: 0.001 }), LAST];
    await using stream = await openStream(TOOLS, [{ actions, hold: holdAt('"id":"last"', gate) }, ANSWER]);
    stream.hold('t1');
    const run = await stream.start({ task: { ...SETTINGS.task, attempts: 1 } });
    const driving = stream.drive(run);
    await stream.ended('t1');
    gate.open();
    const state = await driving;
    expect(state.tasks.get('t1')).toMatchObject({ attempts: 1, failure: { kind: 'timeout' } });
    expect(called(stream)).toEqual(['t1', 'last']);
  });

  it('dies with its driver, and is made again by the next driver', async () => {
    const gate = createGate();
    const actions = [act('t1', 'a.get'), LAST];
    const first = { actions, hold: holdAt('"id":"last"', gate) };
    await using stream = await openStream(TOOLS, [first]);
    const run = await stream.start();
    const dead = stream.drive(run);
    await stream.ended('t1');
    // A crash leaves only the journal.
    const left = await stream.events(run);
    expect(left.map(({ type }) => type)).toEqual(['run_started', 'decision_started']);
    await using heir = await openStream(TOOLS, [{ actions }, ANSWER]);
    await heir.parts.journal.create(run, left);
    const state = await heir.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(called(heir)).toEqual(['t1', 'last']);
    expect(brokenLaws(await heir.events(run))).toEqual([]);
    gate.open();
    await cancelRun({ run, reason: 'dead' }, stream.parts);
    await dead;
  });
});
