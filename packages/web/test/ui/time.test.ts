import { describe, expect, it } from 'vitest';
import { ago } from '../../src/ui/time.tsx';

const NOW = new Date(2026, 10, 16, 12).getTime();

describe('times', () => {
  it('are relative, or a date after a week', () => {
    expect(ago(NOW - 5_000, NOW, 'en')).toBe('now');
    expect(ago(NOW + 5_000, NOW, 'en')).toBe('now');
    expect(ago(NOW - 125_000, NOW, 'en')).toBe('2 min. ago');
    expect(ago(NOW - 3 * 3_600_000, NOW, 'ja')).toBe('3 時間前');
    expect(ago(NOW - 86_400_000, NOW, 'en')).toBe('yesterday');
    expect(ago(NOW - 30 * 86_400_000, NOW, 'en')).toBe('Oct 17, 2026');
  });
});
