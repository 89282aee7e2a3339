import { expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { fuzz } from './fuzz.ts';

const REQUESTS = IS_LONG ? 1_500 : 300;

it('stays up, answers as /openapi.json says, and reveals nothing internal, for any request', async () => {
  const { requests, findings, answered, statuses } = await fuzz(REQUESTS, 4_716);
  expect(findings).toEqual([]);
  expect(requests).toBe(REQUESTS);
  // It would prove little if nothing came through.
  expect(answered.length).toBeGreaterThan(20);
  expect(statuses[200]).toBeGreaterThan(REQUESTS / 8);
});
