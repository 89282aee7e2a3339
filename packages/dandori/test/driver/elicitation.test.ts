import { describe, expect, it } from 'vitest';
import { drive } from '../../src/driver/drive.ts';
import type { Clock } from '../../src/model/clock.ts';
import type { Event } from '../../src/model/event.ts';
import type { Json } from '../../src/model/json.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { InputResponse } from '../../src/run/state/held-calls.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import type { Call, CallOutcome } from '../../src/tools/toolbox.ts';
import { count, createHouse, DONE, type House, task } from './house.ts';

const FORM = { type: 'object', properties: { name: { type: 'string' } } };
const NAME = { text: 'Who?', form: FORM };
const PLAN = [task('t1', 'desk.book')];

/** Asks for a name while it runs, and returns what it was told. */
const asking = (more: Partial<FunctionTool> = {}): FunctionTool => ({
  effect: 'write',
  run: async (_, call) => ({ told: (await call.elicit?.(NAME)) as Json }),
  ...more,
});

/** Ends its call for input until it has been given some. */
const wanting = (more: Partial<FunctionTool> = {}): FunctionTool => ({
  effect: 'write',
  run: (_, { inputs }): Json | CallOutcome =>
    inputs === undefined
      ? { kind: 'input_wanted', requests: [{ name: 'who', ...NAME }], state: 'sealed' }
      : { given: inputs as unknown as Json },
  ...more,
});

/** Lets the drive go on until a person is asked and a call is held for it. */
async function untilHeld(house: House, run: string, questions = 1): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    const asked = count(await house.events(run), 'question_asked');
    if (asked >= questions) return;
    await house.clock.advance(0);
  }
  throw new Error('No question was asked.');
}

async function lawful(house: House, run: string, work: Promise<RunState>): Promise<RunState> {
  const state = await house.clock.runUntil(work);
  expect(brokenLaws(await house.events(run))).toEqual([]);
  return state;
}

function resultOf(state: RunState, id = 't1'): Json | undefined {
  const result = state.tasks.get(id)?.result;
  return result !== undefined && 'value' in result ? result.value : undefined;
}

function last<T extends Event['type']>(events: readonly Event[], type: T): (Event & { type: T }) | undefined {
  return events.findLast((event): event is Event & { type: T } => event.type === type);
}

describe('a call that is held open while the user is asked', () => {
  it('keeps its time if it only reads and asks before its start is written', async () => {
    const house = createHouse({ 'a.first': {}, 'desk.look': asking({ effect: 'read' }) }, DONE);
    const plan = [task('f', 'a.first'), task('t1', 'desk.look', { after: ['f'], timeoutMs: 5_000 })];
    const run = await house.start('look', plan);
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    await house.clock.advance(60_000);
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await lawful(house, run, work);
    expect(resultOf(state)).toEqual({ told: { action: 'accept', content: { name: 'Aki' } } });
  });

  it('gets the answer and continues as the same attempt; meanwhile its timeout stops and its slot is free', async () => {
    const house = createHouse({ 'desk.book': asking(), 'other.look': { takes: 1_000 } }, DONE);
    const plan = [task('t1', 'desk.book', { timeoutMs: 5_000 }), task('t2', 'other.look')];
    const run = await house.start('book', plan, { concurrency: 1 });
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    // Long after its time-out, and with a limit of one call at once.
    await house.clock.advance(60_000);
    const events = await house.events(run);
    expect(last(events, 'task_succeeded')?.data.task).toBe('t2');
    expect(last(events, 'question_asked')?.data).toMatchObject({
      held: true,
      attempt: 1,
      question: { id: 'q1', kind: 'elicitation', text: 'Who?', form: FORM, task: 't1' },
    });
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await lawful(house, run, work);
    expect(resultOf(state)).toEqual({ told: { action: 'accept', content: { name: 'Aki' } } });
    expect(state.tasks.get('t1')?.attempts).toBe(1);
    expect(state.tasks.get('t1')?.ms).toBe(0);
    expect(state.activeMs).toBe(1_000);
    expect(house.toolbox.effects('desk.book')).toBe(1);
  });

  it('still has a timeout before the question and after the answer', async () => {
    const slow = asking({
      effect: 'read',
      run: async (_, call) => {
        await call.elicit?.(NAME);
        return new Promise<CallOutcome>((resolve) => {
          call.signal.addEventListener('abort', () =>
            resolve({ kind: 'lost', cause: 'cancelled', message: '' }),
          );
        });
      },
    });
    const house = createHouse({ 'desk.book': slow }, DONE);
    const plan = [task('t1', 'desk.book', { timeoutMs: 5_000 })];
    const run = await house.start('book', plan, { task: { timeoutMs: 5_000, attempts: 1, backoff: 0 } });
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    await house.clock.advance(60_000);
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await lawful(house, run, work);
    expect(state.tasks.get('t1')?.failure?.kind).toBe('timeout');
    expect(state.tasks.get('t1')?.ms).toBe(5_000);
  });

  it('asks two questions at once and continues when both are answered', async () => {
    const both = asking({
      run: async (_, call) => {
        const ask = (text: string) => call.elicit?.({ ...NAME, text }) as Promise<InputResponse>;
        return (await Promise.all([ask('First?'), ask('Second?')])) as Json;
      },
    });
    const house = createHouse({ 'desk.book': both }, DONE);
    const run = await house.start('book', PLAN);
    const work = drive(run, house.parts);
    await untilHeld(house, run, 2);
    await house.answer(run, 'q2', { name: 'B' });
    await house.clock.advance(10);
    await house.answer(run, 'q1', { name: 'A' });
    expect(resultOf(await lawful(house, run, work))).toEqual([
      { action: 'accept', content: { name: 'A' } },
      { action: 'accept', content: { name: 'B' } },
    ]);
  });

  it('is told after the hold that there is no answer; a result is accepted, with a note', async () => {
    const house = createHouse({ 'desk.book': asking() }, DONE);
    const run = await house.start('book', PLAN);
    const state = await house.drive(run);
    expect(resultOf(state)).toEqual({ told: { action: 'cancel' } });
    const events = await house.events(run);
    expect(last(events, 'hold_ended')?.data).toEqual({ task: 't1', attempt: 1 });
    expect(state.indexes.openQuestions).toBe(0);
    expect(last(events, 'task_succeeded')?.data.note).toContain('before the answer came');
    expect(state.end?.outcome).toBe('answered');
    await expect(house.answer(run, 'q1', { name: 'late' })).rejects.toThrow();
  });

  const failing = (more: Partial<FunctionTool> = {}): FunctionTool =>
    asking({
      run: async (_, call): Promise<Json | CallOutcome> => {
        const told = await call.elicit?.(NAME);
        if (told?.action === 'accept') return { told: told as Json };
        return { kind: 'failed', failure: { kind: 'tool_error', message: 'no name' } };
      },
      ...more,
    });

  it('that fails without an answer leaves the task waiting, and is made again with the answer', async () => {
    const house = createHouse({ 'desk.book': failing({ effect: 'idempotent' }) }, DONE);
    const run = await house.start('book', PLAN, { questions: { whenExpired: 'decline', hold: 1_000 } });
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('t1')?.status).toBe('waiting');
    expect(last(await house.events(run), 'task_in_doubt')?.data).toMatchObject({
      cause: 'unanswered',
      message: 'no name',
    });
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await house.drive(run);
    expect(resultOf(state)).toEqual({ told: { action: 'accept', content: { name: 'Aki' } } });
    expect(count(await house.events(run), 'question_asked')).toBe(1);
    const keys = house.toolbox.calls.map(({ call }) => call.key);
    expect(new Set(keys).size).toBe(1);
  });

  it('that fails so and may have had an effect is made again only if the user says so', async () => {
    const house = createHouse({ 'desk.book': failing() }, DONE);
    const run = await house.start('book', PLAN, { questions: { whenExpired: 'decline', hold: 0 } });
    await house.drive(run);
    await house.answer(run, 'q1', { name: 'Aki' });
    const asked = await house.drive(run);
    expect(house.toolbox.calls).toHaveLength(1);
    expect(asked.questions.get('q2')?.question).toMatchObject({
      kind: 'in_doubt',
      context: { input: 'The tool asked a question while it ran, and may not have received the answer.' },
    });
    await house.answer(run, 'q2', 'again');
    expect(resultOf(await house.drive(run))).toEqual({
      told: { action: 'accept', content: { name: 'Aki' } },
    });
  });

  it('that succeeds at the moment of another write to the run leaves no question open', async () => {
    // What the mind says before the write has succeeded is dropped, and it is asked again.
    const house = createHouse({ 'desk.book': asking() }, [...DONE, ...DONE]);
    const run = await house.start('book', PLAN);
    const { journal } = house.parts;
    let isDisturbed = false;
    const append: typeof journal.append = async (id, after, events) => {
      if (!isDisturbed && events.some(({ type }) => type === 'task_succeeded')) {
        isDisturbed = true;
        const note = { type: 'note_added' as const, data: { text: 'hello' } };
        await journal.append(id, after, [{ v: 1, run: id, seq: after + 1, at: house.clock.now(), ...note }]);
      }
      return journal.append(id, after, events);
    };
    const state = await house.drive(run, { journal: { ...journal, append } });
    expect(isDisturbed).toBe(true);
    expect(state.end?.outcome).toBe('answered');
  });

  it('that ends before the answer leaves no timer that keeps the process alive', async () => {
    const hasty = asking({
      run: async (_, call) => {
        void call.elicit?.(NAME);
        // So that the question is there before the result.
        await new Promise((resolve) => house.clock.at(house.clock.now() + 1_000, () => resolve(undefined)));
        return { done: true };
      },
    });
    const house = createHouse({ 'desk.book': hasty }, DONE);
    const timers = new Set<object>();
    const clock: Clock = {
      now: house.clock.now,
      at(time, wake) {
        const timer = {};
        timers.add(timer);
        const takeBack = house.clock.at(time, () => {
          timers.delete(timer);
          wake();
        });
        return () => {
          timers.delete(timer);
          takeBack();
        };
      },
    };
    const run = await house.start('book', PLAN);
    const state = await house.drive(run, { clock });
    expect(state.end?.outcome).toBe('answered');
    expect(state.questions.size).toBe(1);
    expect(timers.size).toBe(0);
  });

  it('is aborted when the run is cancelled', async () => {
    const stopped: string[] = [];
    const held = asking({
      run: (_, call) =>
        new Promise<CallOutcome>((resolve) => {
          void call.elicit?.(NAME);
          call.signal.addEventListener('abort', () => {
            stopped.push(String(call.signal.reason));
            resolve({ kind: 'lost', cause: 'cancelled', message: 'stopped' });
          });
        }),
    });
    const house = createHouse({ 'desk.book': held }, DONE);
    const run = await house.start('book', PLAN);
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    await house.cancel(run, 'enough');
    const state = await lawful(house, run, work);
    expect(state.end).toMatchObject({ outcome: 'cancelled' });
    expect(state.end?.missing?.[0]).toContain('outcome unconfirmed');
    expect(stopped).toEqual(['cancelled: enough']);
  });

  it('reports when its run only waits, so that another run can use the slot', async () => {
    const house = createHouse({ 'desk.book': asking(), 'other.look': { takes: 1_000 } }, DONE);
    const run = await house.start('book', [...PLAN, task('t2', 'other.look')]);
    const told: boolean[] = [];
    const work = drive(run, house.parts, { onHold: (isHolding) => told.push(isHolding) });
    await untilHeld(house, run);
    expect(told).toEqual([]);
    await house.clock.advance(2_000);
    expect(told).toEqual([true]);
    await house.answer(run, 'q1', { name: 'Aki' });
    await lawful(house, run, work);
    expect(told).toEqual([true, false]);
  });

  it('ends after its hold although its driver was asked to leave', async () => {
    const house = createHouse({ 'desk.book': asking() }, DONE);
    const run = await house.start('book', PLAN, { questions: { whenExpired: 'decline', hold: 1_000 } });
    const soon = new AbortController();
    const work = drive(run, house.parts, { soon: soon.signal });
    await untilHeld(house, run);
    soon.abort();
    const state = await lawful(house, run, work);
    expect(resultOf(state)).toEqual({ told: { action: 'cancel' } });
    expect(state.end).toBeUndefined();
  });

  /** The process dies: the journal stays as it is, and the outcome of the call is lost. */
  async function loseDriver(house: House, run: string): Promise<void> {
    void drive(run, { ...house.parts, driver: 'the lost one' });
    await untilHeld(house, run);
    const events = await house.events(run);
    const { createMemoryJournal } = await import('../../src/store/in-memory.ts');
    const journal = createMemoryJournal();
    await journal.create(run, events);
    Object.assign(house.parts, { journal });
  }

  it.each(['read', 'idempotent'] as const)(
    'and was lost with its driver: a %s call is made again after the answer, which it gets when it asks the same',
    async (effect) => {
      const house = createHouse({ 'desk.book': asking({ effect }) }, DONE);
      const run = await house.start('book', PLAN);
      await loseDriver(house, run);
      await house.answer(run, 'q1', { name: 'Aki' });
      const state = await house.drive(run);
      expect(resultOf(state)).toEqual({ told: { action: 'accept', content: { name: 'Aki' } } });
      expect(state.tasks.get('t1')?.attempts).toBe(2);
      expect(count(await house.events(run), 'question_asked')).toBe(1);
    },
  );

  it('and was lost with its driver before the answer: the next driver also waits for the answer', async () => {
    const house = createHouse({ 'desk.book': asking({ effect: 'read' }) }, DONE);
    const run = await house.start('book', PLAN);
    await loseDriver(house, run);
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('t1')?.status).toBe('waiting');
    expect(waiting.indexes.held.size).toBe(0);
    await house.answer(run, 'q1', { name: 'Aki' });
    expect(resultOf(await house.drive(run))).toEqual({
      told: { action: 'accept', content: { name: 'Aki' } },
    });
  });

  it.each(['before', 'after'])(
    'and was lost with its driver: a write is in doubt, answered %s the next driver came',
    async (when) => {
      const house = createHouse({ 'desk.book': asking() }, DONE);
      const run = await house.start('book', PLAN);
      await loseDriver(house, run);
      if (when === 'after') await house.drive(run);
      await house.answer(run, 'q1', { name: 'Aki' });
      const state = await house.drive(run);
      expect(house.toolbox.calls).toHaveLength(1);
      const question = state.questions.get('q2')?.question;
      expect(question).toMatchObject({
        kind: 'in_doubt',
        context: { input: expect.stringContaining('asked a question') },
      });
      await house.answer(run, 'q2', 'happened');
      expect((await house.drive(run)).end?.outcome).toBe('answered');
      expect(house.toolbox.calls).toHaveLength(1);
    },
  );

  it('asks a new question although another call was answered before', async () => {
    const texts = ['Who?', 'Where?'];
    const house = createHouse(
      {
        'desk.book': asking({
          effect: 'read',
          run: async (_, call) => ({
            told: (await call.elicit?.({ ...NAME, text: texts.shift() ?? '' })) as Json,
          }),
        }),
      },
      DONE,
    );
    const run = await house.start('book', PLAN);
    await loseDriver(house, run);
    await house.answer(run, 'q1', { name: 'Aki' });
    const work = drive(run, house.parts);
    await untilHeld(house, run, 2);
    await house.answer(run, 'q2', { name: 'Oslo' });
    expect(resultOf(await lawful(house, run, work))).toEqual({
      told: { action: 'accept', content: { name: 'Oslo' } },
    });
  });

  it('cannot ask forever', async () => {
    const greedy = asking({
      run: async (_, call) => {
        for (let times = 0; ; times++) {
          const told = await call.elicit?.({ ...NAME, text: `${times}?` });
          if (told?.action === 'cancel') return times;
        }
      },
    });
    const house = createHouse({ 'desk.book': greedy }, DONE);
    const run = await house.start('book', PLAN);
    const work = drive(run, house.parts);
    for (let times = 1; times <= 100; times++) {
      await untilHeld(house, run, times);
      await house.answer(run, `q${times}`, { name: 'x' });
    }
    expect(resultOf(await lawful(house, run, work))).toBe(100);
  });

  it('does not use up the time of the run', async () => {
    const house = createHouse({ 'desk.book': asking() }, DONE);
    const run = await house.start('book', PLAN, {
      limits: { steps: 10, calls: 30, tasks: 100, time: 10_000 },
      questions: { whenExpired: 'decline', hold: 1_000_000 },
    });
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    await house.clock.advance(900_000);
    await house.answer(run, 'q1', { name: 'Aki' });
    expect((await lawful(house, run, work)).end?.outcome).toBe('answered');
  });
});

describe('a call that ends because the server wants input first', () => {
  it('is made again under the same key with the answers and the state of the server', async () => {
    const house = createHouse({ 'desk.book': wanting() }, DONE);
    const run = await house.start('book', PLAN);
    const waiting = await house.drive(run);
    expect(waiting.tasks.get('t1')?.status).toBe('waiting');
    expect(waiting.indexes.held.size).toBe(0);
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await house.drive(run);
    expect(resultOf(state)).toEqual({
      given: { responses: { who: { action: 'accept', content: { name: 'Aki' } } }, state: 'sealed' },
    });
    expect(new Set(house.toolbox.calls.map(({ call }) => call.key)).size).toBe(1);
  });

  it('waits for all that it asked for, and its failures are counted without these calls', async () => {
    const two = wanting({
      effect: 'idempotent',
      faults: [undefined, { kind: 'fail', retryable: true }, { kind: 'fail', retryable: true }],
      run: (_, { inputs }): Json | CallOutcome =>
        inputs === undefined
          ? {
              kind: 'input_wanted',
              requests: [
                { name: 'a', text: 'A?', form: FORM },
                { name: 'b', text: 'B?', url: 'https://example.com/' },
              ],
            }
          : { given: inputs as unknown as Json },
    });
    const house = createHouse({ 'desk.book': two }, DONE);
    const run = await house.start('book', PLAN);
    await house.drive(run);
    await house.answer(run, 'q2', 'done');
    const half = await house.drive(run);
    expect(half.tasks.get('t1')?.status).toBe('waiting');
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await house.drive(run);
    expect(resultOf(state)).toEqual({
      given: { responses: { a: { action: 'accept', content: { name: 'Aki' } }, b: { action: 'accept' } } },
    });
    expect(state.tasks.get('t1')?.attempts).toBe(4);
  });

  it('is given up if it asks forever', async () => {
    const greedy = wanting({ run: () => ({ kind: 'input_wanted', requests: [{ name: 'who', ...NAME }] }) });
    const house = createHouse({ 'desk.book': greedy }, DONE);
    const run = await house.start('book', PLAN);
    let state = await house.drive(run);
    for (let round = 1; round <= 10; round++) {
      await house.answer(run, `q${round}`, { name: 'x' });
      state = await house.drive(run);
    }
    expect(state.tasks.get('t1')?.failure?.message).toContain('after 10 answers');
    expect(house.toolbox.calls).toHaveLength(11);
  });

  it('that does not say what it wants has failed, and the run does not wait for it', async () => {
    const mute = wanting({ run: () => ({ kind: 'input_wanted', requests: [], state: 'sealed' }) });
    const state = await createHouse({ 'desk.book': mute }, DONE).run('book', PLAN);
    expect(state.tasks.get('t1')).toMatchObject({ status: 'failed', failure: { kind: 'tool_error' } });
  });

  it('does not stop other branches: they continue while it waits', async () => {
    const house = createHouse({ 'desk.book': wanting(), 'other.look': {} }, DONE);
    const run = await house.start('book', [...PLAN, task('t2', 'other.look')]);
    const state = await house.drive(run);
    expect(state.tasks.get('t2')?.status).toBe('succeeded');
  });
});

describe('a prefetched read that asks the user', () => {
  it('asks when it is a task, and not before', async () => {
    const seen: Call[] = [];
    const look = asking({
      effect: 'read',
      run: async (_, call) => {
        seen.push(call);
        return { told: (await call.elicit?.(NAME)) as Json };
      },
    });
    const house = createHouse({ 'desk.book': look }, [
      [{ operation: 'desk.book', args: {} }],
      [{ operation: 'answer', args: { text: 'done' } }],
    ]);
    const run = await house.start('look', undefined, { streamDispatch: true });
    const work = drive(run, house.parts);
    await untilHeld(house, run);
    await house.answer(run, 'q1', { name: 'Aki' });
    const state = await lawful(house, run, work);
    expect(state.end?.outcome).toBe('answered');
    expect(seen).toHaveLength(1);
  });
});
