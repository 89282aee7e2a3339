import { describe, expect, it } from 'vitest';
import { ticksOf, topOf } from '../../src/dashboard/chart.ts';
import { pathOf } from '../../src/dashboard/plot.tsx';

describe('a chart', () => {
  it('has a few round lines, the last above all values', () => {
    expect(ticksOf(0)).toEqual([0, 1]);
    expect(ticksOf(1)).toEqual([0, 0.5, 1]);
    expect(ticksOf(7)).toEqual([0, 5, 10]);
    expect(ticksOf(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
    for (const top of [0.0004, 0.07, 3, 64, 999, 12_345, 8e9]) {
      const ticks = ticksOf(top);
      expect(ticks.length).toBeLessThanOrEqual(5);
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(top);
    }
  });

  it('is as high as the stacked bars or the highest line', () => {
    const series = [
      { name: 'a', ink: 'good' as const, values: [1, 2, null] },
      { name: 'b', ink: 'bad' as const, values: [4, 1, 3] },
    ];
    expect(topOf({ kind: 'bars', series })).toBe(5);
    expect(topOf({ kind: 'line', series })).toBe(4);
  });

  it('breaks a line where there is no value, instead of drawing zero', () => {
    const scale = { x: (column: number) => column, y: (value: number) => value };
    expect(pathOf([1, 2, null, 4, null], scale)).toBe('M0.0 1.0L1.0 2.0M3.0 4.0');
    expect(pathOf([null], scale)).toBe('');
  });
});
