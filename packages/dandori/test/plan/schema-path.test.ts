import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { clash } from '../../src/plan/schema/fit.ts';
import { missingIn, pathTarget } from '../../src/plan/schema/path.ts';
import { viewOf } from '../../src/plan/schema/view.ts';

const WEATHER: JsonObject = {
  type: 'object',
  required: ['city', 'rows'],
  additionalProperties: false,
  $defs: {
    row: {
      type: 'object',
      properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      required: ['id'],
      additionalProperties: false,
    },
  },
  properties: {
    city: { type: 'string' },
    rows: { type: 'array', items: { $ref: '#/$defs/row' } },
    either: {
      anyOf: [
        { type: 'number' },
        { type: 'object', properties: { value: { type: 'number' } }, additionalProperties: false },
      ],
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
    free: { type: 'object' },
    map: { type: 'object', additionalProperties: { type: 'boolean' } },
    both: {
      allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'number' } } }],
      type: 'object',
      additionalProperties: false,
    },
    endless: { $ref: '#/properties/endless' },
    foreign: { $ref: 'https://example.com/schema.json' },
  },
};

const kinds = (expression: string, schema = WEATHER) => {
  const found = pathTarget(schema, expression);
  return found.kind === 'found' ? found.views.map(({ schema: { type } }) => type) : found.kind;
};

describe('where a Ref leads in what a tool says it returns', () => {
  it.each<[string, unknown]>([
    ['', ['object']],
    ['city', ['string']],
    ['rows[0].id', ['integer']],
    ['rows[0].name', [['string', 'null']]],
    ['rows[-1].id', ['integer']],
    ['pair[-1]', 'unknown'],
    ['pair[2]', 'unknown'],
    ['rows[*].id', ['array']],
    ['rows[*].nme', 'missing'],
    ['rows[1:].id', ['array']],
    ['rows[1:].nme', 'missing'],
    ['rows[?id > `1`].id', ['array']],
    ['rows[?id > `1`].nme', 'missing'],
    ['rows[?id > `1`] | [0].id', ['integer']],
    ['rows[*].id | [0]', ['integer']],
    ['rows[].id', ['array']],
    ['rows[].nme', 'missing'],
    ['pair[*].x', ['array']],
    ['map.*', ['array']],
    ['{where: city, first: rows[0].id}', ['object']],
    ['{where: city}.wher', 'missing'],
    ['{where: town}', 'missing'],
    ['{where: city}.where', ['string', 'null']],
    ['[city, rows][1][0].id', ['integer']],
    ['[city, rows][2]', 'missing'],
    ['rows[*].{n: name}', ['array']],
    ['rows[*].{n: name}[0].m', 'missing'],
    ['length(rows)', ['integer']],
    ['rows.length(@)', ['integer']],
    ['length(rowz)', 'missing'],
    ['to_string(rows[0].id)', ['string']],
    ['sort_by(rows, &name)[0].id', ['integer']],
    ['sort_by(rows, &name)[0].nme', 'missing'],
    ["city == 'x'", ['boolean']],
    ['city || rows[0].id', ['string', 'integer']],
    ['city && rows', 'unknown'],
    ['max_by(rows, &id).id', 'unknown'],
    ['either.value', ['number']],
    ['pair[1]', ['number']],
    ['free.anything', 'unknown'],
    ['map.whatever', ['boolean']],
    ['both.b', ['number']],
    ['endless.x', 'unknown'],
    ['foreign.x', 'unknown'],
    ['town', 'missing'],
    ['rows[0].nam', 'missing'],
    ['city.length', 'missing'],
    ['city[0]', 'missing'],
    ['rows.id', 'missing'],
    ['either.other', 'missing'],
    ['both.c', 'missing'],
    ['"constructor"', 'missing'],
  ])('%s', (expression, expected) => {
    expect(kinds(expression)).toEqual(expected);
  });

  it.each<[string, JsonObject, string, unknown]>([
    [
      'a type that extends another',
      {
        $ref: '#/$defs/base',
        properties: { extra: { type: 'string' } },
        unevaluatedProperties: false,
        $defs: { base: { properties: { base: { type: 'number' } } } },
      },
      'base',
      ['number'],
    ],
    [
      'fields beside a choice',
      {
        properties: { id: { type: 'integer' } },
        required: ['id'],
        oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
        unevaluatedProperties: false,
      },
      'id',
      ['integer', 'integer'],
    ],
    [
      'an anchor, which may stand anywhere',
      { properties: { city: { $ref: '#city' } }, required: ['city'] },
      'city.x',
      'unknown',
    ],
    [
      'a reference that cannot be read',
      { properties: { city: { $ref: '#/$defs/a%zz' } }, required: ['city'] },
      'city.x',
      'unknown',
    ],
    ['a word that is no type', { properties: { n: { type: 'int' } }, required: ['n'] }, 'n.x', 'unknown'],
    [
      'a choice without end',
      { anyOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'object', properties: { a: { type: 'string' } } }] },
      'a',
      'unknown',
    ],
    [
      'a conjunction without end',
      { type: 'object', allOf: [{ $ref: '#' }, { $ref: '#' }, { $ref: '#' }] },
      'a',
      'unknown',
    ],
  ])('follows %s', (_, schema, expression, expected) => {
    expect(kinds(expression, schema)).toEqual(expected);
  });

  it('says what is there, and what was most likely meant', () => {
    expect(pathTarget(WEATHER, 'rows[0].nam')).toMatchObject({
      message: 'there is no field "nam", only "id", "name"',
      suggestion: 'name',
    });
    expect(pathTarget(WEATHER, 'city[0]')).toMatchObject({ message: 'a string has no item [0]' });
  });

  it('a schema that requires and forbids nothing is a description: what it does not list may be there', () => {
    const described: JsonObject = { type: 'object', properties: { result: { type: 'number' } } };
    expect(pathTarget(described, 'result_x')).toMatchObject({ kind: 'unlisted', suggestion: 'result' });
    expect(pathTarget(described, '[20]')).toMatchObject({ kind: 'unlisted' });
    expect(pathTarget({}, 'x')).toEqual({ kind: 'unknown' });
  });

  it.each<[string, boolean]>([
    ['city == `"Tokyo"`', true],
    ['rows[0].id > `1` && length(rows) < `5`', true],
    ['town == `"Tokyo"`', false],
    ['rows[?id > `1`] && !(city.x)', true],
    ['town == `null`', true],
    ['town != `null`', false],
    ['!(city.x) && town', false],
    ['length(rowz) > `1`', false],
    ['rows[*].nonsense', false],
  ])('an expected outcome %s names only what can be there: %s', (condition, fits) => {
    expect(missingIn(WEATHER, condition)?.isSought !== true).toBe(fits);
  });

  it('a test that something is not there, which is never there, is told and does no harm', () => {
    expect(missingIn(WEATHER, '!town')).toMatchObject({ isSought: false });
    expect(missingIn(WEATHER, '!city')).toBeUndefined();
  });

  it('what a schema forbids altogether is not there', () => {
    const schema: JsonObject = {
      properties: { old: false, pair: { type: 'array', prefixItems: [{}], items: false } },
      required: ['pair'],
    };
    expect(kinds('old', schema)).toBe('missing');
    expect(kinds('pair[0]', schema)).toEqual([undefined]);
    expect(kinds('pair[1]', schema)).toBe('missing');
  });
});

describe('whether a value of one schema can ever fit another', () => {
  const reason = (given: JsonObject, wanted: JsonObject) => clash([viewOf(given)], viewOf(wanted));

  it.each<[string, JsonObject, JsonObject, boolean]>([
    ['text for a number', { type: 'string' }, { type: 'number' }, false],
    ['a whole number for a number', { type: 'integer' }, { type: 'number' }, true],
    ['a number that may be whole', { type: 'number' }, { type: 'integer' }, true],
    ['a text that may be null', { type: ['string', 'null'] }, { type: 'string' }, true],
    ['nothing for a text', { type: 'null' }, { type: 'string' }, false],
    ['anything for a text', {}, { type: 'string' }, true],
    ['a text for anything', { type: 'string' }, {}, true],
    ['one of the wanted words', { enum: ['a', 'b'] }, { enum: ['b', 'c'] }, true],
    ['none of the wanted words', { enum: ['a'] }, { enum: ['b', 'c'] }, false],
    ['a word for a number', { const: 'a' }, { type: 'number' }, false],
    ['one of several', { type: 'string' }, { anyOf: [{ type: 'number' }, { type: 'string' }] }, true],
    ['none of several', { type: 'boolean' }, { anyOf: [{ type: 'number' }, { type: 'string' }] }, false],
    [
      'a list of numbers for a list of texts',
      { type: 'array', items: { type: 'number' } },
      { type: 'array', items: { type: 'string' } },
      false,
    ],
    ['a list of anything', { type: 'array' }, { type: 'array', items: { type: 'string' } }, true],
    [
      'an object without the wanted field',
      { type: 'object', additionalProperties: false, properties: { a: {} } },
      { type: 'object', required: ['b'] },
      false,
    ],
    [
      'an object that may have it',
      { type: 'object', properties: { a: {} } },
      { type: 'object', required: ['b'] },
      true,
    ],
    [
      'an object with a field that is not allowed',
      { type: 'object', properties: { a: {}, b: {} }, required: ['b'] },
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      false,
    ],
    [
      'an object that may be without it',
      { type: 'object', properties: { a: {}, b: {} } },
      { type: 'object', properties: { a: {} }, additionalProperties: false },
      true,
    ],
    [
      'an object whose field a condition may allow',
      { type: 'object', required: ['b'] },
      {
        type: 'object',
        properties: { a: {} },
        unevaluatedProperties: false,
        if: {},
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { b: {} } },
      },
      true,
    ],
    [
      'an object whose field fits a pattern',
      { type: 'object', required: ['b'] },
      { type: 'object', patternProperties: { b: {} }, additionalProperties: false },
      true,
    ],
    ['anything where nothing is allowed', {}, { not: {} }, false],
    [
      'an object with a field that must be absent',
      { type: 'object', properties: { a: {} }, required: ['a'] },
      { type: 'object', properties: { a: false } },
      false,
    ],
    [
      'an object whose field has another type',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
      false,
    ],
  ])('%s', (_, given, wanted, fits) => {
    expect(reason(given, wanted) === undefined).toBe(fits);
  });

  it('ends for types that hold themselves many times over', () => {
    const either: JsonObject = { anyOf: [{ $ref: '#' }, { type: 'string' }] };
    const fields: JsonObject = { a: either, b: either, c: either, d: either, e: either };
    const tree: JsonObject = { type: 'object', properties: fields, required: Object.keys(fields) };
    expect(reason(tree, structuredClone(tree))).toBeUndefined();
  });

  it('knows the other way of saying that nothing may be given', () => {
    expect(reason({ type: 'null' }, { type: 'string', nullable: true })).toBeUndefined();
  });

  it('says what it is and what is wanted', () => {
    expect(reason({ type: 'string' }, { type: 'number' })).toBe('it is string, but must be number');
  });
});
