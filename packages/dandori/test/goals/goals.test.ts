import { expect, test } from 'vitest';
import { runGoals, SETS } from './main.ts';

test.each(SETS)('without a model, everyday goals end right or say what is missing: %s', async (set) => {
  const results = await runGoals(set);
  expect(results.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  expect(results.filter(({ verdict }) => verdict === 'right').length).toBeGreaterThanOrEqual(90);
});
