import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../dandori/src/model/json.ts';
import { viewOf } from '../../../dandori/src/plan/schema/view.ts';
import { kindOf, partsOf } from '../../src/tools/schema-tree.tsx';

const words = { anything: 'anything', oneOf: 'one of' };
const kind = (schema: JsonObject) => kindOf(viewOf(schema), words);

describe('the kind of a value', () => {
  it('is a short type', () => {
    expect(kind({ type: 'string', format: 'date' })).toBe('string (date)');
    expect(kind({ type: ['number', 'null'] })).toBe('number | null');
    expect(kind({ type: 'array', items: { type: 'string' } })).toBe('string[]');
    expect(kind({ enum: ['a', 1] })).toBe('"a" | 1');
    expect(kind({})).toBe('anything');
    expect(kind({ anyOf: [{ type: 'string' }, { type: 'object', properties: { a: {} } }] })).toBe('one of');
  });

  it('ends even if a schema contains itself', () => {
    const endless = { type: 'array', items: { $ref: '#' } };
    expect(partsOf(viewOf(endless))).toBe('items');
    expect(kind(endless)).toBe('array');
    const tree = { type: 'object', properties: { left: { $ref: '#' } } };
    expect(partsOf(viewOf(tree))).toBe('fields');
  });
});
