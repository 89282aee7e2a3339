import { expect, it } from 'vitest';
import { fuzz } from './fuzz.ts';

it('stays up and within its own description, and tells nothing of its inside, whatever it is sent', async () => {
  const { requests, findings, answered, statuses } = await fuzz(1_500, 4_716);
  expect(findings).toEqual([]);
  expect(requests).toBe(1_500);
  // It would prove little if nothing came through.
  expect(answered.length).toBeGreaterThan(20);
  expect(statuses[200]).toBeGreaterThan(200);
});
