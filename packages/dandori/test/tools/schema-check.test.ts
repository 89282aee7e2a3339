import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { isPlainSchema } from '../../src/tools/schema/plain.ts';
import { plainFit } from '../../src/tools/schema/plain-fit.ts';
import { rounds } from '../long.ts';

const check = createSchemaCheck();
const messages = (schema: JsonObject, value: Json) => check(schema, value).map((issue) => issue.message);

describe('a wrong value is reported so that it can be fixed', () => {
  it.each<[string, JsonObject, Json, string]>([
    ['a type', { type: 'number' }, 'abc', 'must be a number, not the string "abc"'],
    ['several types', { type: ['integer', 'null'] }, [1], 'must be an integer or null, not a list of 1'],
    ['an enumeration', { enum: ['a', 'b', 3] }, 'c', 'must be one of "a", "b", 3, not "c"'],
    ['a constant', { const: 5 }, 6, 'must be 5, not 6'],
    ['a limit', { type: 'number', maximum: 3 }, 4, 'must be <= 3, not 4'],
    ['a length', { type: 'string', minLength: 3 }, 'é', 'must have at least 3 characters, not 1'],
    ['a count', { type: 'array', maxItems: 1 }, [1, 2], 'must have at most 1 items, not 2'],
    ['a format', { type: 'string', format: 'date' }, 'tomorrow', '"tomorrow" is not a valid date'],
    ['a pattern', { type: 'string', pattern: '^[a-z]+$' }, 'A', '"A" does not match the pattern ^[a-z]+$'],
    [
      'a choice of types',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      'must be a string or null, not the number 5',
    ],
    [
      'a duplicate',
      { type: 'array', uniqueItems: true },
      [1, 2, 1],
      'must not hold the same item twice: items 0 and 2 are equal',
    ],
  ])('%s', (_name, schema, value, message) => {
    expect(messages(schema, value)).toEqual([message]);
  });

  it('a missing and an unknown property are named, so that a suggestion can be made', () => {
    const schema: JsonObject = {
      type: 'object',
      required: ['city'],
      properties: { city: {} },
      additionalProperties: false,
    };
    expect(check(schema, { citty: 'Oslo' })).toEqual([
      { path: [], keyword: 'required', property: 'city', message: '"city" is missing' },
      {
        path: [],
        keyword: 'additionalProperties',
        property: 'citty',
        message: '"citty" is not a known property',
      },
    ]);
  });

  it('a path holds indexes as numbers and keys as they are, whatever characters they have', () => {
    const schema: JsonObject = {
      properties: { 'a/b': { properties: { '~0': { items: { properties: { '0': { type: 'string' } } } } } } },
    };
    expect(check(schema, { 'a/b': { '~0': [{}, { '0': 1 }] } })[0]?.path).toEqual(['a/b', '~0', 1, '0']);
  });

  it('a choice is one issue, not one for every form that it need not have', () => {
    const schema: JsonObject = {
      properties: {
        shape: {
          oneOf: [
            { $ref: '#/$defs/circle' },
            { type: 'object', properties: { kind: { const: 'square' } }, required: ['kind', 'side'] },
          ],
        },
      },
      $defs: { circle: { type: 'object', properties: { kind: { const: 'circle' } }, required: ['radius'] } },
    };
    expect(check(schema, { shape: { kind: 'square' } })).toEqual([
      {
        path: ['shape'],
        keyword: 'oneOf',
        message:
          'an object fits none of the allowed forms: "radius" is missing; or kind must be "circle", not "square"; or "side" is missing',
      },
    ]);
  });

  it('a huge wrong value is clipped', () => {
    expect(messages({ type: 'number' }, 'x'.repeat(1e6))[0]?.length).toBeLessThan(120);
    const rows = Array.from({ length: 20_000 }, () => 'x');
    // One is enough: a result of millions of wrong rows must not become millions of errors.
    expect(check({ items: { type: 'number' } }, rows)).toHaveLength(1);
    expect(check({ items: { type: 'number' } }, rows.slice(10))).toHaveLength(10_000);
  });
});

describe('schemas as servers really write them work', () => {
  it.each<[string, JsonObject, Json, number]>([
    [
      'draft-07 by name, tuple',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      [1],
      1,
    ],
    [
      'draft-07 tuple without a name',
      { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
      ['a', 'b'],
      1,
    ],
    ['definitions', { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } }, 1, 1],
    [
      '2020-12 by name',
      { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] },
      [1],
      1,
    ],
    ['2020-12 by default', { prefixItems: [{ type: 'string' }] }, [1], 1],
    ['an unknown dialect', { $schema: 'https://example.com/my-schema', type: 'string' }, 1, 1],
    ['an unknown format and keyword', { type: 'string', format: 'colour', 'x-order': 1 }, 'red', 0],
    [
      'a tree',
      { type: 'object', properties: { child: { $ref: '#' }, n: { type: 'number' } } },
      { child: { n: 'x' } },
      1,
    ],
  ])('%s', (_name, schema, value, issues) => {
    expect(check.problem(schema)).toBeUndefined();
    expect(check(schema, value)).toHaveLength(issues);
  });

  it('two tools with the same $id are both checked', () => {
    expect(check({ $id: 'https://example.com/input', type: 'string' }, 1)).toHaveLength(1);
    expect(check({ $id: 'https://example.com/input', type: 'number' }, 'a')).toHaveLength(1);
  });
});

describe('a bad schema costs its own check and nothing else', () => {
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`p${index}`, {}]));
  it.each<[string, JsonObject, RegExp]>([
    ['an unknown type', { type: 'objct' }, /type/],
    ['a broken pattern', { type: 'string', pattern: '(' }, /regular expression|pattern/i],
    ['another document', { $ref: 'https://example.com/schema.json' }, /can't resolve reference/],
    ['a $ref to nowhere', { $ref: '#/$defs/no' }, /can't resolve reference/],
    [
      'a $ref loop',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      /without end/,
    ],
    ['a huge one', { type: 'object', properties: wide }, /too large/],
  ])('%s', (_name, schema, problem) => {
    expect(check(schema, { anything: true })).toEqual([]);
    expect(check.problem(schema)).toMatch(problem);
  });

  it('a schema that takes the name of the meta-schema does not replace it', () => {
    check({ $id: 'https://json-schema.org/draft/2020-12/schema', type: 'string' }, 1);
    expect(check.problem({ type: 'objct' })).toMatch(/^schema is invalid: data\/type must be/);
    expect(check({ type: 'string' }, 1)).toHaveLength(1);
  });
});

it('a schema that passes for plain is valid by its meta-schema, in both drafts', () => {
  const load = createRequire(import.meta.url);
  const { Ajv } = load('ajv') as typeof import('ajv');
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const drafts = [new Ajv({ logger: false }), new Ajv2020({ logger: false })];
  const odd = fc.constantFrom<Json>('string', 'strin', ['string', 'null'], ['string', 'string'], [], 2, -1, 0.5, true, null, {}, 'a', ['a', 'b'], ['a', 'a'], ['a', 1]); // biome-ignore format: a table
  const keyword = fc.constantFrom(
    ...['type', 'properties', 'required', 'additionalProperties', 'items', 'anyOf', 'description', 'title', 'default', 'const'],
    ...['enum', 'minimum', 'exclusiveMaximum', 'minLength', 'maxItems', 'uniqueItems', 'pattern', '$ref', 'toString'],
  ); // biome-ignore format: a table
  const schema = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.dictionary(
      keyword,
      fc.oneof(odd, odd, tie('node'), fc.array(tie('node'), { maxLength: 2 }), fc.dictionary(keyword, tie('node'), { maxKeys: 2 })),
      { maxKeys: 2 },
    ),
  })).node; // biome-ignore format: a table
  let plain = 0;
  fc.assert(
    fc.property(schema, (one) => {
      if (!isPlainSchema(one)) return;
      plain += 1;
      for (const ajv of drafts) expect(ajv.validateSchema(one)).toBe(true);
    }),
    { numRuns: rounds(5_000) },
  );
  expect(plain).toBeGreaterThan(20);
});

it('a schema is compiled once, whether its first value is small or large', () => {
  const readsFor = (value: Json) => {
    let reads = 0;
    const items = { type: 'integer' };
    const schema: JsonObject = {
      type: 'array',
      get items() {
        reads++;
        return items;
      },
    };
    expect(createSchemaCheck()(schema, value)).toEqual([]);
    return reads;
  };
  expect(readsFor(Array.from({ length: 30_000 }, () => 1))).toBe(readsFor([1]));
});

describe('simple arguments are accepted without ajv', () => {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');

  it('only if ajv accepts them too', () => {
    const scalar = fc.oneof(
      fc.constantFrom<Json>('', 'a', '🎋', '日本', 0, 1, 2.5, -3, true, null),
      fc.string({ maxLength: 4 }),
    );
    const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }), fc.constant<Json>({}));
    const type = fc.constantFrom<Json>('string', 'number', 'integer', 'boolean', 'array', 'object');
    const simple = fc.record(
      {
        type,
        enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
        minimum: fc.integer({ min: -4, max: 4 }),
        maximum: fc.integer({ min: -4, max: 4 }),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        description: fc.constant('x'),
      },
      { requiredKeys: ['type'] },
    );
    const field = fc.oneof(
      type.map((one) => ({ type: one })),
      simple,
      simple.map((items) => ({ type: 'array', items })),
    );
    const name = fc.constantFrom('a', 'b', '__proto__');
    const schema = fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(name, field),
        required: fc.uniqueArray(name, { maxLength: 1 }),
        additionalProperties: fc.boolean(),
      },
      { requiredKeys: ['type'] },
    );
    let accepted = 0;
    fc.assert(
      fc.property(schema, fc.dictionary(name, value), (wanted, given) => {
        if (!plainFit(wanted as JsonObject)(given)) return;
        accepted++;
        expect(new Ajv2020({ strict: false }).validate(wanted, given)).toBe(true);
      }),
      { numRuns: rounds(5000) },
    );
    expect(accepted).toBeGreaterThan(0);
    const odd = JSON.parse('{"__proto__": {"type": "string"}}') as JsonObject;
    const given = JSON.parse('{"__proto__": "a"}') as Json;
    expect(plainFit({ type: 'object', properties: odd })(given)).toBe(false);
  });

  it('reads only the fields that a value has, because a stranger may list a million', () => {
    const read: string[] = [];
    const properties = new Proxy(
      { a: { type: 'string' }, b: { type: 'string' } },
      {
        get: (fields, name, receiver) => {
          read.push(String(name));
          return Reflect.get(fields, name, receiver);
        },
      },
    );
    const fits = plainFit({ type: 'object', properties });
    expect(fits({ a: 'x', other: 1 })).toBe(true);
    expect(fits({ a: 2 })).toBe(false);
    expect(read).toEqual(['a']);
  });

  it.each<[string, JsonObject, Json]>([
    ['texts and limits', { type: 'string', minLength: 1, maxLength: 500 }, '1 + 2'],
    ['numbers', { type: 'number', minimum: -90, maximum: 90 }, 35.7],
    ['choices', { type: 'string', enum: ['a', 'b'] }, 'b'],
    ['lists', { type: 'array', items: { type: 'string' } }, ['a']],
  ])('as most are: %s', (_name, field, value) => {
    const schema = {
      type: 'object',
      properties: { field },
      required: ['field'],
      additionalProperties: false,
    };
    expect(plainFit(schema)({ field: value })).toBe(true);
    expect(plainFit(schema)({})).toBe(false);
    expect(plainFit(schema)({ field: value, other: 1 })).toBe(false);
  });
});
