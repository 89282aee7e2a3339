import { describe, expect, it } from 'vitest';
import { clip, displayWidth } from '../../src/model/text.ts';

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

it('text lines up in a terminal: East Asian characters are two columns wide, combining marks none', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('日本語')).toBe(6);
  expect(displayWidth('か\u3099')).toBe(2);
  expect(displayWidth('😀')).toBe(2);
});
