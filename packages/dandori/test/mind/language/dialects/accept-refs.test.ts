import { describe, expect, it } from 'vitest';
import { acceptRefs } from '../../../../src/mind/language/dialects/native-schema.ts';
import type { JsonObject } from '../../../../src/model/json.ts';
import { createSchemaCheck } from '../../../../src/tools/schema/check.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 1, description: 'How many' },
    unit: { type: 'string', enum: ['c', 'f'] },
    name: { type: 'string', description: 'A name' },
    rows: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
    either: { oneOf: [{ type: 'number' }, { type: 'object', properties: { n: { type: 'number' } } }] },
    point: { $ref: '#/$defs/point' },
    any: {},
  },
  $defs: { point: { type: 'object', properties: { x: { type: 'number' } } } },
  required: ['count'],
};

describe('a schema in which a Ref may stand for a value', () => {
  const check = createSchemaCheck();

  it.each<[string, JsonObject]>([
    ['a number', { count: '${t1.n}' }],
    ['a choice', { count: 1, unit: '${t1.unit}' }],
    ['a list', { count: 1, rows: '${t1.rows}' }],
    ['an element', { count: 1, rows: ['${t1.row}'] }],
    ['a number far inside', { count: 1, rows: [{ price: '${t1.price}' }] }],
    ['one of several forms', { count: 1, either: '${t1}' }],
    ['what is defined elsewhere', { count: 1, point: { x: '${t1.x}' } }],
  ])('of %s', (_, args) => {
    expect(check(schema, args)).not.toEqual([]);
    expect(check(acceptRefs(schema), args)).toEqual([]);
  });

  it('still takes the values themselves, and misses what is missing', () => {
    const args = { count: 2, unit: 'c', name: 'x', rows: [{ price: 1 }], either: { n: 1 }, point: { x: 1 } };
    expect(check(acceptRefs(schema), args)).toEqual([]);
    expect(check(acceptRefs(schema), {})).not.toEqual([]);
    expect(check(acceptRefs(schema), { count: [] })).not.toEqual([]);
  });

  it('is left alone where text is taken already, and keeps what describes it in its place', () => {
    expect(acceptRefs(schema).properties).toMatchObject({
      name: { type: 'string', description: 'A name' },
      count: { description: 'How many', type: ['integer', 'string'], minimum: 1 },
      unit: { anyOf: [{ type: 'string', enum: ['c', 'f'] }, { type: 'string' }] },
      any: {},
    });
  });
});
