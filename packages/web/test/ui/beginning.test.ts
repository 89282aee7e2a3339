import { expect, it } from 'vitest';
import { beginningOf } from '../../src/ui/rich-text.tsx';

it.each([['short'], ['line\n'.repeat(25)], ['x'.repeat(3_000)]])('all of what is not long: %#', (text) => {
  expect(beginningOf(text)).toBe(text);
});

it('so many lines of many, and so many characters of a long one, never half a letter', () => {
  expect(beginningOf('line\n'.repeat(1_000)).split('\n')).toHaveLength(20);
  expect(beginningOf('x'.repeat(10_000))).toHaveLength(2_500);
  expect(beginningOf(`x${'😀'.repeat(5_000)}`)).toBe(`x${'😀'.repeat(1_249)}`);
});
