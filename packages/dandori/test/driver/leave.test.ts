import { describe, expect, it } from 'vitest';
import { drive } from '../../src/driver/drive.ts';
import type { Parts } from '../../src/driver/parts.ts';
import type { Journal } from '../../src/store/journal.ts';
import { createHouse, DONE, type House, task } from './house.ts';

describe('a driver that is asked to leave', () => {
  it('S6: lets running calls end, starts nothing new, and the next driver continues', async () => {
    const house = createHouse({ 'a.put': { effect: 'write', takes: 1_000 } }, DONE);
    const run = await house.start('go', [task('p', 'a.put'), task('q', 'a.put', { after: ['p'] })]);
    const soon = new AbortController();
    const driving = drive(run, house.parts, { soon: soon.signal });
    await house.clock.advance(100);
    soon.abort();
    const left = await house.clock.runUntil(driving);
    expect(left.end).toBeUndefined();
    expect(left.tasks.get('p')?.status).toBe('succeeded');
    expect(house.toolbox.calls).toHaveLength(1);
    const state = await house.drive(run);
    expect(state.end?.outcome).toBe('answered');
    expect(house.toolbox.effects('a.put')).toBe(2);
  });

  it('S6: at once leaves the call in doubt, and it is not made again', async () => {
    const house = createHouse({ 'a.put': { effect: 'write', takes: 1_000_000 } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    const soon = new AbortController();
    const now = new AbortController();
    const driving = drive(run, house.parts, { soon: soon.signal, now: now.signal });
    await house.clock.advance(100);
    soon.abort();
    now.abort();
    expect((await house.clock.runUntil(driving)).end).toBeUndefined();
    const state = await house.drive(run);
    expect([...state.questions.values()][0]?.question).toMatchObject({ kind: 'in_doubt', task: 'p' });
    expect(house.toolbox.calls).toHaveLength(1);
  });

  it('does not even start if it was asked before', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    await house.clock.runUntil(drive(run, house.parts, { soon: AbortSignal.abort() }));
    expect(house.toolbox.calls).toHaveLength(0);
    expect(await house.events(run)).toHaveLength(2);
  });
});

describe('a driver that loses its claim', () => {
  /** A journal whose claims are lost when the test says so. */
  function withLease(house: House, lost: AbortSignal): Partial<Parts> {
    const { journal } = house.parts;
    const claim: Journal['claim'] = async (run) => {
      const { release } = await journal.claim(run);
      return { lost, release };
    };
    return {
      journal: { ...journal, claim, append: (run, after, events) => journal.append(run, after, events) },
    };
  }

  it('S7: aborts its calls, writes nothing more, and the next driver settles what is in doubt', async () => {
    const house = createHouse({ 'a.put': { effect: 'write', takes: 1_000_000 } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    const lost = new AbortController();
    const driving = drive(run, { ...house.parts, ...withLease(house, lost.signal) });
    driving.catch(() => {});
    await house.clock.advance(100);
    const before = await house.events(run);
    const lostAt = house.clock.now();
    lost.abort();
    await expect(house.clock.runUntil(driving)).rejects.toMatchObject({ code: 'run-driven-elsewhere' });
    // At once, and not when the call has ended.
    expect(house.clock.now()).toBe(lostAt);
    expect(await house.events(run)).toEqual(before);
    const state = await house.drive(run);
    expect([...state.questions.values()][0]?.question).toMatchObject({ kind: 'in_doubt', task: 'p' });
    expect(house.toolbox.calls).toHaveLength(1);
  });

  it('S7: makes no call whose commit took longer than the claim lasted', async () => {
    const house = createHouse({ 'a.put': { effect: 'write' } }, DONE);
    const run = await house.start('go', [task('p', 'a.put')]);
    const lost = new AbortController();
    const { journal } = withLease(house, lost.signal);
    if (journal === undefined) throw new Error('none');
    const append: Journal['append'] = async (...all) => {
      await journal.append(...all);
      lost.abort();
    };
    const driving = drive(run, { ...house.parts, journal: { ...journal, append } });
    await expect(house.clock.runUntil(driving)).rejects.toMatchObject({ code: 'run-driven-elsewhere' });
    expect(house.toolbox.calls).toHaveLength(0);
  });
});
