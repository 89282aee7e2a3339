import { expect, it } from 'vitest';
import { newId } from '../../src/commands/index.ts';

it('thousands of runs that start in the same millisecond have different ids, so that none gets the run of another', () => {
  const ids = new Set(Array.from({ length: 5_000 }, () => newId(0)));
  expect(ids.size).toBe(5_000);
});
