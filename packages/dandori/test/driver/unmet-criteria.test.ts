import { afterEach, describe, expect, it } from 'vitest';
import { historyLines } from '../../src/history/history-lines.ts';
import type { ModelReply, RecordedRequest } from '../../src/testing/model-server/index.ts';
import { closeServers, createModelHouse, factsOf } from './model-house.ts';

afterEach(closeServers);

const planning = {
  strategy: 'chain_of_thought' as const,
  decomposition: 'moderate' as const,
  reflection: { onError: true, interval: 3 },
  revisions: 2,
};
const weather = (id: string, city: string) => ({ id, operation: 'weather.now', args: { city } });
const plan: ModelReply = {
  content: {
    actions: [
      { id: 'p', operation: 'plan.propose', args: { success_criteria: ['Kyoto is known', 'Nara is known'] } },
      weather('t1', 'Kyoto'),
    ],
  },
};
const answer = (met: boolean, achieved = true): ModelReply => ({
  content: {
    actions: [
      { id: 'a', operation: 'answer', args: { text: 'Sun.', achieved, criteria: [{ met: true }, { met }] } },
    ],
  },
});
const more = (id: string, city: string): ModelReply => ({
  content: { reasoning: `${city} is missing`, actions: [weather(id, city)] },
  expect: ({ promptText }: RecordedRequest) => promptText.includes('Not met yet: Nara is known.'),
});

describe('a success criterion that is not met (D1, D8)', () => {
  it.each(['auto', 'planned'] as const)('leads back to planning, as a revision (%s)', async (mode) => {
    const { run } = await createModelHouse([plan, answer(false), more('t2', 'Nara'), answer(true)]);
    const { state, events } = await run({ mode, planning });
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Sun.' });
    expect(factsOf(events, 'plan_revised')).toMatchObject([{ reason: 'Nara is missing', by: 'mind' }]);
    expect(factsOf(events, 'decision_started')[2]).toMatchObject({
      brief: { unmet: ['Nara is known'], revisionsLeft: 2 },
    });
    expect(historyLines(events).map(({ type }) => type)).toEqual(['plan', 'reflection', 'revision']);
    expect(historyLines(events)[1]).toMatchObject({
      trigger: 'evaluation',
      status: 'failure',
      evaluation: 'Nara is known',
      by: 'mind',
    });
  });

  it('ends the run as failed when no revisions are left', async () => {
    const script = [plan, answer(false), more('t2', 'Uji'), answer(false), more('t3', 'Otsu'), answer(false)];
    const { run } = await createModelHouse(script);
    const { state } = await run({ mode: 'auto', planning });
    expect(state.end).toMatchObject({ outcome: 'failed', answer: 'Sun.' });
    expect(state.revisions).toHaveLength(2);
  });

  it('ends the run as failed when the mind does nothing more about it', async () => {
    const { run } = await createModelHouse([plan, answer(false), answer(false, false)]);
    const { state } = await run({ mode: 'auto', planning });
    expect(state.end).toMatchObject({ outcome: 'failed', answer: 'Sun.' });
  });
});

describe('only the mind says that it goes well (B3)', () => {
  it('a mind that was asked to look back and did not leaves no reflection behind', async () => {
    const calls = ['Kyoto', 'Nara', 'Uji'].map((city, index) => weather(`t${index}`, city));
    const done: ModelReply = {
      content: { actions: [{ id: 'a', operation: 'answer', args: { text: 'Sun.', achieved: true } }] },
      expect: 'Look back first',
    };
    const { run } = await createModelHouse([{ content: { actions: calls } }, done]);
    const { state, events } = await run({ mode: 'auto', planning });
    expect(state.end?.outcome).toBe('answered');
    expect(factsOf(events, 'reflection_made')).toEqual([]);
  });
});
