import { describe, expect, it } from 'vitest';
import { addNote, continueRun, pauseRun } from '../../src/commands/steer.ts';
import { deliverWords } from '../../src/conversation/tell-run.ts';
import { drive } from '../../src/driver/drive.ts';
import type { Reply } from '../../src/testing/scripted-mind.ts';
import { report } from '../../src/views/report.ts';
import { count, createHouse, DONE, task } from '../driver/house.ts';

const ANSWER: Reply = [{ operation: 'answer', args: { text: 'done' } }];

describe('a note to a running run', () => {
  it('is known to the next decision', async () => {
    const house = createHouse({ 'a.get': { takes: 1_000 } }, [
      [{ operation: 'a.get' }],
      ({ state }) => [{ operation: 'answer', args: { text: state.notes.map(({ text }) => text).join() } }],
    ]);
    const run = await house.start('go');
    const driving = drive(run, house.parts);
    await house.clock.advance(500);
    await addNote({ run, text: 'in French, please', by: 'anna' }, house.parts);
    expect((await house.clock.runUntil(driving)).end?.answer).toBe('in French, please');
  });

  it('counts as often as the user sends it, and once if the call of a model repeats it', async () => {
    const house = createHouse({ 'a.get': {} }, [ANSWER]);
    const run = await house.start('go');
    const words = { run, text: 'too dear', by: 'anna' };
    for (let time = 0; time < 2; time++) await deliverWords(words, house.parts);
    const passedOn = { run, text: 'too dear', passedOnBy: { run: 'r2' } };
    for (let time = 0; time < 2; time++) await addNote(passedOn, house.parts);
    await addNote({ ...passedOn, passedOnBy: { run: 'r3' } }, house.parts);
    const said = (await house.drive(run)).notes.map(({ passedOnBy, by }) => passedOnBy?.run ?? by);
    expect(said).toEqual(['anna', 'anna', 'r2', 'r3']);
  });

  it('asks the mind once more if its answer was decided before the note', async () => {
    let say = () => {};
    const house = createHouse({}, [
      () => {
        say();
        return [{ operation: 'answer', args: { text: 'early' } }];
      },
      [{ operation: 'answer', args: { text: 'late' } }],
    ]);
    const run = await house.start('go');
    let told: Promise<void> | undefined;
    say = () => {
      told = addNote({ run, text: 'wait, in French' }, house.parts);
    };
    const state = await house.drive(run);
    await told;
    expect(state.end?.answer).toBe('late');
    house.mind.verify();
  });

  it('does not break a limit: then the existing answer counts', async () => {
    let say = () => {};
    const house = createHouse({}, [
      () => {
        say();
        return [{ operation: 'answer', args: { text: 'early' } }];
      },
    ]);
    const run = await house.start('go', undefined, {
      limits: { steps: 1, calls: 1, tasks: 9, time: 60_000 },
    });
    say = () => void addNote({ run, text: 'wait, in French' }, house.parts);
    expect((await house.drive(run)).end).toMatchObject({ outcome: 'answered', answer: 'early' });
  });

  it('is refused where it is empty or too long, or the run has ended', async () => {
    const house = createHouse({}, DONE);
    const run = await house.start('go');
    for (const text of ['  ', 'x'.repeat(10_001)])
      await expect(addNote({ run, text }, house.parts)).rejects.toMatchObject({ code: 'usage' });
    await house.drive(run);
    await expect(addNote({ run, text: 'too late' }, house.parts)).rejects.toMatchObject({
      code: 'run-ended',
    });
  });
});

describe('a run that is paused', () => {
  it('L10: starts nothing new, lets running calls finish, and resumes when it is continued', async () => {
    const house = createHouse({ 'a.get': { takes: 1_000 } }, DONE);
    const run = await house.start('go', [task('a', 'a.get'), task('b', 'a.get', { after: ['a'] })]);
    const driving = drive(run, house.parts);
    await house.clock.advance(500);
    await pauseRun({ run, reason: 'lunch' }, house.parts);
    const paused = await house.clock.runUntil(driving);
    expect([...paused.tasks.values()].map(({ status }) => status)).toEqual(['succeeded', 'ready']);
    expect(report(paused)).toMatchObject({ outcome: 'paused', paused: { reason: 'lunch' } });
    expect((await house.drive(run)).end).toBeUndefined();
    expect(house.toolbox.calls).toHaveLength(1);
    await addNote({ run, text: 'kept' }, house.parts);
    await continueRun({ run }, house.parts);
    await continueRun({ run }, house.parts);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(report(state).notes).toMatchObject([{ text: 'kept' }]);
    expect(count(await house.events(run), 'run_continued')).toBe(1);
  });

  it('keeps an answer, and the decision in progress', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, [[{ operation: 'a.put' }], ANSWER]);
    const run = await house.start('go', undefined, { approval: 'writes' });
    await house.drive(run);
    await pauseRun({ run }, house.parts);
    await house.answer(run, 'q1', 'approve');
    expect(report(await house.drive(run)).outcome).toBe('paused');
    expect(house.toolbox.calls).toHaveLength(0);
    await continueRun({ run }, house.parts);
    expect((await house.drive(run)).end?.outcome).toBe('answered');
  });

  it('can be cancelled', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const run = await house.start('go', [task('a', 'a.get')]);
    await pauseRun({ run }, house.parts);
    await house.cancel(run, 'no more');
    const told = report(await house.drive(run));
    expect(told.outcome).toBe('cancelled');
    expect(told).not.toHaveProperty('paused');
    expect(house.toolbox.calls).toHaveLength(0);
  });
});

describe('a call that does not stop', () => {
  it.each(['read', 'write'] as const)('is named in the report (%s)', async (effect) => {
    const house = createHouse({ 'a.run': { effect } }, DONE);
    const toolbox = { ...house.toolbox, call: () => new Promise<never>(() => {}) };
    const run = await house.start('go', [task('a', 'a.run')]);
    const driving = drive(run, { ...house.parts, toolbox });
    await house.clock.advance(100);
    await house.cancel(run, 'enough');
    const state = await house.clock.runUntil(driving);
    expect(report(state)).toMatchObject({
      outcome: 'cancelled',
      unstopped: [{ task: 'a', operation: 'a.run' }],
    });
  });
});
