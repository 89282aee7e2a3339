import { describe, expect, it } from 'vitest';
import { answerQuestion } from '../../src/commands/answer.ts';
import { addNote, cancelRun } from '../../src/commands/steer.ts';
import { drive } from '../../src/driver/drive.ts';
import { EVENT_VERSION, type Event, type Fact } from '../../src/model/event.ts';
import { brokenLaws } from '../../src/run/laws.ts';
import type { Journal } from '../../src/store/journal.ts';
import { createScriptedMind, type Reply } from '../../src/testing/scripted-mind.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { count, createHouse, DONE, type House, task } from './house.ts';

/** Lets another process write right before the driver's append of that number, or before each one from then on. */
function intruding(
  journal: Journal,
  at: number,
  intrude: () => Promise<void>,
): Journal & { readonly appends: number } {
  let appends = 0;
  let isBusy = false;
  return {
    ...journal,
    get appends() {
      return appends;
    },
    async append(run, after, events) {
      if (!isBusy && ++appends === at) {
        isBusy = true;
        await intrude().finally(() => {
          isBusy = false;
        });
      }
      return journal.append(run, after, events);
    },
  };
}

async function append(house: House, run: string, fact: Fact): Promise<void> {
  const events = await house.events(run);
  const event = { v: EVENT_VERSION, run, seq: events.length + 1, at: house.clock.now(), ...fact } as Event;
  await house.parts.journal.append(run, events.length, [event]);
}

const which: CallOutcome = {
  kind: 'ambiguous',
  question: 'Which?',
  options: [{ label: 'a', value: 'a', args: { id: 1 } }],
};

const TOOLS = {
  'a.get': { takes: 10, run: () => ({ x: 1 }) },
  'a.put': { takes: 10, effect: 'write' as const },
  'b.take': { takes: 5, run: ({ id }: { id?: unknown }) => (id === undefined ? which : 'taken') },
  'c.get': { takes: 7 },
};

const PLAN = [
  { id: 'g', operation: 'a.get' },
  { id: 'bad', operation: 'c.get', args: { x: '${g.nothing}' } },
  { id: 'p', operation: 'a.put', args: { x: '${g.x}' } },
  { id: 'm', operation: 'b.take' },
  { id: 'h', operation: 'c.get', after: ['p'] },
  { id: 'i', operation: 'c.get', after: ['h'] },
];

describe('G2: a command that comes in between', () => {
  it('a cancel right before any append of the driver ends the run: nothing starts afterwards, and no outcome is lost', async () => {
    for (let at = 1; ; at++) {
      const house = createHouse(TOOLS, [PLAN, ...DONE]);
      const run = await house.start('go');
      const journal = intruding(house.parts.journal, at, () =>
        cancelRun({ run, reason: 'stop' }, house.parts),
      );
      await house.clock.runUntil(drive(run, { ...house.parts, journal }));
      const events = await house.events(run);
      expect(brokenLaws(events), `append ${at}`).toEqual([]);
      if (journal.appends < at) break;
      expect(events.at(-1), `append ${at}`).toMatchObject({
        type: 'run_finished',
        data: { outcome: 'cancelled', failure: { message: 'stop' } },
      });
      expect(count(events, 'task_started'), `append ${at}`).toBe(
        count(events, 'task_succeeded') +
          count(events, 'task_failed') +
          count(events, 'task_in_doubt') +
          count(events, 'question_asked'),
      );
      expect(at).toBeLessThan(30);
    }
  });

  it('an answer right before any append of the driver is used, and the run ends as usual', async () => {
    let answered = 0;
    for (let at = 1; ; at++) {
      const house = createHouse(TOOLS, [PLAN, ...DONE]);
      const run = await house.start('go');
      const journal = intruding(house.parts.journal, at, async () => {
        const asked = (await house.events(run)).some(({ type }) => type === 'question_asked');
        if (!asked) return;
        answered++;
        await answerQuestion({ run, question: 'q1', answer: 'a' }, house.parts);
      });
      let state = await house.clock.runUntil(drive(run, { ...house.parts, journal }));
      if (state.end === undefined) {
        await house.answer(run, 'q1', 'a');
        state = await house.drive(run);
      }
      expect(brokenLaws(await house.events(run)), `append ${at}`).toEqual([]);
      expect(state.end).toMatchObject({ outcome: 'answered', answer: 'done' });
      expect(house.toolbox.effects('a.put')).toBe(1);
      if (journal.appends < at) break;
    }
    expect(answered).toBeGreaterThan(2);
  });

  it('a note right before a decision is written reaches the model, also if the model answers before the write ends', async () => {
    const answer = (text: string): Reply => [{ operation: 'answer', args: { text } }];
    const house = createHouse({}, [answer('without the note'), answer('with the note')]);
    const run = await house.start('go');
    const journal = intruding(house.parts.journal, 1, () =>
      addNote({ run, text: 'Also say why.' }, house.parts),
    );
    const state = await house.drive(run, { journal });
    expect(state.end?.answer).toBe('with the note');
    expect(house.mind.thoughts.at(-1)?.state.notes).toHaveLength(1);
  });

  it('a note reaches the built-in planner too, whose decisions would have been written with all that they led to', async () => {
    const reply: Reply = ({ state: { tasks, notes } }) =>
      tasks.size > 0
        ? [{ operation: 'answer', args: { text: 'done' } }]
        : [{ id: notes.length > 0 ? 'with_the_note' : 'without', operation: 'a.get' }];
    const mind = createScriptedMind([reply, reply, reply, reply], 'built-in');
    const house = createHouse({ 'a.get': {} }, [], { mind });
    const run = await house.start('go');
    const journal = intruding(house.parts.journal, 1, () => addNote({ run, text: 'later' }, house.parts));
    const state = await house.drive(run, { journal });
    expect(state.end?.answer).toBe('done');
    expect([...state.tasks.keys()]).toEqual(['with_the_note']);
    mind.verify();
  });

  it('a driver makes progress even if every append conflicts', async () => {
    const names = Array.from({ length: 5 }, (_, index) => `w${index}`);
    const writes = Object.fromEntries(names.map((name) => [`${name}.put`, { effect: 'write' as const }]));
    const house = createHouse({ 'a.get': { takes: 1 }, ...writes }, DONE);
    const tasks = names.map((name) => task(name, `${name}.put`));
    const run = await house.start(
      'go',
      [...tasks, task('g', 'a.get'), task('h', 'a.get', { after: ['g'] })],
      { approval: 'writes' },
    );
    // The approvals wait. The reads continue while an answer arrives before each append.
    let number = 0;
    const journal: Journal = {
      ...house.parts.journal,
      async append(name, after, events) {
        const open = (await house.events(run)).filter(({ type }) => type === 'question_asked').length;
        if (number < open)
          await answerQuestion({ run, question: `q${++number}`, answer: 'approve' }, house.parts);
        return house.parts.journal.append(name, after, events);
      },
    };
    let state = await house.clock.runUntil(drive(run, { ...house.parts, journal }));
    for (; state.end === undefined && number < 5; number++)
      await house.answer(run, `q${number + 1}`, 'approve');
    if (state.end === undefined) state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(names.map((name) => house.toolbox.effects(`${name}.put`))).toEqual([1, 1, 1, 1, 1]);
    expect(brokenLaws(await house.events(run))).toEqual([]);
  });

  it('two commands in a row are both used', async () => {
    const house = createHouse(
      { 'a.get': { takes: 10 }, 'b.put': { effect: 'write' }, 'c.put': { effect: 'write' } },
      DONE,
    );
    const run = await house.start('go', [task('p', 'b.put'), task('q', 'c.put'), task('g', 'a.get')], {
      approval: 'writes',
    });
    const journal = intruding(house.parts.journal, 2, async () => {
      await answerQuestion({ run, question: 'q1', answer: 'approve' }, house.parts);
      await answerQuestion({ run, question: 'q2', answer: 'approve' }, house.parts);
    });
    const state = await house.clock.runUntil(drive(run, { ...house.parts, journal }));
    expect(state.end?.outcome).toBe('answered');
  });
});

describe('a driver that takes over a run while another process writes to it', () => {
  it('does not wait forever for a decision that was lost with the driver before', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go');
    await append(house, run, { type: 'decision_started', data: { decision: 1, purpose: 'act' } });
    await append(house, run, {
      type: 'question_asked',
      data: { question: { id: 'q1', kind: 'missing_input', text: '?' } },
    });
    await house.clock.advance(86_400_000);
    const journal = intruding(house.parts.journal, 1, () =>
      answerQuestion({ run, question: 'q1', answer: 'x' }, house.parts),
    );
    const state = await house.clock.runUntil(drive(run, { ...house.parts, journal }));
    expect(state.end ?? state).toMatchObject({ outcome: 'answered' });
  });

  it('does not count the days before, though its first append conflicted', async () => {
    const house = createHouse({ 'a.get': {}, 'b.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('g', 'a.get'), task('p', 'b.put')], { approval: 'writes' });
    await append(house, run, {
      type: 'plan_approved',
      data: {
        version: 1,
        tasks: [
          { id: 'g', effect: 'read' },
          { id: 'p', effect: 'write' },
        ],
      },
    });
    await append(house, run, { type: 'task_started', data: { task: 'g', attempt: 1, key: `${run}/g` } });
    await append(house, run, {
      type: 'question_asked',
      data: { question: { id: 'q1', kind: 'approval', text: '?', task: 'p', digest: 'other' } },
    });
    await house.clock.advance(5 * 86_400_000);
    const journal = intruding(house.parts.journal, 1, () =>
      answerQuestion({ run, question: 'q1', answer: 'reject' }, house.parts),
    );
    const state = await house.clock.runUntil(drive(run, { ...house.parts, journal }));
    expect(state.end).toMatchObject({ outcome: 'failed', failure: { kind: 'rejected' } });
    expect(count(await house.events(run), 'run_resumed')).toBe(1);
    expect(brokenLaws(await house.events(run))).toEqual([]);
  });
});

describe('two drivers', () => {
  it('S1: the second is refused while the first drives', async () => {
    const house = createHouse({ 'a.get': { takes: 100 } }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    const first = drive(run, house.parts);
    await house.clock.advance(10);
    await expect(drive(run, house.parts)).rejects.toMatchObject({ code: 'run-driven-elsewhere' });
    expect((await house.clock.runUntil(first)).end?.outcome).toBe('answered');
    await drive(run, house.parts);
  });

  it('G3: if another driver has written, this one stops, changes nothing more and releases its claim', async () => {
    for (let at = 1; at <= 3; at++) {
      const house = createHouse({ 'a.put': { effect: 'write', takes: 10 } }, DONE);
      const run = await house.start('go', [task('g', 'a.put'), task('h', 'a.put', { after: ['g'] })]);
      const journal = intruding(house.parts.journal, at, () =>
        append(house, run, { type: 'run_resumed', data: { by: 'another' } }),
      );
      await expect(house.clock.runUntil(drive(run, { ...house.parts, journal }))).rejects.toMatchObject({
        code: 'run-driven-elsewhere',
      });
      expect(house.toolbox.calls).toHaveLength(at - 1);
      await (await house.parts.journal.claim(run)).release();
    }
  });

  it('G3: a driver that only waits notices it too', async () => {
    const house = createHouse({ 'a.get': { takes: 1_000 } }, DONE);
    const run = await house.start('go', [task('g', 'a.get')]);
    const driving = drive(run, house.parts);
    const refused = expect(driving).rejects.toMatchObject({ code: 'run-driven-elsewhere' });
    await house.clock.advance(10);
    await append(house, run, { type: 'run_resumed', data: { by: 'another' } });
    await house.clock.advance(10_000);
    await refused;
    expect(house.clock.now()).toBeLessThan(1_000_000 + 11_000);
    expect(house.toolbox.calls[0]?.call.signal.aborted).toBe(true);
  });
});
