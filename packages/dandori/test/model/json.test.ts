import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spacedStandIns, standIns } from '../../src/model/json/huge-ints.ts';
import { numberFrom } from '../../src/model/json/numbers.ts';
import { isLongerThan, jsonParts } from '../../src/model/json/parts.ts';
import type { Json } from '../../src/model/json.ts';
import { canonicalJson, isNormal, normalise, parseJson, stringifyJson } from '../../src/model/json.ts';
import { query } from '../../src/plan/query.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';

/** All that JavaScript has, also where JSON has nothing like it. */
const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
  withUnicodeString: true,
  key: fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', '2', '1', 'constructor', '\ud800')),
  values: [
    fc.boolean(),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.constantFrom(
      2 ** 53,
      -(2 ** 63),
      1e20,
      1e21,
      1e-7,
      -0,
      2n ** 64n,
      Number.NaN,
      '\ud800',
      '\u2028',
      undefined,
      null,
    ),
  ],
});

describe('what comes into the house is what the journal gives back', () => {
  it('whatever it is', () => {
    fc.assert(
      fc.property(anything, (value) => {
        const normal = normalise(value);
        deepStrictEqual(parseJson(stringifyJson(normal)), normal);
        deepStrictEqual(normalise(normal), normal);
        expect(isNormal(normal)).toBe(true);
        // Nothing is taken for normal that reading the journal would change.
        if (isNormal(value)) deepStrictEqual(normal, value);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a text without integers beyond 2^53 is read and written as `JSON` does it, but for -0 and what overflows', () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false }), fc.constantFrom(0, 2), (text, indent) => {
        const plain = JSON.parse(text, (_, value: unknown) => (Object.is(value, -0) ? 0 : value));
        const isUnsafe = /\d{16}|\de/i.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''));
        if (!isUnsafe) expect(parseJson(text)).toStrictEqual(plain);
        expect(stringifyJson(parseJson(text), indent)).toBe(JSON.stringify(JSON.parse(text), null, indent));
      }),
      { numRuns: 2_000 },
    );
  });

  it('as text with bigints in it, in lines or not', () => {
    const value = {
      a: [1n, { b: 2n ** 70n, c: [], d: {} }, undefined, () => 1],
      e: undefined,
      f: new Date(0),
      'g"': '\n',
    };
    const plain = JSON.stringify(
      value,
      (_, item: unknown) => (typeof item === 'bigint' ? `#${item}#` : item),
      2,
    );
    expect(stringifyJson(value, 2)).toBe(plain.replaceAll(/"#(-?\d+)#"/g, '$1'));
    expect(stringifyJson(value)).toBe(
      '{"a":[1,{"b":1180591620717411303424,"c":[],"d":{}},null,null],"f":"1970-01-01T00:00:00.000Z","g\\"":"\\n"}',
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9007199254740993.0', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['9007199254740993000e-3', 9007199254740993n],
    ['1e15', 1e15],
    ['1e20', 10n ** 20n],
    ['1e21', 1e21],
    ['1e999', null],
    ['-1e999', null],
    ['-0', 0],
    ['-0.0', 0],
    ['-0e7', 0],
    ['-1e-400', 0],
    ['1e-400', 0],
    ['0.5', 0.5],
    ['12345678901234567.89', 12345678901234568n],
    ['"9007199254740993"', '9007199254740993'],
    [`${'9'.repeat(2_000)}`, BigInt('9'.repeat(2_000))],
    [`${'9'.repeat(3_000)}`, null],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toStrictEqual(value);
    expect(parseJson(` [ ${text} ,{"a\\"\\\\": ${text}}]`)).toStrictEqual([value, { 'a"\\': value }]);
  });

  it('the last of two equal keys counts, and `__proto__` is a key like any other', () => {
    const value = parseJson('{"a":9007199254740993,"b":[1e999],"a":{"__proto__":9007199254740993}}') as {
      a: object;
    };
    expect(stringifyJson(value)).toBe('{"a":{"__proto__":9007199254740993},"b":[null]}');
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
  });

  it.each(['[1', '{"a":}', '01', '9007199254740993n', '\ufeff1', '[1e]', ''])(
    'a text that is not JSON is refused: %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('a value that contains itself is an error and does not end the process', () => {
    const deep = `${'['.repeat(200_000)}9007199254740993${']'.repeat(200_000)}`;
    const value = parseJson(deep);
    expect(() => stringifyJson(value)).toThrow(RangeError);
    expect(isNormal(value)).toBe(false);
    const circle: unknown[] = [1n];
    circle.push(circle);
    expect(() => stringifyJson(circle)).toThrow(TypeError);
  });

  it('a program may have taught bigints to be texts', () => {
    Object.assign(BigInt.prototype, { toJSON: () => 'a text' });
    try {
      expect(stringifyJson({ id: 2n ** 60n })).toBe('{"id":1152921504606846976}');
    } finally {
      Reflect.deleteProperty(BigInt.prototype, 'toJSON');
    }
  });

  it.each([
    ['12', 12],
    [' +9007199254740993 ', 9007199254740993n],
    ['0x20000000000001', 9007199254740993n],
    ['1.5e3', 1500],
    ['.5', 0.5],
    ['1e999', undefined],
    ['Infinity', undefined],
    ['', undefined],
    ['12a', undefined],
  ])('a person may type %j', (text, value) => {
    expect(numberFrom(text)).toBe(value);
  });
});

const big = fc.oneof(
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 53n + 20n }),
  fc.bigInt({ min: 2n ** 63n - 10n, max: 2n ** 63n + 10n }),
  fc.bigInt({ min: -(2n ** 64n), max: -(2n ** 53n) }),
  fc.bigInt({ min: 10n ** 400n, max: 10n ** 400n + 5n }),
);

describe('where a library knows no bigint', () => {
  it('the numbers that stand for them are in the same order, and none is twice', () => {
    fc.assert(
      fc.property(fc.uniqueArray(big), fc.uniqueArray(big, { maxLength: 3 }), (values, limits) => {
        const fixed = spacedStandIns(new Set(limits));
        const numbers = standIns(new Set(values), fixed);
        const sorted = [...numbers.keys()].sort((a, b) => (a < b ? -1 : 1));
        for (const [index, value] of sorted.entries()) {
          const next = sorted[index + 1];
          if (next !== undefined) expect(numbers.get(value)).toBeLessThan(numbers.get(next) as number);
          expect(Math.abs(numbers.get(value) as number)).toBeGreaterThanOrEqual(2 ** 53);
        }
        for (const limit of limits) expect(numbers.get(limit)).toBe(fixed.get(limit));
      }),
      { numRuns: 500 },
    );
  });

  const check = createSchemaCheck();
  const issues = (schema: string, value: string) =>
    check(parseJson(schema) as { [key: string]: Json }, parseJson(value)).map(({ message }) => message);

  it.each([
    ['{"type":"integer"}', '9007199254740993'],
    ['{"type":"number","minimum":0}', '9007199254740993'],
    ['{"type":"integer","maximum":9223372036854775807}', '9223372036854775807'],
    ['{"const":9007199254740993}', '9007199254740993'],
    ['{"maximum":1e30}', '9007199254740993'],
    ['{"multipleOf":3}', '9007199254740993'],
    ['{"enum":["a",9007199254740993]}', '9007199254740993'],
    ['{"type":"array","uniqueItems":true}', '[9007199254740992,9007199254740993,9007199254740994]'],
    ['{"type":["string","null","integer"]}', '18446744073709551615'],
  ])('the schema %s takes %s', (schema, value) => {
    expect(issues(schema, value)).toEqual([]);
  });

  it.each([
    ['{"type":"string"}', '9007199254740993', 'must be a string, not the number 9007199254740993'],
    [
      '{"type":"integer","maximum":9223372036854775807}',
      '9223372036854775808',
      'must be <= 9223372036854775807, not 9223372036854775808',
    ],
    ['{"minimum":9007199254740994}', '9007199254740993', 'must be >= 9007199254740994, not 9007199254740993'],
    ['{"maximum":5}', '9007199254740993', 'must be <= 5, not 9007199254740993'],
    ['{"const":9007199254740993}', '9007199254740992', 'must be 9007199254740993, not 9007199254740992'],
    [
      '{"enum":[9007199254740992,9007199254740994]}',
      '9007199254740993',
      'must be one of 9007199254740992, 9007199254740994, not 9007199254740993',
    ],
    ['{"not":{"type":"integer"}}', '9007199254740993', '9007199254740993 has a form that is not allowed'],
    [
      '{"uniqueItems":true}',
      '[9007199254740993,9007199254740993]',
      'must not hold the same item twice: items 0 and 1 are equal',
    ],
  ])('the schema %s refuses %s', (schema, value, message) => {
    expect(issues(schema, value)).toEqual([message]);
  });

  const value = parseJson(
    '{"rows":[{"id":9007199254740992,"n":2},{"id":9007199254740993,"n":3},{"id":7,"n":-1}],"text":"9007199254740993","pair":[1e308,1e308]}',
  );

  it.each<[string, unknown]>([
    ['rows[1].id', 9007199254740993n],
    ['rows[*].id', [9007199254740992n, 9007199254740993n, 7]],
    ['rows[?id == `9007199254740993`].n | [0]', 3],
    ['rows[?id > `9007199254740992`].id', [9007199254740993n]],
    ['rows[?id < `-5`].id', []],
    ['rows[?id >= `9007199254740993`] | [0].id == `9007199254740993`', true],
    ['rows[?contains(`[9007199254740993, 7]`, id)].n', [3, -1]],
    ['rows[?id > `8`] | max_by(@, &id).id', 9007199254740993n],
    ["{ a: `9007199254740995`, b: '`9007199254740995`' }", { a: 9007199254740995n, b: '`9007199254740995`' }],
    ['sum(rows[*].n)', 4],
    ['to_number(text)', 9007199254740993n],
    ['[to_number(text)]', [9007199254740993n]],
    ['to_number(text) > `5`', true],
    ['to_number(text) == `5`', false],
    ['to_number(text) == rows[1].id', true],
    ['to_number(text) <= to_number(text)', true],
    ['to_string(rows[1].id)', '9007199254740993'],
    ['sum(pair)', undefined],
  ])('JMESPath %s', (expression, expected) => {
    expect(query(value, expression)).toStrictEqual(expected);
  });

  it.each([
    'sum(rows[*].id)',
    'to_number(text) > rows[1].id',
    'to_number(text) + `1`',
    'rows[0].id + `1`',
    'rows[?id > `8`].id | sum(@)',
    'rows[?id > `8`] | [0].to_string(id)',
  ])('JMESPath %s would be rounded, and is refused', (expression) => {
    expect(() => query(value, expression)).toThrow();
  });

  it('a hash covers every digit', () => {
    expect(canonicalJson({ b: 9007199254740993n, a: [9007199254740992n] })).toBe(
      '{"a":[9007199254740992],"b":9007199254740993}',
    );
  });
});

describe('a value in parts', () => {
  const big = fc.tuple(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 90_000 }));
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, 0, -1.5, 2n ** 64n, '"\\\n', '\ud800', ''),
      big.map(([text, times]) => text.repeat(times % 70_000).slice(0, times)),
      big.map(([text, times]) => Array.from({ length: times % 9_000 }, () => text)),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 6 }),
    ),
  }));

  it('is the same text as the whole', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect([...jsonParts(value as Json)].join('') === stringifyJson(value)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('is longer than a limit if its text is, whatever its characters take there', () => {
    for (const character of ['a', '"', '\n', '\u001f', '\ud800', '日', '😀']) {
      const value = character.repeat(100);
      const { length } = stringifyJson(value);
      expect(isLongerThan(length, value), JSON.stringify(character)).toBe(false);
      expect(isLongerThan(length - 1, value), JSON.stringify(character)).toBe(true);
    }
  });

  it('has only small parts, none of which ends within a character', () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }));
    const value = {
      text: '🗾'.repeat(300_000),
      rows,
      byName: Object.fromEntries(rows.map((row) => [row.name, row])),
    };
    for (const part of jsonParts(value)) {
      expect(part.length).toBeLessThan(200_000);
      expect(part.isWellFormed()).toBe(true);
    }
    expect([...jsonParts(value)].length).toBeGreaterThan(10);
  });
});
