import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#dandori/model/json.ts';
import { type Entry, filledIn, firstEntries, formFields } from '../../src/run/questions/form-draft.ts';

const FORM: JsonObject = {
  type: 'object',
  required: ['name', 'age', 'kind', 'extras', 'address', 'agreed'],
  properties: {
    name: { type: 'string', minLength: 2 },
    age: { type: 'integer', minimum: 18 },
    price: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.1 },
    mail: { type: 'string', format: 'email' },
    at: { type: 'string', format: 'date-time' },
    kind: { enum: ['slow', 'quick'], default: 'slow' },
    extras: { type: 'array', items: { enum: ['bag', 'note'] }, minItems: 1, default: ['note'] },
    agreed: { type: 'boolean' },
    news: { type: 'boolean' },
    address: { $ref: '#/$defs/address' },
    second: { $ref: '#/$defs/address' },
    tags: { type: 'array', items: { type: 'string' } },
    other: { type: 'object' },
  },
  $defs: { address: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } } },
};

const fields = formFields(FORM);
const first = firstEntries(fields);
const fill = (entries: { [name: string]: Entry }) => filledIn(fields, { ...first, ...entries });

describe('a form of a JSON Schema', () => {
  it('has a field for each property, groups for objects, and the defaults', () => {
    expect(fields.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'name text',
      'age number',
      'price number',
      'mail text',
      'at text',
      'kind choice',
      'extras many',
      'agreed flag',
      'news flag',
      'address group',
      'second group',
      'tags other',
      'other other',
    ]);
    expect(first).toMatchObject({ name: '', kind: [0], extras: [1], address: { city: '' } });
  });

  it('reports missing values at the field', () => {
    const { issues } = fill({ extras: [] });
    expect([...issues].map(([path, { kind }]) => `${path} ${kind}`)).toEqual([
      '/name needed',
      '/age needed',
      '/extras minItems',
      '/address/city needed',
    ]);
  });

  it('returns typed values and leaves empty fields out', () => {
    const { value, issues } = fill({
      name: ' Jo ',
      age: '18',
      price: '0.3',
      mail: 'a@b.example',
      at: '2026-11-16T08:00Z',
      kind: [1],
      extras: [0, 1],
      agreed: 'true',
      address: { city: 'Nara' },
      tags: 'a, b',
      other: '{"x": 1}',
    });
    expect([...issues]).toEqual([]);
    expect(value).toEqual({
      name: ' Jo ',
      age: 18,
      price: 0.3,
      mail: 'a@b.example',
      at: '2026-11-16T08:00:00.000Z',
      kind: 'quick',
      extras: ['bag', 'note'],
      agreed: true,
      address: { city: 'Nara' },
      tags: ['a', 'b'],
      other: { x: 1 },
    });
  });

  it.each([
    ['name', 'J', 'minLength'],
    ['age', '17', 'atLeast'],
    ['age', '18.5', 'integer'],
    ['age', 'old', 'number'],
    ['price', '0', 'above'],
    ['price', '0.25', 'multipleOf'],
    ['mail', 'nobody', 'format'],
    ['at', 'soon', 'format'],
    ['other', '{', 'json'],
  ])('refuses for %s what is %j: %s', (name, entry, kind) => {
    expect(fill({ [name]: entry }).issues.get(`/${name}`)?.kind).toBe(kind);
  });

  it('may be a single value', () => {
    const only = formFields({ type: 'integer', maximum: 3 });
    expect(filledIn(only, { '': '2' })).toMatchObject({ value: 2 });
    expect(filledIn(only, { '': '4' }).issues.get('')).toEqual({ kind: 'atMost', limit: 3 });
  });

  it('ends even if it refers to itself', () => {
    const self: JsonObject = {
      type: 'object',
      properties: { again: { $ref: '#' }, name: { type: 'string' } },
    };
    expect(filledIn(formFields(self), firstEntries(formFields(self))).value).toEqual({});
  });
});
