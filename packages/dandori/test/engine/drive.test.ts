import { describe, expect, it } from 'vitest';
import { createHouse } from './house.ts';

describe('drive', () => {
  it('answers a goal that needs no tool in one model call', async () => {
    const house = createHouse({}, [[{ operation: 'answer', args: { text: 'hello' } }]]);
    const state = await house.run('say hello');
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'hello' });
    expect(state.calls).toBe(1);
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
});
