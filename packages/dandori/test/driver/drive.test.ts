import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import type { Journal } from '../../src/store/journal.ts';
import type { CallOutcome } from '../../src/tools/toolbox.ts';
import { count, createHouse, DONE, task } from './house.ts';

describe('drive', () => {
  it('answers a goal that needs no tool in one model call', async () => {
    const house = createHouse({}, [[{ operation: 'answer', args: { text: 'hello' } }]]);
    const state = await house.run('say hello');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'hello' });
    expect(state.modelCalls).toBe(1);
  });

  it('runs a planned goal with two dependent tasks in two model calls', async () => {
    const house = createHouse(
      {
        'places.locate': { run: () => ({ city: 'Tokyo' }) },
        'places.weather': { run: ({ city }) => ({ text: `sunny in ${city}` }) },
      },
      [
        [
          { id: 't1', operation: 'places.locate' },
          { id: 't2', operation: 'places.weather', args: { city: '${t1.city}' } },
        ],
        (thought) => [{ operation: 'answer', args: { text: thought.resultText('t2') } }],
      ],
    );
    const state = await house.run('weather');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: '{"text":"sunny in Tokyo"}' });
    house.mind.verify();
  });

  it('S4: the outcomes of calls that end at the same time are written together', async () => {
    const house = createHouse({ 'a.get': {} }, DONE);
    const { journal, toolbox } = house.parts;
    const batches: (readonly Event[])[] = [];
    const append: Journal['append'] = (run, after, events) => {
      batches.push(events);
      return journal.append(run, after, events);
    };
    // Timers that are due run one by one in one turn of the event loop, each with all that follows from it at once.
    const call = () =>
      new Promise<CallOutcome>((resolve) => setImmediate(resolve, { kind: 'succeeded', result: 1 }));
    const run = await house.start(
      'go',
      Array.from({ length: 10 }, (_, index) => task(`t${index}`, 'a.get')),
    );
    await house.drive(run, { journal: { ...journal, append }, toolbox: { ...toolbox, call } });
    const ends = batches.map((events) => count(events, 'task_succeeded')).filter((ended) => ended > 0);
    expect(ends).toEqual([10]);
  });
});
