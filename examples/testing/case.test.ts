import { runCase } from 'dandori/testing';
import { expect, it } from 'vitest';

// #region case
it('tells the weather as it did when it was recorded', async () => {
  const report = await runCase(`${import.meta.dirname}/weather.case.yaml`);
  expect(report.tasks.t2?.result).toMatchObject({ city: 'Tokyo' });
});
// #endregion
