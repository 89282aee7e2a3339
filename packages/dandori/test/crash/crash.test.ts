import { describe, expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { type Ordeal, undergo } from './ordeal.ts';
import type { Deciding, Kill } from './victim.ts';

const after = (...events: number[]): Kill[] => events.map((count) => ({ afterEvents: count }));

const SERVICES = 'in the middle of services that work off what is left';

/** Some of what `npm run crash` does: the rest takes minutes. */
const ORDEALS: [string, Deciding, Kill[]][] = IS_LONG
  ? [
      ['at its first events', 'plan', [...after(1, 1, 2), { afterMs: 300 }, ...after(2)]],
      ['in the middle of its writes', 'plan', after(6, 3, 4, 4, 4)],
      ['late', 'plan', after(16, 2, 3, 2)],
      ['while a model decides, and later', 'model', after(2, 2, 8, 5, 5)],
      [SERVICES, 'service', [{ afterEffects: 2 }, ...after(4, 3, 3)]],
    ]
  : [
      ['at its first events and in the middle of its writes', 'plan', [{ afterMs: 300 }, ...after(6)]],
      ['while a model decides, and later', 'model', after(2, 8)],
      [SERVICES, 'service', [{ afterEffects: 2 }, ...after(4)]],
    ];

describe('a run killed with SIGKILL again and again', () => {
  it.concurrent.each(ORDEALS)('%s: ends, no effect is lost and none happens twice', async (_, by, kills) => {
    const ordeal = await undergo(by, kills);
    const clean: Partial<Ordeal> = { duplicates: [], losses: [], problems: [], effects: 6 };
    expect(ordeal).toMatchObject(clean);
    expect(ordeal.kills).toBeGreaterThanOrEqual(IS_LONG ? 3 : 2);
  });
});
