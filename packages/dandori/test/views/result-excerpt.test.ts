import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { excerptOf } from '../../src/views/result-digest.ts';

const all = { from: 0, count: Number.POSITIVE_INFINITY, limit: 1_000 };

describe('a part of a result', () => {
  it.each<[Json, object, object]>([
    [{ a: 1 }, {}, { value: { a: 1 } }],
    [[1, 2, 3], {}, { value: [1, 2, 3], total: 3 }],
    [[1, 2, 3], { from: 1, count: 1 }, { value: [2], total: 3, from: 1, next: 2 }],
    [[1, 2, 3], { from: 2, count: 5 }, { value: [3], total: 3, from: 2 }],
    [[1, 2, 3], { from: 9 }, { value: [], total: 3, from: 9 }],
    ['abcdef', { from: 2, count: 3 }, { value: 'cde', total: 6, from: 2, next: 5 }],
  ])('%j %j', (value, range, expected) => {
    expect(excerptOf(value, { ...all, ...range })).toEqual(expected);
  });

  it('of a large value gives its shape and says how to go on', () => {
    const large = { text: 'x'.repeat(5_000) };
    expect(excerptOf(large, all)).toEqual({
      shape: '{text: string of 5000 characters}',
      size: 5_011,
      hint: 'give a path into it',
    });
    expect(excerptOf([1, large], { ...all, from: 1 })).toMatchObject({
      total: 2,
      hint: expect.stringContaining('[1].field'),
    });
  });

  it('is bounded, and all parts together are the whole', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 80 }), (list) => {
        for (const whole of [list, list.join('\n')]) {
          const parts: Json[] = [];
          for (let from: number | undefined = 0; from !== undefined; ) {
            const excerpt = excerptOf(whole, { ...all, from });
            expect(JSON.stringify(excerpt).length).toBeLessThanOrEqual(1_000);
            parts.push(excerpt.value ?? null);
            expect(excerpt.next ?? Number.POSITIVE_INFINITY).toBeGreaterThan(from);
            from = excerpt.next as number | undefined;
          }
          expect(typeof whole === 'string' ? parts.join('') : parts.flat()).toEqual(whole);
        }
      }),
      { numRuns: 60 },
    );
  });
});
