import { describe, expect, it } from 'vitest';
import { filtersOf } from '../../src/home/filters.ts';

describe('the filters of an address', () => {
  it("are days in the reader's time zone, including both ends", () => {
    const { since, until } = filtersOf({ since: '2026-11-15', until: '2026-11-15' });
    expect(since).toBe(new Date(2026, 10, 15).getTime());
    expect(until).toBe(new Date(2026, 10, 16).getTime() - 1);
  });

  it('are ignored if they are not valid', () => {
    expect(filtersOf({ status: 'nice', since: 'yesterday', until: '2026-1-1', text: '' })).toEqual({});
    expect(filtersOf({ status: 'failed', text: 'milk' })).toEqual({ status: 'failed', text: 'milk' });
  });
});
