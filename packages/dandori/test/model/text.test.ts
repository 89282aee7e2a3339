import { describe, expect, it } from 'vitest';
import { clip } from '../../src/model/text.ts';

describe('clip', () => {
  it('leaves a short text as it is and marks where a long one is cut', () => {
    expect(clip('four', 4)).toBe('four');
    expect(clip('fours', 4)).toBe('four…');
  });

  it('never leaves half of a surrogate pair, which some providers refuse', () => {
    expect(clip('ab😀cd', 3)).toBe('ab…');
    expect(clip('ab😀cd', 4)).toBe('ab😀…');
  });
});
