import { runCase } from 'dandori/testing';
import { expect, it } from 'vitest';

// #region case
it('reports the weather as in the recording', async () => {
  const report = await runCase(`${import.meta.dirname}/weather.case.yaml`);
  expect(report.tasks.t2?.result).toMatchObject({ city: 'Tokyo' });
});
// #endregion
