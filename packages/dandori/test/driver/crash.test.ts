import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { startRun } from '../../src/commands/start.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import type { Mind, Thought } from '../../src/mind/mind.ts';
import type { Event } from '../../src/model/event.ts';
import type { Action } from '../../src/model/task.ts';
import { isRepeatable } from '../../src/model/tool.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import { fold } from '../../src/run/state/apply.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import { createFunctionToolbox, type FunctionTool } from '../../src/testing/function-toolbox.ts';
import { createStepClock } from '../../src/testing/step-clock.ts';
import { SETTINGS } from './house.ts';

const DAY = 86_400_000;
const ANSWER = 'sold 3 of m2';

/** How often each call took effect, by its key: what the outside world would see. */
type World = Map<string, number>;

const act = (id: string, operation: string, args: Action['args'] = {}, after?: string[]): Action => ({
  id,
  operation,
  args,
  ...(after && { after }),
});

/** Looks at the state and not at how often it was asked, as a model would. */
const mind: Mind = {
  name: 'by state',
  async think(thought) {
    const actions = decideBy(thought);
    for (const action of actions) thought.onAction?.(action);
    return { kind: 'decided', actions };
  },
};

function decideBy({ state }: Thought): Action[] {
  if (state.tasks.size === 0) {
    return [
      act('find', 'shop.find'),
      act('flaky', 'net.get'),
      act('sell', 'shop.sell', { item: '${find.item}', count: 3 }),
      act('note', 'log.put', {}, ['flaky']),
      act('drop', 'db.drop', {}, ['sell']),
      act('check', 'shop.find', {}, ['drop']),
    ];
  }
  if (!state.tasks.has('mail')) return [act('mail', 'mail.send', { about: '${find.item}' })];
  return [act('a', 'answer', { text: 'sold 3 of ${find.item}' })];
}

function tools(world: World): Record<string, FunctionTool> {
  const done: FunctionTool['run'] = (_, { key }) => {
    world.set(key, (world.get(key) ?? 0) + 1);
    return null;
  };
  return {
    'shop.find': { takes: 5, run: () => ({ item: 'm2' }) },
    'net.get': { takes: 1, faults: [{ kind: 'fail', retryable: true }] },
    'shop.sell': { takes: 7, effect: 'write', run: done },
    'log.put': { takes: 3, effect: 'idempotent', run: done },
    'db.drop': { takes: 2, effect: 'destructive', run: done },
    'mail.send': { takes: 2, effect: 'write', run: done },
  };
}

/** Drives to the end on a journal that begins with these events; a person answers truthfully. */
async function live(events: readonly Event[], world: World): Promise<Event[]> {
  const run = events[0]?.run ?? '';
  const clock = createStepClock((events.at(-1)?.at ?? 0) + DAY);
  const journal = createMemoryJournal();
  await journal.create(run, events);
  const parts: Parts = {
    journal,
    blobs: createMemoryBlobs(),
    clock,
    toolbox: createFunctionToolbox(clock, tools(world)),
    mind,
    check: () => [],
    secrets: [],
    driver: 'test',
  };
  for (let times = 0; times < 10; times++) {
    const state = await clock.runUntil(drive(run, parts));
    if (state.end !== undefined) return journal.read(run);
    for (const { question, answer } of state.questions.values()) {
      if (answer !== undefined) continue;
      const truth = world.has(`${run}/${question.task}`) ? 'happened' : 'again';
      await answerQuestion(
        { run, question: question.id, answer: question.kind === 'approval' ? 'approve' : truth },
        parts,
      );
    }
    await clock.advance(2 * DAY);
  }
  throw new Error('it does not end');
}

/** The world as a crash after these events leaves it: ended calls took effect, and running calls may have. */
function worldsAfter(events: readonly Event[]): World[] {
  const state = fold(events);
  const done: World = new Map();
  const open: string[] = [];
  for (const [id, task] of state?.tasks ?? []) {
    if (task.effect === 'read') continue;
    const key = `${state?.run}/${id}`;
    if (task.status === 'succeeded' || wasAnswered(events, id)) done.set(key, 1);
    else if (task.status === 'running' || task.isInDoubt) open.push(key);
  }
  if (open.length === 0) return [done];
  return [done, new Map([...done, ...open.map((key) => [key, 1] as const)])];
}

function wasAnswered(events: readonly Event[], task: string): boolean {
  const asked = events.filter(
    (event) =>
      event.type === 'question_asked' &&
      event.data.question.task === task &&
      event.data.question.kind === 'in_doubt',
  );
  return asked.some((event) =>
    events.some(
      (other) =>
        other.type === 'question_answered' &&
        event.type === 'question_asked' &&
        other.data.question === event.data.question.id &&
        other.data.answer === 'happened',
    ),
  );
}

function check(events: readonly Event[], world: World): void {
  expect(brokenLaws(events)).toEqual([]);
  const state = fold(events);
  expect(state?.end).toMatchObject({ outcome: 'answered', answer: ANSWER });
  for (const [id, { effect }] of state?.tasks ?? []) {
    const times = world.get(`${state?.run}/${id}`) ?? 0;
    if (effect === 'read') continue;
    if (isRepeatable(effect)) expect(times, id).toBeGreaterThanOrEqual(1);
    else expect(times, id).toBe(1);
  }
}

async function firstLife(streamDispatch: boolean): Promise<{ events: Event[]; world: World }> {
  const clock = createStepClock();
  const journal = createMemoryJournal();
  const { run } = await startRun(
    // Each life has its own flaky network, so there must be tries left for all of them.
    {
      goal: 'sell 3',
      settings: {
        ...SETTINGS,
        streamDispatch,
        approval: 'destructive',
        task: { ...SETTINGS.task, attempts: 10 },
      },
    },
    {
      journal,
      clock,
      secrets: [],
      mind,
      toolbox: { tools: () => new Map(), missing: () => [] },
      blobs: createMemoryBlobs(),
      check: () => [],
    },
  );
  const world: World = new Map();
  const events = await live(await journal.read(run), world);
  return { events, world };
}

describe.each([
  ['', false],
  [', with reads that were called ahead', true],
])('a crash after any event%s', (_, streamDispatch) => {
  it('the run continues days later and ends with the same answer: no effect is lost or repeated', async () => {
    const { events, world } = await firstLife(streamDispatch);
    check(events, world);
    for (let length = 1; length < events.length; length++) {
      const prefix = events.slice(0, length);
      for (const after of worldsAfter(prefix)) {
        const resumed = await live(prefix, after);
        check(resumed, after);
        expect(resumed.slice(0, length)).toEqual(prefix);
      }
    }
  });

  it('nor after a second crash after any event of the second drive', async () => {
    const { events } = await firstLife(streamDispatch);
    for (let length = 3; length < events.length; length += 2) {
      for (const world of worldsAfter(events.slice(0, length))) {
        const second = await live(events.slice(0, length), new Map(world));
        for (let again = length + 1; again < second.length; again += 2) {
          for (const after of worldsAfter(second.slice(0, again)))
            check(await live(second.slice(0, again), after), after);
        }
      }
    }
  });

  it('a run that has ended is not changed', async () => {
    const { events, world } = await firstLife(streamDispatch);
    expect(await live(events, world)).toEqual(events);
  });
});
