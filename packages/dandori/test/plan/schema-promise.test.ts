import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { isPromised } from '../../src/plan/schema/view.ts';

const row: JsonObject = {
  type: 'object',
  properties: { id: { type: 'number' }, note: { type: 'string' } },
  required: ['id'],
};
const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    rows: { type: 'array', items: { $ref: '#/$defs/row' } },
    pair: { type: 'array', prefixItems: [row, { type: 'object', required: ['x'] }] },
    page: row,
    both: { allOf: [row, { properties: { more: {} }, required: ['more'] }] },
    tree: { $ref: '#/$defs/tree' },
    byName: { type: 'object', additionalProperties: row, required: ['me'] },
  },
  required: ['rows', 'pair', 'both', 'tree', 'byName'],
  $defs: {
    row,
    tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } }, required: ['next'] },
  },
};

describe('what a schema promises, so that a Ref into it can be relied on', () => {
  it.each<[string, (string | number)[], boolean]>([
    ['the result itself', [], true],
    ['a required property', ['rows'], true],
    ['an item of a list', ['rows', 7], true],
    ['a required property of an item', ['rows', 7, 'id'], true],
    ['an optional property of an item', ['rows', 7, 'note'], false],
    ['an item at its own place', ['pair', 0, 'id'], true],
    ['the other item at its own place', ['pair', 1, 'id'], false],
    ['an optional property', ['page'], false],
    ['a required property of an optional one', ['page', 'id'], false],
    ['a property that one of several schemas requires', ['both', 'id'], true],
    ['a property that another of them requires', ['both', 'more'], true],
    ['a schema within itself', ['tree', 'next', 'next'], true],
    ['a required property that is not listed by name', ['byName', 'me', 'id'], true],
    ['a property that is not listed by name', ['byName', 'you'], false],
    ['a property that the schema does not know', ['nobody'], false],
    ['a word of JavaScript', ['constructor'], false],
  ])('%s', (_, path, expected) => {
    expect(isPromised(SCHEMA, path)).toBe(expected);
  });

  it('of a schema without words nothing below the result', () => {
    expect(isPromised({}, [])).toBe(true);
    expect(isPromised({}, ['x'])).toBe(false);
  });
});
