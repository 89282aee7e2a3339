import { describe, expect, it } from 'vitest';
import { createSteadyClock } from '../../src/driver/clock.ts';
import { count, createHouse, DONE, task } from './house.ts';

const DAY = 86_400_000;

/** The clock of the machine, which can be set. */
function settable() {
  let now = 1_000_000;
  const timers: { due: number; wake: () => void }[] = [];
  return {
    set: (time: number) => {
      now = time;
    },
    now: () => now,
    at(time: number, wake: () => void) {
      const timer = { due: time - now, wake };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
    timers,
  };
}

describe('the time of a drive', () => {
  it('does not go back when the clock of the machine does, and then goes on', () => {
    const machine = settable();
    const clock = createSteadyClock(machine);
    machine.set(1_000_500);
    expect(clock.now()).toBe(1_000_500);
    machine.set(1_000_500 - DAY);
    expect(clock.now()).toBe(1_000_500);
    machine.set(1_000_600 - DAY);
    expect(clock.now()).toBe(1_000_600);
    clock.at(1_000_700, () => {});
    expect(machine.timers.map(({ due }) => due)).toEqual([100]);
  });

  it('is never before the last event of the journal', () => {
    const clock = createSteadyClock(settable());
    clock.notBefore(1_000_000 + DAY);
    expect(clock.now()).toBe(1_000_000 + DAY);
  });
});

describe('a run on a machine whose clock is a day behind its journal', () => {
  it('retries after the usual delay, and not after a day', async () => {
    const faults = [{ kind: 'fail' as const, retryable: true }];
    const house = createHouse({ 'a.get': { faults } }, DONE);
    const run = await house.start('go', [task('t', 'a.get')]);
    let isSetBack = false;
    const clock = {
      now: () => house.clock.now() - (isSetBack ? DAY : 0),
      at: (time: number, wake: () => void) => house.clock.at(time + (isSetBack ? DAY : 0), wake),
    };
    const begun = house.clock.now();
    const state = await house.drive(run, {
      clock,
      onEvent: ({ type }) => {
        isSetBack ||= type === 'task_started';
      },
    });
    expect(state.end?.outcome).toBe('answered');
    expect(count(await house.events(run), 'task_started')).toBe(2);
    expect(house.clock.now() - begun).toBeLessThan(1_000);
  });
});
