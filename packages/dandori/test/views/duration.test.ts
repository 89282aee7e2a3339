import { describe, expect, it } from 'vitest';
import { durationText } from '../../src/views/report.ts';

describe('a duration', () => {
  it.each([
    [0.4, '0 ms'],
    [999.4, '999 ms'],
    [999.6, '1.0 s'],
    [59_940, '59.9 s'],
    [59_960, '1 min'],
    [3_599_400, '59 min 59 s'],
    [3_599_800, '1 h'],
    [86_399_000, '1 d'],
    [172_800_000 - 1, '2 d'],
  ])('%d ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
