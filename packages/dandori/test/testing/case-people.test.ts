import { describe, expect, it } from 'vitest';
import { addNote, continueRun, pauseRun } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import type { RecordedCase } from '../../src/history/case.ts';
import { recordRun } from '../../src/history/save-as-test.ts';
import type { Json } from '../../src/model/json.ts';
import type { Settings } from '../../src/model/settings.ts';
import type { RunState } from '../../src/run/state/state.ts';
import type { FunctionTool } from '../../src/testing/function-toolbox.ts';
import { CaseError, runCase } from '../../src/testing/index.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { count, createHouse, type House } from '../driver/house.ts';

const FORM = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const AGE = { type: 'object', properties: { age: { type: 'number' } }, required: ['age'] };
const WHO = { text: 'Who?', form: FORM };

const TOOLS: Record<string, FunctionTool> = {
  'desk.book': { effect: 'write', run: async (_, call) => ({ told: (await call.elicit?.(WHO)) as Json }) },
  'desk.find': {
    run: async (_, call): Promise<Json | CallOutcome> => {
      const told = await call.elicit?.(WHO);
      if (told?.action === 'accept') return { told: told as Json };
      return { kind: 'failed', failure: { kind: 'tool_error', message: 'nobody said' } };
    },
  },
  'desk.both': {
    run: async (_, call) =>
      (await Promise.all([call.elicit?.(WHO), call.elicit?.({ text: 'How old?', form: AGE })])) as Json,
  },
  'desk.hasty': {
    takes: 5,
    run: (_, call) => {
      void call.elicit?.(WHO);
      return { booked: true };
    },
  },
  'form.fill': {
    effect: 'write',
    run: (_, { inputs }): Json | CallOutcome => {
      if (inputs === undefined)
        return {
          kind: 'input_wanted',
          requests: [
            { name: 'who', ...WHO },
            { name: 'age', text: 'How old?', form: AGE },
          ],
          state: 'first',
        };
      if (inputs.state === 'first')
        return {
          kind: 'input_wanted',
          requests: [{ text: 'Sign', url: 'https://example.com/sign' }],
          state: 'last',
        };
      return { filled: inputs as unknown as Json };
    },
  },
  'who.is': {
    run: ({ id }): Json | CallOutcome =>
      id === undefined
        ? {
            kind: 'ambiguous',
            question: 'which?',
            options: [
              { label: 'A', value: 'a', args: { id: 'a' } },
              { label: 'B', value: 'b', args: { id: 'b' } },
            ],
            default: 'b',
          }
        : { name: `person ${String(id)}` },
  },
  'who.fill': {
    run: ({ id }): Json | CallOutcome =>
      id === undefined
        ? {
            kind: 'ambiguous',
            question: 'which id?',
            options: [],
            form: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
          }
        : { name: `person ${String(id)}` },
  },
  'slow.read': { takes: 1_000, run: () => ({ read: true }) },
};

const done: Reply = [{ operation: 'answer', args: { text: 'done', achieved: true } }];
const call = (operation: string): Reply => [{ id: 't1', operation }];

interface Story {
  readonly script: readonly Reply[];
  readonly settings?: Partial<Settings>;
  /** What people do; the run has been started. */
  readonly live: (house: House, run: string) => Promise<RunState>;
  /** Facts that must be in it, or the story tells something else. */
  readonly has: readonly Parameters<typeof count>[1][];
}

/** Lets the drive go on until that has happened so often. */
async function until(
  house: House,
  run: string,
  what: { type: Story['has'][number]; times?: number },
): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    if (count(await house.events(run), what.type) >= (what.times ?? 1)) return;
    await house.clock.advance(0);
  }
  throw new Error(`No ${what.type}.`);
}

/** Answers as soon as it is asked, while the call is held open. */
async function answerHeld(
  house: House,
  run: string,
  answers: readonly (readonly [string, Json] | readonly [string, Json, { declined: boolean }])[],
): Promise<RunState> {
  const work = drive(run, house.parts);
  await until(house, run, { type: 'question_asked', times: answers.length });
  for (const [question, value, how] of answers) {
    await house.answer(run, question, value, how);
    await house.clock.advance(5);
  }
  return house.clock.runUntil(work);
}

const EXPIRING: Partial<Settings> = { questions: { expireAfter: 60_000, whenExpired: 'decline' } };

const STORIES: Record<string, Story> = {
  'a call that is held open and gets its answer': {
    script: [call('desk.book'), done],
    live: (house, run) => answerHeld(house, run, [['q1', { name: 'Aki' }]]),
    has: ['question_answered'],
  },
  'a call that is held open and declined': {
    script: [call('desk.book'), done],
    live: (house, run) => answerHeld(house, run, [['q1', null, { declined: true }]]),
    has: ['question_answered'],
  },
  'two things that a call asks at once, answered the other way round': {
    script: [call('desk.both'), done],
    live: (house, run) =>
      answerHeld(house, run, [
        ['q2', { age: 7 }],
        ['q1', { name: 'Aki' }],
      ]),
    has: ['question_answered'],
  },
  'a hold that ended before anybody answered': {
    script: [call('desk.book'), done],
    live: (house, run) => house.drive(run),
    has: ['hold_ended'],
  },
  'an answer that came after the hold, and a call that is made again with it': {
    script: [call('desk.find'), done],
    live: async (house, run) => {
      await house.drive(run);
      await house.answer(run, 'q1', { name: 'Aki' });
      return house.drive(run);
    },
    has: ['hold_ended', 'task_in_doubt', 'question_answered'],
  },
  'a call that ended without waiting for the answer': {
    script: [call('desk.hasty'), done],
    live: (house, run) => house.drive(run),
    has: ['question_asked'],
  },
  'a driver that was lost while a call was held open': {
    script: [call('desk.find'), done],
    live: async (house, run) => {
      const leaving = new AbortController();
      const work = drive(run, house.parts, { soon: leaving.signal, now: leaving.signal });
      await until(house, run, { type: 'question_asked' });
      leaving.abort();
      await house.clock.runUntil(work);
      await house.answer(run, 'q1', { name: 'Aki' });
      return house.drive(run);
    },
    has: ['task_in_doubt', 'question_answered'],
  },
  'two rounds of input': {
    script: [call('form.fill'), done],
    live: async (house, run) => {
      await house.drive(run);
      await house.answer(run, 'q1', { name: 'Aki' });
      await house.answer(run, 'q2', { age: 7 });
      await house.drive(run);
      await house.answer(run, 'q3', 'done');
      return house.drive(run);
    },
    has: ['question_answered'],
  },
  'a choice for which a form is filled in': {
    script: [call('who.fill'), done],
    live: async (house, run) => {
      await house.drive(run);
      await house.answer(run, 'q1', { id: 'c' });
      return house.drive(run);
    },
    has: ['question_answered'],
  },
  'a note that comes while a call runs, so that the answer is given again': {
    script: [
      [
        { id: 't1', operation: 'slow.read' },
        { operation: 'answer', args: { text: 'It is ${t1.read}.', achieved: true } },
      ],
      done,
    ],
    live: async (house, run) => {
      const work = drive(run, house.parts);
      await until(house, run, { type: 'task_started' });
      await addNote({ run, text: 'and be polite' }, house.parts);
      return house.clock.runUntil(work);
    },
    has: ['note_added'],
  },
  'a note before the first decision': {
    script: [call('slow.read'), done],
    live: async (house, run) => {
      await addNote({ run, text: 'be polite' }, house.parts);
      return house.drive(run);
    },
    has: ['note_added'],
  },
  'a pause in the middle, twice': {
    script: [call('slow.read'), call('slow.read'), done],
    live: async (house, run) => {
      for (const times of [1, 2]) {
        const work = drive(run, house.parts);
        await until(house, run, { type: 'task_started', times });
        await pauseRun({ run, reason: 'lunch' }, house.parts);
        await house.clock.runUntil(work);
        await continueRun({ run }, house.parts);
      }
      return house.drive(run);
    },
    has: ['run_paused', 'run_continued'],
  },
  'a question that was not answered in time': {
    script: [[{ operation: 'ask', args: { question: 'how many?' } }], call('slow.read'), done],
    settings: EXPIRING,
    live: async (house, run) => {
      await house.drive(run);
      await house.clock.advance(60_000);
      return house.drive(run);
    },
    has: ['question_expired'],
  },
  'a choice that was not made in time, and one that was': {
    script: [
      [
        { id: 't1', operation: 'who.is' },
        { id: 't2', operation: 'who.fill' },
      ],
      done,
    ],
    settings: EXPIRING,
    live: async (house, run) => {
      await house.drive(run);
      await house.answer(run, 'q2', { id: 'c' });
      await house.drive(run);
      await house.clock.advance(60_000);
      return house.drive(run);
    },
    has: ['question_expired', 'question_answered'],
  },
};

async function recorded({ script, settings, live, has }: Story): Promise<RecordedCase> {
  const house = createHouse(TOOLS, script);
  const run = await house.start('go', undefined, settings);
  const state = await live(house, run);
  expect(state.end).toBeDefined();
  house.mind.verify();
  const events = await house.events(run);
  expect(has.filter((type) => count(events, type) === 0)).toEqual([]);
  const made = await recordRun(run, house.parts);
  expect(made).toMatchObject({ inexact: [], unknown: [] });
  return made.case;
}

describe('a recorded run in which people had their say', () => {
  it.each(Object.entries(STORIES))('with %s goes the same way again', async (_, story) => {
    const made = await recorded(story);
    const report = await runCase(made);
    expect(report).toMatchObject({ outcome: made.expect.outcome, answer: made.expect.answer });
  });

  it.each([
    'a call that is held open and gets its answer',
    'two rounds of input',
    'a note that comes while a call runs, so that the answer is given again',
    'a question that was not answered in time',
  ])('with %s does not go so where people do nothing any more', async (name) => {
    const made = await recorded(STORIES[name] as Story);
    await expect(runCase({ ...made, commands: [] })).rejects.toThrow(CaseError);
  });
});
