import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { type Outcome, undergo } from './trial.ts';

/** A little of what `npm run kills` does. */
const FEW = [
  { kind: 'kill', count: 2 },
  { kind: 'cut', count: 1 },
] as const;
const MORE = [
  { kind: 'kill', count: 20 },
  { kind: 'stop', count: 3 },
  { kind: 'restart', count: 3 },
  { kind: 'cut', count: 5 },
] as const;

describe('several processes on one database, of which some are killed', () => {
  it('every run ends, no effect is lost and none is done twice', async () => {
    const outcome = await undergo({ troubles: IS_LONG ? MORE : FEW, servers: 2, workers: 0, atOnce: 6 });
    const clean: Partial<Outcome> = { duplicates: [], losses: [], problems: [] };
    expect(outcome).toMatchObject(clean);
  });
});
