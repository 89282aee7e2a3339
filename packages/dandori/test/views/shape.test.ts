import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { resultForPrompt, shapeOf } from '../../src/views/result-digest.ts';

describe('the shape of a result, which tells a mind what to ask for', () => {
  it.each<[Json, string]>([
    [null, 'null'],
    [3, 'number'],
    ['x', 'string'],
    ['x'.repeat(300), 'string of 300 characters'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 2, 3], '[3 × number]'],
    [[1, 'a'], '[2 × number | string]'],
    [{ total: 2, rows: [{ id: 1, city: 'x' }] }, '{total: number, rows: [1 × {id: number, city: string}]}'],
    [{ 'odd key': true }, '{"odd key": boolean}'],
  ])('%j', (value, shape) => {
    expect(shapeOf(value)).toBe(shape);
  });

  it('is bounded, whatever the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.integer({ min: 20, max: 400 }), (value, longest) => {
        expect(shapeOf(value as Json, longest).length).toBeLessThanOrEqual(longest);
      }),
    );
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`a quite long name of a field ${index}`, { x: index }]),
    );
    expect(shapeOf({ wide, deep: [[[[[[[wide]]]]]]] }).length).toBeLessThanOrEqual(1_000);
  });
});

describe('the digest of a result', () => {
  const more = 'Read more.';

  it('is the result itself where that is small', () => {
    expect(resultForPrompt({ value: { a: 1 } }, { limit: 200, more })).toBe('{"a":1}');
  });

  it('holds size, shape, beginning and the way to the rest within its limit', () => {
    const value = { rows: Array.from({ length: 1_000 }, (_, id) => ({ id, name: `name ${id}` })) };
    const text = resultForPrompt({ value }, { limit: 600, more });
    expect(text).toMatch(
      /^\{"rows":\[\{"id":0,.*… \(\d+ characters in all\)\nshape: \{rows: \[1000 × .*\nRead more\.$/,
    );
    expect(text.length).toBeLessThanOrEqual(610);
  });

  it('of a blob is told from its handle alone, old handles without a shape too', () => {
    const blob = { sha256: 'x', bytes: 99_999, head: '{"rows":[1,2,' };
    const text = resultForPrompt({ blob: { ...blob, shape: '{rows: [7 × number]}' } }, { limit: 600, more });
    expect(text).toBe('{"rows":[1,2,… (99999 bytes in all)\nshape: {rows: [7 × number]}\nRead more.');
    expect(resultForPrompt({ blob }, { limit: 600, more })).toContain('shape: not known');
  });
});
