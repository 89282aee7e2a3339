import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { systemClock } from '../../src/driver/clock.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import { forkRun } from '../../src/history/fork.ts';
import { replayRun } from '../../src/history/replay.ts';
import { recordRun } from '../../src/history/save-as-test.ts';
import type { Event } from '../../src/model/event.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { Task } from '../../src/model/task.ts';
import type { Effect } from '../../src/model/tool.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { fold } from '../../src/run/state/apply.ts';
import type { RunState } from '../../src/run/state/state.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { runCase } from '../../src/testing/index.ts';
import { createScriptedMind } from '../../src/testing/scripted-mind.ts';
import { ambiguous, defineService, type Service, type ServiceContext } from '../../src/tools/service.ts';
import { ServiceCallError } from '../../src/tools/service-call.ts';
import type { Toolbox } from '../../src/tools/toolbox.ts';
import { report } from '../../src/views/report.ts';
import { openToolbox } from '../tools/fixtures/calls.ts';
import { DONE, SETTINGS, task } from './house.ts';

/** What a server outside knows: which items arrived, and under which keys. It does the same key only once. */
interface Store {
  readonly wanted: readonly string[];
  readonly arrived: { item: string; key: string }[];
  /** Every call that came in, also those under a known key. */
  readonly calls: string[];
  isStocked: boolean;
  fail: ((operation: string, item: string) => string | undefined) | undefined;
}

function openStore(wanted: readonly string[], arrived: Store['arrived'] = []): Store {
  return { wanted, arrived: [...arrived], calls: [], isStocked: true, fail: undefined };
}

/** What of the wanted items has not arrived. */
function leftIn({ wanted, arrived }: Store): string[] {
  const there = arrived.map(({ item }) => item);
  return wanted.filter((item) => {
    const at = there.indexOf(item);
    if (at >= 0) there.splice(at, 1);
    return at < 0;
  });
}

type Work = (context: ServiceContext, args: JsonObject) => Promise<unknown>;

function servicesOn(store: Store, works: Record<string, { effect: Effect; run: Work }>): Service[] {
  const item = z.object({ item: z.string(), note: z.unknown().optional() });
  const take = (operation: string, isOnce: boolean) => (input: { item: string }, context: ServiceContext) => {
    store.calls.push(`${operation} ${input.item}`);
    const failure = store.fail?.(operation, input.item);
    if (failure !== undefined) throw new Error(failure);
    const isKnown = store.arrived.some(({ key }) => key === context.key);
    if (!isKnown || !isOnce) store.arrived.push({ item: input.item, key: context.key });
    return { stored: input.item };
  };
  return [
    defineService({
      name: 'store',
      methods: {
        left: {
          description: 'What is left',
          input: z.object({}),
          effect: 'read',
          run: () => {
            store.calls.push('left');
            return leftIn(store);
          },
        },
        stocked: {
          description: 'Whether there is stock',
          input: z.object({}),
          effect: 'read',
          run: () => {
            store.calls.push('stocked');
            return store.isStocked;
          },
        },
        put: {
          description: 'Once a key',
          input: item,
          effect: 'idempotent',
          run: take('put', true),
        },
        send: { description: 'Each time', input: item, effect: 'write', run: take('send', false) },
      },
    }),
    defineService({
      name: 'shop',
      methods: Object.fromEntries(
        Object.entries(works).map(([name, { effect, run }]) => [
          name,
          {
            description: name,
            input: z.record(z.string(), z.unknown()),
            effect,
            calls: [
              'store.left',
              'store.stocked',
              'store.put',
              ...(effect === 'write' ? ['store.send'] : []),
              ...(name === 'outer' ? ['shop.inner'] : []),
            ],
            run: (args: unknown, context: ServiceContext) => run(context, args as JsonObject) as never,
          },
        ]),
      ),
    }),
  ];
}

interface Place {
  readonly parts: Parts;
  start(tasks: readonly Task[], settings?: Partial<Settings>): Promise<string>;
  /** Drives it on, and checks that its laws are kept and that its replay is proved. */
  drive(run: string): Promise<RunState>;
  events(run: string): Promise<Event[]>;
}

const open: Toolbox[] = [];
afterEach(async () => {
  for (const toolbox of open.splice(0)) await toolbox.close();
});

async function openPlace(store: Store, works: Parameters<typeof servicesOn>[1]): Promise<Place> {
  const toolbox = await openToolbox({ services: servicesOn(store, works) });
  open.push(toolbox);
  const parts: Parts = {
    journal: createMemoryJournal(),
    blobs: createMemoryBlobs(),
    clock: systemClock,
    toolbox,
    mind: createScriptedMind(DONE),
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  return {
    parts,
    start: async (tasks, settings) =>
      (
        await startRun(
          {
            goal: 'restock',
            tasks,
            settings: { ...SETTINGS, task: { ...SETTINGS.task, backoff: 1, restarts: 20 }, ...settings },
          },
          parts,
        )
      ).run,
    events: (run) => parts.journal.read(run),
    async drive(run) {
      const state = await drive(run, parts);
      expect(brokenLaws(await parts.journal.read(run))).toEqual([]);
      const replayed = await replayRun(run, {}, parts);
      expect(replayed.differences).toEqual([]);
      expect(replayed.report).toEqual(JSON.parse(JSON.stringify(report(state))));
      return state;
    },
  };
}

/** What a process that was killed behind these events leaves: what it had begun may have arrived or not. */
function* storesAfter(events: readonly Event[], wanted: readonly string[]): Generator<Store> {
  const arrived: Store['arrived'] = [];
  const open: Store['arrived'] = [];
  for (const event of events) {
    if (event.type === 'inner_call_started' && event.data.operation.startsWith('store.')) {
      const { key, args } = event.data;
      open.push({ key, item: String(args.item) });
    }
    if (event.type !== 'inner_call_ended' || event.data.args !== undefined) continue;
    const { key, failure } = event.data;
    const at = open.findIndex((one) => one.key === key);
    const [ended] = at < 0 ? [] : open.splice(at, 1);
    if (ended !== undefined && failure === undefined) arrived.push(ended);
  }
  yield openStore(wanted, arrived);
  if (open.length > 0) yield openStore(wanted, [...arrived, ...open]);
  if (open.length > 1) yield openStore(wanted, [...arrived, ...open.slice(0, 1)]);
}

interface Killed {
  readonly wanted: readonly string[];
  readonly works: Parameters<typeof servicesOn>[1];
  readonly tasks: readonly Task[];
}

/** Kills the run behind each of its events, takes it up again, and lets a person say the truth. */
async function killEverywhere({ wanted, works, tasks }: Killed): Promise<number> {
  const first = await openPlace(openStore(wanted), works);
  const run = await first.start(tasks);
  await first.drive(run);
  const events = await first.events(run);
  let lives = 0;
  for (let seq = 2; seq < events.length; seq++) {
    for (const store of storesAfter(events.slice(0, seq), wanted)) {
      const before = leftIn(store);
      const place = await openPlace(store, works);
      await place.parts.journal.create(run, events.slice(0, seq));
      const state = await answeredTruly(run, place, store);
      expect(leftIn(store), `killed behind event ${seq}, ${before} were left`).toEqual([]);
      expect(store.arrived.length, `killed behind event ${seq}`).toBe(wanted.length);
      expect(state.end?.outcome).toBe('answered');
      await place.parts.toolbox.close();
      lives++;
    }
  }
  return lives;
}

async function answeredTruly(run: string, place: Place, store: Store): Promise<RunState> {
  for (let times = 0; times < 10; times++) {
    const state = await place.drive(run);
    if (state.end !== undefined) return state;
    for (const { question, answer } of state.questions.values()) {
      if (answer !== undefined) continue;
      const { open } = question.context as { open?: { key: string } };
      const isDone = open !== undefined && store.arrived.some(({ key }) => key === open.key);
      const truth = isDone ? 'again_after' : 'again';
      expect(question.options?.map(({ value }) => value)).toContain(truth);
      await answerQuestion({ run, question: question.id, answer: truth }, place.parts);
    }
  }
  throw new Error('it does not end');
}

const putAll = async ({ call }: ServiceContext) => {
  for (const item of (await call('store.left', {})) as string[]) await call('store.put', { item });
};

describe('a service that is killed after any event of its run', () => {
  const one = [task('t1', 'shop.work')];

  it.each<[string, readonly string[], { effect: Effect; run: Work }]>([
    ['works off what is left', ['A', 'B', 'C'], { effect: 'idempotent', run: putAll }],
    [
      'works off what is left, and two are equal',
      ['A', 'A', 'B', 'A'],
      { effect: 'idempotent', run: putAll },
    ],
    [
      'looks again after each of them',
      ['A', 'A', 'B'],
      {
        effect: 'idempotent',
        async run({ call }) {
          for (;;) {
            const [item] = (await call('store.left', {})) as string[];
            if (item === undefined) return;
            await call('store.put', { item });
          }
        },
      },
    ],
    [
      'puts them all at once',
      ['A', 'B', 'A'],
      {
        effect: 'idempotent',
        async run({ call }) {
          const left = (await call('store.left', {})) as string[];
          await Promise.all(left.map((item) => call('store.put', { item })));
        },
      },
    ],
    [
      'sends what is never sent twice',
      ['A', 'A', 'B'],
      {
        effect: 'write',
        async run({ call }) {
          for (const item of (await call('store.left', {})) as string[]) await call('store.send', { item });
        },
      },
    ],
    [
      'sends them all at once',
      ['A', 'B', 'A'],
      {
        effect: 'write',
        async run({ call }) {
          const left = (await call('store.left', {})) as string[];
          await Promise.all(left.map((item) => call('store.send', { item })));
        },
      },
    ],
  ])('%s: nothing is lost and nothing is doubled', async (_, wanted, work) => {
    expect(await killEverywhere({ wanted, works: { work }, tasks: one })).toBeGreaterThan(8);
  });

  it('calls a service that calls: nothing is lost and nothing is doubled', async () => {
    const inner: Work = async ({ call }, { item }) => {
      await call('store.stocked', {});
      await call('store.send', { item: `${item}` });
      await call('store.put', { item: `${item}` });
    };
    const outer: Work = async ({ call }) => {
      await call('shop.inner', { item: 'A' });
      await call('shop.inner', { item: 'B' });
    };
    const works = { outer: { effect: 'write', run: outer }, inner: { effect: 'write', run: inner } } as const;
    await killEverywhere({ wanted: ['A', 'A', 'B', 'B'], works, tasks: [task('t1', 'shop.outer')] });
  });

  it('is in a plan twice: the calls of one task are not those of the other', async () => {
    const run: Work = async ({ call }) => {
      await call('store.put', { item: 'A' });
      await call('store.put', { item: 'B' });
    };
    await killEverywhere({
      wanted: ['A', 'B', 'A', 'B'],
      works: { work: { effect: 'idempotent', run } },
      tasks: [task('t1', 'shop.work'), task('t2', 'shop.work')],
    });
  });
});

/** A run of one service that was killed behind the last event that fits. */
async function killedBehind(
  isLast: (event: Event) => boolean,
  { wanted, work, effect }: { wanted: readonly string[]; work: Work; effect: Effect },
) {
  const works = { work: { effect, run: work } };
  const first = await openPlace(openStore(wanted), works);
  const run = await first.start([task('t1', 'shop.work')]);
  await first.drive(run);
  const events = await first.events(run);
  const past = events.slice(0, events.findIndex(isLast) + 1);
  const [store = openStore(wanted), arrivedToo = store] = [...storesAfter(past, wanted)];
  const place = await openPlace(store, works);
  await place.parts.journal.create(run, past);
  return { run, place, store, arrivedToo, past };
}

const starts = (item: string) => (event: Event) =>
  event.type === 'inner_call_started' && event.data.args.item === item;

describe('the question about a service that was killed halfway', () => {
  const sendAll: Work = async ({ call }) => {
    for (const item of ['A', 'B', 'C']) await call('store.send', { item });
  };

  it('says what is done and which call is in doubt, and offers the possible answers', async () => {
    const { run, place } = await killedBehind(starts('C'), {
      wanted: ['A', 'B', 'C'],
      work: sendAll,
      effect: 'write',
    });
    const state = await place.drive(run);
    const question = state.questions.get('q1')?.question;
    expect(question?.text).toContain('after 2 finished calls');
    expect(question?.text).toContain('Did store.send take effect?');
    expect(question?.context).toMatchObject({
      done: [
        { operation: 'store.send', args: { item: 'A' } },
        { operation: 'store.send', args: { item: 'B' } },
      ],
      open: { operation: 'store.send', args: { item: 'C' } },
    });
    expect(question?.options?.map(({ value }) => value)).toEqual([
      'again_after',
      'again',
      'happened',
      'give_up',
    ]);
    expect(report(state).tasks.t1?.calls).toMatchObject([
      { operation: 'store.send', args: { item: 'A' }, status: 'succeeded' },
      { operation: 'store.send', args: { item: 'B' }, status: 'succeeded' },
      { operation: 'store.send', args: { item: 'C' }, status: 'in_doubt' },
    ]);
  });

  it('is in Japanese if the run is', async () => {
    const { run, place } = await killedBehind(starts('C'), {
      wanted: ['A', 'B', 'C'],
      work: sendAll,
      effect: 'write',
    });
    const other = await openPlace(openStore([]), { work: { effect: 'write', run: sendAll } });
    const [begun, ...rest] = await place.events(run);
    if (begun?.type !== 'run_started') throw new Error('it has no start');
    const settings = { ...begun.data.settings, language: 'ja' as const };
    await other.parts.journal.create(run, [{ ...begun, data: { ...begun.data, settings } }, ...rest]);
    const asked = (await other.drive(run)).questions.get('q1')?.question;
    expect(asked?.text).toContain('完了 2 回');
  });

  it('says how far it got if no call is open', async () => {
    const { run, place, store } = await killedBehind((event) => event.type === 'inner_call_ended', {
      wanted: ['A', 'B', 'C'],
      work: sendAll,
      effect: 'write',
    });
    const state = await place.drive(run);
    const question = state.questions.get('q1')?.question;
    expect(question?.text).toContain('was interrupted after 1 finished call');
    expect(question?.options?.map(({ value }) => value)).toEqual(['again', 'happened', 'give_up']);
    await answerQuestion({ run, question: 'q1', answer: 'again' }, place.parts);
    await place.drive(run);
    expect(store.calls).toEqual(['send B', 'send C']);
  });

  it.each([
    ['happened', []],
    ['give_up', []],
  ])('%s leaves everything as it is', async (answer, calls) => {
    const { run, place, store } = await killedBehind(starts('C'), {
      wanted: ['A', 'B', 'C'],
      work: sendAll,
      effect: 'write',
    });
    await place.drive(run);
    await answerQuestion({ run, question: 'q1', answer }, place.parts);
    await place.drive(run);
    expect(store.calls).toEqual(calls);
  });
});

describe('a service that is retried after it failed', () => {
  async function retried(
    store: Store,
    run: Work,
    settings: Partial<Settings> = {},
  ): Promise<{ state: RunState; events: Event[] }> {
    const place = await openPlace(store, { work: { effect: 'idempotent', run } });
    const name = await place.start([task('t1', 'shop.work')], settings);
    return { state: await place.drive(name), events: await place.events(name) };
  }

  const flaky = (times: number) => {
    let failures = 0;
    return () => {
      failures++;
      return failures <= times;
    };
  };

  it('does not make the calls again that it has finished', async () => {
    const isDown = flaky(1);
    const store = openStore(['A', 'B', 'C']);
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }) {
          await call('store.put', { item: 'A' });
          await call('store.put', { item: 'B' });
          if (isDown()) throw retryable('try later');
          await call('store.put', { item: 'C' });
        },
      },
    });
    const state = await place.drive(await place.start([task('t1', 'shop.work')]));
    expect(state.end?.outcome).toBe('answered');
    expect(store.calls).toEqual(['put A', 'put B', 'put C']);
  });

  it('repeats a read that no write has used yet, so that it sees new data', async () => {
    const store = openStore(['A']);
    store.isStocked = false;
    const { state } = await retried(store, async ({ call }) => {
      const isThere = await call('store.stocked', {});
      store.isStocked = true;
      if (isThere !== true) throw retryable('not in stock yet');
      await call('store.put', { item: 'A' });
    });
    expect(state.end?.outcome).toBe('answered');
    expect(store.calls).toEqual(['stocked', 'stocked', 'put A']);
  });

  it('polls again after a write, even if an earlier attempt polled more often', async () => {
    const store = openStore(['A', 'B']);
    store.isStocked = false;
    let attempt = 0;
    const seen: unknown[] = [];
    const { state } = await retried(store, async ({ call }) => {
      attempt++;
      await call('store.put', { item: 'A' });
      seen.push(await call('store.stocked', {}));
      if (attempt === 1) {
        seen.push(await call('store.stocked', {}));
        store.isStocked = true;
        throw retryable('later');
      }
      await call('store.put', { item: 'B' });
      if (attempt === 2) throw retryable('once more');
      seen.push(await call('store.stocked', {}));
    });
    expect(state.end?.outcome).toBe('answered');
    expect(seen).toEqual([false, false, true, true, true]);
    expect(store.calls.filter((one) => one.startsWith('put'))).toEqual(['put A', 'put B']);
  });

  it('makes a failed call again, under the same key', async () => {
    const isDown = flaky(1);
    const store = openStore(['A', 'B']);
    const keys: string[] = [];
    store.fail = (_, item) => (item === 'B' && isDown() ? 'busy' : undefined);
    const { events, state } = await retried(store, async ({ call }) => {
      await call('store.put', { item: 'A' });
      await call('store.put', { item: 'B' }).catch(() => {
        throw retryable('busy');
      });
    });
    for (const event of events)
      if (event.type === 'inner_call_started') keys.push(`${event.data.args.item} ${event.data.key}`);
    expect(state.end?.outcome).toBe('answered');
    expect(store.calls).toEqual(['put A', 'put B', 'put B']);
    expect(keys[1]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(2);
  });

  it('sees again a failure that it had handled', async () => {
    const store = openStore(['A', 'C']);
    let isBusy = true;
    store.fail = (_, item) => (item === 'B' && isBusy ? 'no room' : undefined);
    let attempt = 0;
    await retried(store, async ({ call }) => {
      attempt++;
      await call('store.put', { item: 'A' });
      await call('store.put', { item: 'B' }).catch(() => call('store.put', { item: 'C' }));
      isBusy = false;
      if (attempt === 1) throw retryable('later');
    });
    expect(store.arrived.map(({ item }) => item)).toEqual(['A', 'C']);
  });
});

describe('a service that fails after it has changed something', () => {
  it('says in its failure what was done', async () => {
    const store = openStore(['A', 'B']);
    const place = await openPlace(store, {
      work: {
        effect: 'write',
        async run({ call }) {
          await call('store.send', { item: 'A' });
          await call('store.send', { item: 'B' });
          throw new Error('the van broke down');
        },
      },
    });
    const run = await place.start([task('t1', 'shop.work')]);
    const { tasks } = await place.drive(run);
    expect(tasks.get('t1')?.failure?.message).toBe(
      'the van broke down (2 calls finished before: store.send {"item":"A"}; store.send {"item":"B"})',
    );
    expect(store.calls).toEqual(['send A', 'send B']);
  });

  it('does not ask too late, nor when it runs again', async () => {
    const { run, place, store } = await killedBehind(starts('B'), {
      wanted: ['A', 'B'],
      effect: 'write',
      async work({ call }) {
        await call('store.send', { item: 'A' });
        await call('store.send', { item: 'B' });
        throw ambiguous({ question: 'Which?', options: [{ label: 'this' }] });
      },
    });
    await place.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 'again' }, place.parts);
    const state = await place.drive(run);
    expect(state.questions.size).toBe(1);
    expect(state.tasks.get('t1')?.failure?.message).toContain('a method must ask before it changes anything');
    expect(store.calls).toEqual(['send B']);
  });

  it('asks if it has done only what can be repeated, and does not repeat it', async () => {
    const store = openStore(['A', 'B']);
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }, { which }) {
          await call('store.put', { item: 'A' });
          if (which === undefined)
            throw ambiguous({ question: 'Which?', options: [{ label: 'B', args: { which: 'B' } }] });
          await call('store.put', { item: String(which) });
        },
      },
    });
    const run = await place.start([task('t1', 'shop.work')]);
    await place.drive(run);
    await answerQuestion({ run, question: 'q1', answer: 'B' }, place.parts);
    await place.drive(run);
    expect(store.calls).toEqual(['put A', 'put B']);
  });
});

/** A failure that the engine tries again. */
function retryable(message: string): Error {
  return new ServiceCallError('shop.work', { kind: 'tool_error', message, retryable: true });
}

describe('the keys of calls inside a service', () => {
  it('depend on operation and arguments, not on position or the order of names', async () => {
    const store = openStore([]);
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }) {
          await call('store.put', { item: 'A', note: { b: 1, a: 2 } });
          await call('store.put', { note: { a: 2, b: 1 }, item: 'A' });
          await call('store.put', { item: 'A', note: { a: 2, b: 2 } });
          await call('store.put', { item: 'A', note: new Date(0) as never });
          await call('store.put', { item: 'A', note: new Date(1) as never });
          await call('store.put', { item: 'A' }, { key: 'x' });
          await call('store.put', { item: 'A' }, { key: 'y' });
          await call('store.put', { item: 'A' }, { key: 'x' });
        },
      },
    });
    const run = await place.start([task('t1', 'shop.work')]);
    await place.drive(run);
    const keys = (await place.events(run)).flatMap((event) =>
      event.type === 'inner_call_started' ? [event.data.key] : [],
    );
    const [first = '', second = '', third = '', ...rest] = keys;
    expect(first).toMatch(new RegExp(`^${run}/t1/[0-9a-f]{24}-1$`));
    expect(second).toBe(first.replace(/-1$/, '-2'));
    expect(third.slice(0, -2)).not.toBe(first.slice(0, -2));
    // The last one names a key that is done.
    expect(rest).toHaveLength(4);
    expect(new Set(keys).size).toBe(7);
  });
});

describe('a fork of a run that was killed in a service', () => {
  it('takes over the calls that the service had made, also those after the fork point', async () => {
    const wanted = ['A', 'B', 'C'];
    const { run, place, store, past } = await killedBehind(starts('C'), {
      wanted,
      work: putAll,
      effect: 'idempotent',
    });
    const at = past.findIndex(starts('B')) + 1;
    const forked = await forkRun(run, { at }, place.parts);
    await place.drive(forked.run);
    expect(store.calls).toEqual(['put C']);
    expect(leftIn(store)).toEqual([]);
  });
});

describe('what a service is told and what is written', () => {
  it('holds no secret, and large results are kept beside the journal', async () => {
    const store = openStore([]);
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }) {
          const { stored } = (await call('store.put', { item: `s3cret ${'x'.repeat(40_000)}` })) as {
            stored: string;
          };
          return stored.slice(0, 10);
        },
      },
    });
    const parts = { ...place.parts, secrets: ['s3cret'] };
    const run = await place.start([task('t1', 'shop.work')]);
    const state = await drive(run, parts);
    const text = JSON.stringify(await place.events(run));
    expect(text).not.toContain('s3cret');
    expect(store.calls[0]).toContain('s3cret');
    const ended = (await place.events(run)).find(({ type }) => type === 'inner_call_ended');
    expect(ended?.data).toMatchObject({ blob: { sha256: expect.any(String) } });
    expect(fold(await place.events(run))?.tasks.get('t1')?.result).toEqual(state.tasks.get('t1')?.result);
  });
});

describe('a call that a service does not wait for', () => {
  it('is waited for: the task ends after it', async () => {
    const store = openStore([]);
    const place = await openPlace(store, {
      inner: {
        effect: 'idempotent',
        async run({ call }, { item }) {
          await call('store.left', {});
          await new Promise((resolve) => setTimeout(resolve, 20));
          await call('store.put', { item: String(item) });
        },
      },
      outer: {
        effect: 'idempotent',
        async run({ call }) {
          void call('shop.inner', { item: 'A' }).then(() => call('shop.inner', { item: 'B' }));
          return 'done';
        },
      },
    });
    const run = await place.start([task('t1', 'shop.outer')]);
    await place.drive(run);
    expect(store.arrived.map(({ item }) => item)).toEqual(['A', 'B']);
    const events = await place.events(run);
    expect(events.filter(({ type }) => type === 'inner_call_started')).toHaveLength(4);
    const end = events.findIndex(({ type }) => type === 'task_succeeded');
    expect(events.findLastIndex(({ type }) => type === 'inner_call_ended')).toBeLessThan(end);
  });

  it('is not made twice at once when the service fails meanwhile and runs again', async () => {
    const store = openStore([]);
    let attempt = 0;
    const place = await openPlace(store, {
      inner: {
        effect: 'write',
        async run({ call }, { item }) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          await call('store.send', { item: String(item) });
        },
      },
      outer: {
        effect: 'write',
        async run({ call }) {
          attempt++;
          await Promise.all([call('shop.inner', { item: 'A' }), Promise.reject(new Error('no'))]);
        },
      },
    });
    const run = await place.start([task('t1', 'shop.outer')]);
    const state = await place.drive(run);
    expect(attempt).toBe(1);
    expect(state.tasks.get('t1')?.failure?.message).toContain('no');
    expect(store.arrived.map(({ item }) => item)).toEqual(['A']);
    expect((await place.events(run)).filter(({ type }) => type === 'inner_call_ended')).toHaveLength(2);
  });
});

describe('the key of a call inside a service', () => {
  it('is no digest of a secret, so that a reader of the journal cannot try passwords', async () => {
    const keysUnder = async (storeKey: string) => {
      const store = openStore([]);
      const place = await openPlace(store, {
        work: {
          effect: 'idempotent',
          async run({ call }) {
            await call('store.put', { item: 's3cret' });
            await call('store.put', { item: 'plain' });
            await call('store.put', { item: 'A' }, { key: 's3cret' });
          },
        },
      });
      const run = await place.start([task('t1', 'shop.work')]);
      await drive(run, { ...place.parts, secrets: ['s3cret'], storeKey: () => storeKey });
      return store.arrived.map(({ key }) => key.split('/').at(-1));
    };
    const [one, other] = [await keysUnder('one'), await keysUnder('other')];
    expect(one).toHaveLength(3);
    expect(other[0]).not.toBe(one[0]);
    expect(other[1]).toBe(one[1]);
    expect(other[2]).not.toBe(one[2]);
  });
});

describe('what a service does with a result', () => {
  it('changes nothing in the journal, nor for its next attempt', async () => {
    const store = openStore(['A', 'B']);
    const seen: unknown[] = [];
    let attempt = 0;
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }) {
          attempt++;
          const left = (await call('store.left', {})) as string[];
          seen.push([...left]);
          for (let item = left.shift(); item !== undefined; item = left.shift())
            await call('store.put', { item });
          if (attempt === 1) throw retryable('later');
        },
      },
    });
    const run = await place.start([task('t1', 'shop.work')]);
    await place.drive(run);
    expect(seen).toEqual([
      ['A', 'B'],
      ['A', 'B'],
    ]);
    expect(JSON.stringify(await place.events(run))).toContain('["A","B"]');
    expect(store.calls).toEqual(['left', 'put A', 'put B']);
  });

  it('works with a secret in it, which is in no journal', async () => {
    const store = openStore(['s3cret']);
    let attempt = 0;
    const place = await openPlace(store, {
      work: {
        effect: 'idempotent',
        async run({ call }) {
          attempt++;
          const [item = ''] = (await call('store.left', {})) as string[];
          if (item !== '') await call('store.put', { item });
          if (attempt === 1) throw retryable('later');
        },
      },
    });
    const parts = { ...place.parts, secrets: ['s3cret'] };
    const run = await place.start([task('t1', 'shop.work')]);
    await drive(run, parts);
    expect(store.arrived.map(({ item }) => item)).toEqual(['s3cret']);
    expect(JSON.stringify(await place.events(run))).not.toContain('s3cret');
    expect(JSON.stringify(await place.events(run))).toContain('[secret:');
  });
});

describe('a run in which a service was interrupted, recorded as a test', () => {
  it('has the same course again, whatever was asked about its calls', async () => {
    const { run, place, store } = await killedBehind(
      (event) => event.type === 'inner_call_started' && event.data.args.item === 'B',
      {
        wanted: ['A', 'B'],
        effect: 'write',
        async work({ call }) {
          await Promise.all(['A', 'B'].map((item) => call('store.send', { item })));
        },
      },
    );
    const state = await answeredTruly(run, place, store);
    expect(state.questions.size).toBe(2);
    const made = await recordRun(run, place.parts);
    const report = await runCase(made.case);
    expect(report).toMatchObject({ outcome: 'answered', answer: 'done' });
  });
});
