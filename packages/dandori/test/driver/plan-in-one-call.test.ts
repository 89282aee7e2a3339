import { afterEach, expect, it } from 'vitest';
import { historyLines } from '../../src/history/index.ts';
import type { ScriptEntry } from '../../src/testing/model-server/index.ts';
import { planView } from '../../src/views/plan.ts';
import { closeServers, createModelHouse, factsOf } from './model-house.ts';

afterEach(closeServers);

const cities = ['Kyoto', 'Nara', 'Osaka', 'Kobe'];
const calls = cities.map((city, index) => ({
  id: `t${index + 2}`,
  operation: 'weather.now',
  args: { city },
  reasoning: `${city} is one of the four`,
}));
const proposal = {
  id: 't1',
  operation: 'plan.propose',
  args: {
    objective: 'Compare four cities',
    success_criteria: ['All four are known'],
    constraints: ['Today'],
  },
  reasoning: 'four calls',
};
const answer = (met: boolean) => ({
  id: 't9',
  operation: 'answer',
  args: { text: 'Sun.', achieved: true, criteria: [{ met, because: 'seen' }] },
  reasoning: 'all results are there',
});

it('work of more than a few tasks has an objective, criteria and an order without another call (B2)', async () => {
  const script: ScriptEntry[] = [
    {
      content: { reasoning: 'r', actions: [proposal, ...calls] },
      expect: 'begin the list with `plan.propose`',
    },
    { content: { actions: [answer(true)] } },
  ];
  const { run, server } = await createModelHouse(script);
  const { state, events } = await run({ mode: 'auto' });
  expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Sun.' });
  expect(server.requests).toHaveLength(2);
  expect(planView(state)).toMatchObject({
    objective: 'Compare four cities',
    successCriteria: ['All four are known'],
    constraints: ['Today'],
    tasks: ['t2', 't3', 't4', 't5'],
  });
  expect(server.requests.map(({ promptText }) => promptText.includes('`plan.get` {}'))).toEqual([
    false,
    true,
  ]);
  // E1: the reasoning of each action is kept, whatever its operation.
  expect(factsOf(events, 'decision_made').flatMap(({ operations = [] }) => operations)).toMatchObject([
    { operation: 'plan.propose', reasoning: 'four calls' },
    { operation: 'answer', reasoning: 'all results are there' },
  ]);
  expect(factsOf(events, 'plan_proposed')[0]?.tasks.map(({ reasoning }) => reasoning)).toEqual(
    calls.map(({ reasoning }) => reasoning),
  );
});

it('a model that states no criteria still has them, from what its tasks are for', async () => {
  const { run } = await createModelHouse([
    { content: { reasoning: 'Four cities at once.', actions: calls } },
    { content: { actions: [{ id: 'p', operation: 'plan.get', args: {} }] } },
    { content: { actions: [{ id: 'a', operation: 'answer', args: { text: 'Sun.', achieved: true } }] } },
  ]);
  const { state, events } = await run({ mode: 'auto' });
  const order = ['t2', 't3', 't4', 't5'];
  expect(state.tasks.get('p')?.result).toMatchObject({
    value: { objective: state.goal, execution_order: [...order, 'p'] },
  });
  expect(historyLines(events)[0]).toMatchObject({
    goal_understanding: {
      main_objective: state.goal,
      success_criteria: cities.map((city) => `${city} is one of the four: done`),
    },
    decomposition: {
      reasoning: 'Four cities at once.',
      subtasks: [{ description: 'Kyoto is one of the four' }, {}, {}, {}],
    },
    execution_order: order,
  });
});
