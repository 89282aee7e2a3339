import { describe, expect, it } from 'vitest';
import { fold } from '../../../dandori/src/run/state/apply.ts';
import { snapshot } from '../../../dandori/src/run/state/state.ts';
import { createPastStates } from '../../src/live/past-states.ts';
import { ANSWER, keptRuns, live } from '../lived.ts';

const textAt = (events: Parameters<typeof fold>[0], seq: number) => {
  const state = fold([...events].slice(0, seq));
  return state && snapshot(state);
};

describe('an earlier state', () => {
  it('equals the state of the run at that event, in any order of jumps', async () => {
    for (const { events } of (await keptRuns()).values()) {
      const moments = createPastStates(() => events);
      const there = [...events.keys()].map((index) => index + 1);
      for (const seq of [...there, ...there.toReversed(), ...there.filter((n) => n % 3 === 0), 1]) {
        const state = moments.at(seq);
        expect(state && snapshot(state)).toBe(textAt(events, seq));
      }
    }
  });

  it('is prepared, so that a jump back does not fold from the first event', async () => {
    const tasks = Array.from({ length: 2_500 }, (_, index) => ({
      id: `t${index}`,
      operation: 'books.find',
      args: {},
    }));
    const { events } = await live({ tasks, replies: [ANSWER] });
    expect(events.length).toBeGreaterThan(5_000);
    let read = 0;
    const counted = new Proxy(events, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) read++;
        return Reflect.get(target, key);
      },
    });
    const moments = createPastStates(() => counted);
    moments.at(events.length - 1);
    while (moments.prepare());
    read = 0;
    const state = moments.at(events.length - 2);
    expect(read).toBeLessThan(events.length / 5);
    expect(state && snapshot(state)).toBe(textAt(events, events.length - 2));
  });
});
