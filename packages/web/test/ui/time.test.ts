import { describe, expect, it } from 'vitest';
import { duration } from '../../src/ui/duration.ts';
import { ago } from '../../src/ui/time.tsx';

const NOW = new Date(2026, 10, 16, 12).getTime();

describe('times', () => {
  it('are told by how long ago, and by the date when that is long', () => {
    expect(ago(NOW - 5_000, NOW, 'en')).toBe('now');
    expect(ago(NOW + 5_000, NOW, 'en')).toBe('now');
    expect(ago(NOW - 125_000, NOW, 'en')).toBe('2 min. ago');
    expect(ago(NOW - 3 * 3_600_000, NOW, 'ja')).toBe('3 時間前');
    expect(ago(NOW - 86_400_000, NOW, 'en')).toBe('yesterday');
    expect(ago(NOW - 30 * 86_400_000, NOW, 'en')).toBe('Oct 17, 2026');
  });

  it('last as long as one can read', () => {
    expect(duration(12, 'en')).toBe('12 ms');
    expect(duration(1_540, 'en')).toBe('1.5 sec');
    expect(duration(65_000, 'en')).toBe('1 min 5 sec');
    expect(duration(2 * 3_600_000, 'ja')).toBe('2 時間');
    expect(duration(90_061_000, 'en')).toBe('1 day 1 hr');
  });
});
