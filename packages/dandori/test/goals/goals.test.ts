import { expect, test } from 'vitest';
import { sample } from '../long.ts';
import { runGoals, SETS } from './main.ts';

test.each(SETS)('without a model, everyday goals end right or say what is missing: %s', async (set) => {
  // Every tenth, and the first of those that are answered, that ask, and that cannot be done.
  const results = await runGoals(set, (goals) => sample(goals, 10, (goal) => Object.keys(goal).join(' ')));
  expect(results.length).toBeGreaterThanOrEqual(10);
  expect(results.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  const right = results.filter(({ verdict }) => verdict === 'right');
  expect(right.length).toBeGreaterThanOrEqual(0.9 * results.length);
});
