import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Replayed, replayRun } from '../../src/history/replay.ts';
import type { Event, FactOf, FactType } from '../../src/model/event.ts';
import { createMemoryBlobs, createMemoryJournal } from '../../src/store/in-memory.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import { createHouse, type House, task } from '../driver/house.ts';

const TOOLS: Record<string, FunctionTool> = {
  'places.find': { run: ({ q }) => ({ city: `city of ${String(q)}`, days: 3 }), takes: 20 },
  'weather.now': { run: ({ city }) => ({ sky: `sun over ${String(city)}` }), takes: 30 },
  'mail.send': { effect: 'destructive', run: () => ({ sent: true }), takes: 10 },
  'slow.read': {
    run: () => 'x'.repeat(40_000),
    faults: [{ kind: 'fail', retryable: true }],
    takes: 5,
  },
};

const SCRIPT: readonly Reply[] = [
  [
    { id: 'a', operation: 'places.find', args: { q: 'tea' } },
    { id: 'b', operation: 'weather.now', args: { city: '${a.city}' } },
    { id: 'c', operation: 'slow.read' },
    { id: 'd', operation: 'mail.send', args: { text: '${b.sky}', large: '${c}' } },
  ],
  [{ operation: 'answer', args: { text: 'It is: ${b.sky}' } }],
];

/** A run with Refs, a retry, a blob, an approval and an answer that is filled in. */
async function wholeRun(): Promise<{ house: House; run: string; events: Event[] }> {
  const house = createHouse(TOOLS, SCRIPT);
  const run = await house.start('how is the weather?', undefined, {
    approval: 'destructive',
    mode: 'planned',
    planning: {
      strategy: 'plan_and_solve',
      decomposition: 'moderate',
      reflection: { onError: true, interval: 2 },
      revisions: 3,
    },
  });
  await house.drive(run);
  await house.answer(run, 'q1', 'approve');
  const state = await house.drive(run);
  expect(state.end).toMatchObject({ outcome: 'answered', answer: 'It is: sun over city of tea' });
  return { house, run, events: await house.events(run) };
}

async function replayed(events: readonly Event[], { house }: { house: House }): Promise<Replayed> {
  const journal = createMemoryJournal();
  const [first] = events;
  const run = first?.run ?? '';
  await journal.create(run, events);
  return replayRun(run, {}, { ...house.parts, journal });
}

/** The journal with the first event of a kind changed. */
function tampered<T extends FactType>(
  events: readonly Event[],
  type: T,
  change: (data: FactOf<T>['data']) => void,
  isIt: (event: Event) => boolean = () => true,
): { events: Event[]; seq: number } {
  const copy = structuredClone(events) as Event[];
  const event = copy.find((one) => one.type === type && isIt(one));
  if (event === undefined) throw new Error(`no ${type}`);
  change(event.data as FactOf<T>['data']);
  return { events: copy, seq: event.seq };
}

describe('a replay', () => {
  it('proves a run with no model and no tool, and shows it as it was at any event', async () => {
    const { house, run, events } = await wholeRun();
    const asked = house.mind.thoughts.length;
    const made = house.toolbox.calls.length;
    const whole = await replayRun(run, {}, house.parts);
    expect(whole).toMatchObject({ isProved: true, differences: [], unproved: [], seq: events.length });
    expect(whole.derived).toBeGreaterThan(8);
    expect(whole.derived + whole.taken).toBe(events.length);
    for (let to = 1; to <= events.length; to++) {
      const part = await replayRun(run, { to }, house.parts);
      expect(part).toMatchObject({ isProved: true, seq: to, events: events.length });
    }
    expect((await replayRun(run, { to: 1 }, house.parts)).report).toMatchObject({
      outcome: 'open',
      tasks: {},
    });
    expect([house.mind.thoughts.length, house.toolbox.calls.length]).toEqual([asked, made]);
    await expect(replayRun(run, { to: events.length + 1 }, house.parts)).rejects.toMatchObject({
      code: 'usage',
    });
  });

  it.each([
    ['arguments that were sent', 'task_started', (data) => (data.args = { city: 'Rome' }), 'args', 'b'],
    ['the key of a call', 'task_started', (data) => (data.key = 'other/a'), 'key', undefined],
    ['the number of an attempt', 'task_started', (data) => (data.attempt = 7), 'L3', undefined],
  ] satisfies [
    string,
    'task_started',
    (data: FactOf<'task_started'>['data']) => unknown,
    string,
    string | undefined,
  ][])('finds %s that were changed, and names the event', async (_, type, change, named, id) => {
    const whole = await wholeRun();
    const { events, seq } = tampered(whole.events, type, change, ({ data }) =>
      id === undefined ? true : (data as { task?: string }).task === id,
    );
    const { isProved, differences } = await replayed(events, whole);
    expect(isProved).toBe(false);
    expect(differences.find((one) => one.seq === seq)?.message).toContain(named);
  });

  it('finds a changed result by the calls that used it', async () => {
    const whole = await wholeRun();
    const changed = tampered(whole.events, 'task_succeeded', (data) => {
      data.result = { city: 'Rome', days: 1 };
    });
    const { differences } = await replayed(changed.events, whole);
    expect(differences).toMatchObject([{ type: 'task_started', message: expect.stringContaining('Rome') }]);
  });

  it.each([
    ['an answer', 'run_finished', { answer: 'It rains.' }],
    ['an outcome', 'run_finished', { outcome: 'failed' }],
    ['what was approved', 'question_asked', { question: { digest: 'f'.repeat(64) } }],
    ['what a person was shown', 'question_asked', { question: { context: { args: {} } } }],
    ['an answer that was not offered', 'question_answered', { answer: 'perhaps' }],
    ['what a task needs', 'plan_approved', { tasks: [{ id: 'b', effect: 'read' }] }],
    ['why the mind was asked', 'decision_started', { purpose: 'conclude' }],
    ['a version of the plan', 'plan_proposed', { version: 3 }],
  ] as const)('finds %s that was changed', async (_, type, change) => {
    const whole = await wholeRun();
    const { events, seq } = tampered(whole.events, type, (data) => merge(data, change));
    const { differences } = await replayed(events, whole);
    expect(differences.map((one) => one.seq)).toContain(seq);
  });

  it('says what it cannot prove where a stored result is gone', async () => {
    const { house, run } = await wholeRun();
    const gone = await replayRun(run, {}, { ...house.parts, blobs: createMemoryBlobs() });
    expect(gone).toMatchObject({ isProved: false, differences: [] });
    expect(gone.unproved.map(({ type }) => type)).toContain('task_started');
  });

  it('finds any event of the engine that was left out, doubled or put in another place', async () => {
    const whole = await wholeRun();
    const { events } = whole;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: events.length - 1 }),
        fc.constantFrom('left out', 'doubled', 'moved'),
        async (index, how) => {
          // A driver may take a run up at any time, and twice in a row.
          fc.pre(events[index]?.type !== 'run_resumed');
          // Without its last event a journal is what it was before that one was written.
          fc.pre(how !== 'left out' || index < events.length - 1);
          const list = [...events];
          const [event] = list.splice(index, how === 'doubled' ? 0 : 1);
          if (how === 'doubled') list.splice(index, 0, events[index] as Event);
          else if (how === 'moved') list.splice(1, 0, event as Event);
          const numbered = list.map((one, place) => ({ ...one, seq: place + 1 }) as Event);
          const { isProved } = await replayed(numbered, whole);
          expect(isProved, `${how}: ${events[index]?.type} (${index + 1})`).toBe(false);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('proves a run of thousands of events', async () => {
    const tasks = Array.from({ length: 2_000 }, (_, index) =>
      task(`t${index}`, 'places.find', { args: { q: index } }),
    );
    const house = createHouse({ 'places.find': { run: () => 1 } }, [
      [{ operation: 'answer', args: { text: 'done' } }],
    ]);
    const run = await house.start('all', tasks);
    await house.drive(run);
    expect((await replayRun(run, {}, house.parts)).isProved).toBe(true);
  });
});

function merge(target: object, change: object): void {
  for (const [key, value] of Object.entries(change)) {
    const old = (target as Record<string, unknown>)[key];
    const isDeep = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isDeep && typeof old === 'object' && old !== null && key === 'question') merge(old, value);
    else (target as Record<string, unknown>)[key] = value;
  }
}
