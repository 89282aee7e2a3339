import { describe, expect, it } from 'vitest';
import { jsonRows, parentRow } from '../../src/ui/json-rows.ts';

const nothing = { toggled: new Set<string>(), pages: new Map<string, number>() };

describe('the rows of a tree', () => {
  it('open small branches, and give each row its level and position', () => {
    const rows = jsonRows({ a: [1, null], b: 'x' }, nothing);
    expect(rows.map(({ id, level, position, siblings }) => [id, level, position, siblings])).toEqual([
      ['$', 1, 1, 1],
      ['$/a', 2, 1, 2],
      ['$/a/0', 3, 1, 2],
      ['$/a/1', 3, 2, 2],
      ['$/b', 2, 2, 2],
    ]);
    expect(rows[1]).toMatchObject({ kind: 'branch', isOpen: true, count: 2 });
    expect(rows.map((_, index) => parentRow(rows, index))).toEqual([0, 0, 1, 1, 0]);
  });

  it('are 100 of a long list, and 100 more per page', () => {
    const list = Array.from({ length: 250 }, (_, index) => index);
    const first = jsonRows(list, nothing);
    expect(first).toHaveLength(102);
    expect(first.at(-1)).toMatchObject({
      kind: 'more',
      parent: '$',
      left: 150,
      position: 101,
      siblings: 101,
    });
    const third = jsonRows(list, { ...nothing, pages: new Map([['$', 3]]) });
    expect(third).toHaveLength(251);
    expect(third.at(-1)).toMatchObject({ kind: 'leaf', value: 249 });
  });

  it('have unique ids, whatever the keys are', () => {
    const value = { 'a/b': 1, a: { b: 1 }, '…': 2, '~1': 3, __proto__x: 4, '': 5 };
    const ids = jsonRows(value, nothing).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('close when they are toggled', () => {
    const rows = jsonRows({ a: { b: 1 } }, { ...nothing, toggled: new Set(['$/a']) });
    expect(rows.map(({ id }) => id)).toEqual(['$', '$/a']);
  });
});
