import { expect, it } from 'vitest';
import { beginningOf } from '../../src/ui/rich-text.tsx';

it.each([['short'], ['line\n'.repeat(25)], ['x'.repeat(3_000)]])('all of what is not long: %#', (text) => {
  expect(beginningOf(text)).toBe(text);
});

it('keeps a limited number of lines and characters, and never cuts a surrogate pair', () => {
  expect(beginningOf('line\n'.repeat(1_000)).split('\n')).toHaveLength(20);
  expect(beginningOf('x'.repeat(10_000))).toHaveLength(2_500);
  expect(beginningOf(`x${'😀'.repeat(5_000)}`)).toBe(`x${'😀'.repeat(1_249)}`);
});
