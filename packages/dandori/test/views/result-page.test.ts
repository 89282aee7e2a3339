import { describe, expect, it } from 'vitest';
import { partAt } from '../../src/views/result-page.ts';

describe('a part of a result', () => {
  const rows = Array.from({ length: 250 }, (_, index) => ({ id: index, text: 'x'.repeat(index * 20) }));
  const page = { path: [], offset: 0, limit: 100 };

  it('is a page of a list, with its small values whole', () => {
    const part = partAt(rows, { ...page, offset: 190 });
    expect(part).toMatchObject({ kind: 'list', total: 250 });
    const items = part?.kind === 'list' ? part.items : [];
    expect(items.map(({ key }) => key)).toEqual(Array.from({ length: 60 }, (_, index) => 190 + index));
    expect(items[0]).toEqual({ key: 190, value: rows[190] });
    expect(items.at(-1)).toEqual({ key: 249, kind: 'object', total: 2 });
  });

  it('is found by its path, and nowhere else', () => {
    expect(partAt({ rows }, { ...page, path: ['rows', 3, 'id'] })).toEqual({ kind: 'plain', value: 3 });
    expect(partAt({ rows }, { ...page, path: ['rows', 300] })).toBeUndefined();
    expect(partAt({ rows }, { ...page, path: ['toString'] })).toBeUndefined();
    expect(partAt('text', { ...page, path: ['length', 'x'] })).toBeUndefined();
  });

  it('is a stretch of a text, whole characters only', () => {
    const text = '🍵'.repeat(600);
    const part = partAt(text, { ...page, offset: 1, limit: 1 });
    expect(part).toMatchObject({ kind: 'text', total: 1200 });
    expect(part?.kind === 'text' && part.text.isWellFormed()).toBe(true);
  });

  it('says what is in it in little time, also where one of it is very large', () => {
    const large = { all: Array.from({ length: 200_000 }, (_, index) => index) };
    expect(partAt(large, page)).toEqual({
      kind: 'object',
      total: 1,
      items: [{ key: 'all', kind: 'list', total: 200_000 }],
    });
  });
});
