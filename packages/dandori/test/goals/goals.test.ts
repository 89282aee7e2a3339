import { expect, test } from 'vitest';
import { runGoals } from './main.ts';

test.each(['en', 'ja'])(
  'without a model, everyday goals end right or say what is missing: %s',
  async (language) => {
    const results = await runGoals(language);
    expect(results.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
    expect(results.filter(({ verdict }) => verdict === 'right').length).toBeGreaterThanOrEqual(90);
  },
);
