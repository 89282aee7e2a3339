import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { compile } from '../../src/plan/compile.ts';
import { createSchemaCheck } from '../../src/tools/schema/check.ts';
import { createPatterns } from '../../src/tools/schema/pattern.ts';
import { rounds } from '../long.ts';

const check = createSchemaCheck();
const LONG = 'a'.repeat(50_000);
const definitions = (count: number, body: (next: JsonObject) => JsonObject): JsonObject => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries([
    ...Array.from({ length: count }, (_, level) => [`d${level}`, body({ $ref: `#/$defs/d${level + 1}` })]),
    [`d${count}`, { type: 'string' }],
  ]),
});

describe('a pattern ends, and says what it means', () => {
  it.each<[string, string, boolean]>([
    ['^(a|a)*$', `${LONG}!`, false],
    ['^(a|a)*$', LONG, true],
    ['\\w*\\w*\\w*\\w*\\w*\\w*!', LONG, false],
    ['^(a+)+$', `${LONG}!`, false],
    ['^((a*)b?)*$', `${LONG}!`, false],
    ['^(?:[a-z]+\\s?){2,}$', `${LONG}!`, false],
    ['(.*)*x', LONG, false],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', LONG, false],
    [`${'a?'.repeat(30)}${'a'.repeat(30)}$`, `${'a'.repeat(29)}!`, false],
    ['(x+x+)+y', 'x'.repeat(50_000), false],
    ['^(\\u0061|\\x61)*$', `${LONG}!`, false],
    ['^[^]*$', `${LONG}\n`, true],
    ['^(a|.)*\\s$', `${LONG}\u3000`, true],
    ['^(?<word>\\p{L}+\\s*)*$', '漢字 '.repeat(5_000), true],
  ])('%s', (pattern, text, fits) => {
    expect(check({ type: 'string', pattern }, text)).toHaveLength(fits ? 0 : 1);
    expect(check({ patternProperties: { [pattern]: false } }, { [text]: 1 })).toHaveLength(fits ? 1 : 0);
  });

  it('with what RE2 does not know, it is checked on short texts and no reason to refuse a long one', () => {
    const schema = { type: 'string', pattern: '^(?!.*\\.\\.)[\\w.]+$' };
    expect(check(schema, 'a..b')).toHaveLength(1);
    expect(check(schema, 'a.b')).toEqual([]);
    expect(check({ type: 'string', pattern: '^(?=(a+)+$)b' }, LONG)).toEqual([]);
    expect(check({ type: 'string', pattern: '(a+)+\\1$' }, `${LONG}!`)).toEqual([]);
  });

  it('flags of a group are no text of the pattern', () => {
    expect(check({ type: 'string', pattern: '^(?i:(?:ab|ab)*)$' }, 'ABab'.repeat(10))).toEqual([]);
    expect(check({ type: 'string', pattern: '^(?i:ab)$' }, '?i:ab')).toHaveLength(1);
  });

  it.each([
    ['one of many letters', [`${'(?:a|b)'.repeat(100_000)}$`]],
    ['many that repeat', Array.from({ length: 700 }, (_, i) => `^(?:(?:[ab]?){30}){30}${i}(a|a)*`)],
  ])('what takes too long to prepare is a problem of the schema: %s', (_name, patterns) => {
    const properties = Object.fromEntries(patterns.map((pattern, i) => [`p${i}`, { pattern }]));
    expect(check.problem({ properties })).toContain('too much work');
  });

  it('one with many states on many long texts is given up', () => {
    const items = { pattern: '^(?:(?:[ab]?){30}){30}(a|a)*$' };
    const texts = Array.from({ length: 200 }, (_, id) => 'a'.repeat(2_000) + id);
    expect(check({ items }, texts)).toMatchObject([{ keyword: 'unchecked' }]);
  });

  it('gives the verdict of the native engine, whichever engine is used', () => {
    const atom = fc.constantFrom(
      'a', 'b', '.', '\\d', '\\w', '\\s', '\\S', '\\W', '[a-c]', '[^a]', '[\\s\\d]', '[-a]', '[a\\-\\]]', '[[]', '[^]',
      '\\u0061', '\\u{1F600}', '\\uD83D\\uDE00', '\\x62', '\\n', '\\/', '\\.', '\\p{L}', '\\P{Lu}', '\\p{Script=Han}', '\\b', '\\B', '漢', '-',
    ); // biome-ignore format: a table
    const quantifier = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,}', '{0,2}', '*?');
    const pattern = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([one, two]) => one + two),
        fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one}|${two})`),
        fc.tuple(tie('node'), quantifier).map(([one, times]) => `(${one})${times}`),
        tie('node').map((one) => `^${one}$`),
      ),
    })).node;
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        'b',
        'c',
        '1',
        ' ',
        '\n',
        '\u2028',
        '\u3000',
        '漢',
        '\u{1F600}',
        '-',
        ']',
        '[',
        '.',
        '/',
      ),
      maxLength: 8,
    });
    // So that all but the shortest texts go to RE2: a long tail that no part of the pattern cares about would change the verdict.
    const create = createPatterns(() => {});
    fc.assert(
      fc.property(pattern, text, (source, tested) => {
        let native: RegExp;
        try {
          native = new RegExp(source, 'u');
        } catch {
          return;
        }
        expect(create(`(?:${source})|(?:(?:q|q)*){3}z`, 'u').test(tested.padEnd(17, ' '))).toBe(
          native.test(tested.padEnd(17, ' ')),
        );
      }),
      { numRuns: rounds(600) },
    );
  });
});

describe('a schema that stands for billions of parts is told when it is found, and checks nothing', () => {
  it.each<[string, JsonObject]>([
    ['allOf', definitions(32, (next) => ({ allOf: [next, next] }))],
    ['anyOf', definitions(32, (next) => ({ anyOf: [next, next] }))],
    ['oneOf', definitions(32, (next) => ({ oneOf: [next, next] }))],
    ['properties', definitions(32, (next) => ({ properties: { a: next, b: next } }))],
    ['if and then', definitions(32, (next) => Object.fromEntries(['if', 'then', 'else'].map((key) => [key, next])))],
    ['not', definitions(32, (next) => ({ not: { allOf: [next, next] } }))],
    ['items', definitions(32, (next) => ({ prefixItems: [next, next], items: next }))],
    [
      'anchors',
      {
        $ref: '#a0',
        $defs: Object.fromEntries(
          Array.from({ length: 33 }, (_, level) => [
            `d${level}`,
            { $anchor: `a${level}`, ...(level < 32 && { allOf: [{ $ref: `#a${level + 1}` }, { $ref: `#a${level + 1}` }] }) },
          ]),
        ),
      },
    ],
    [
      'definitions in a place of their own',
      {
        $ref: '#/x/d0',
        x: Object.fromEntries(
          Array.from({ length: 33 }, (_, level) => [
            `d${level}`,
            { allOf: level < 32 ? [{ $ref: `#/x/d${level + 1}` }, { $ref: `#/x/d${level + 1}` }] : [true] },
          ]),
        ),
      },
    ],
    ['one large definition, many times', {
      $defs: { large: { properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, { type: 'string' }])) } },
      allOf: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/large' })),
    }],
    ['too many parts', { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string' }])) }],
    ['too many parts that look at each other', {
      allOf: Array.from({ length: 1_000 }, (_, n) => ({ properties: { [`p${n}`]: true } })),
      unevaluatedProperties: false,
    }],
  ])('%s', (_name, schema) => {
    expect(check.problem(schema)).toMatch(/too many|too large/);
    expect(check(schema, { a: { b: {} } })).toEqual([]);
  }); // biome-ignore format: tables

  it('a reference chain, and a definition that refers to itself, are no such thing', () => {
    const chain = definitions(60, (next) => ({ allOf: [next] }));
    expect(check.problem(chain)).toBeUndefined();
    expect(check(chain, 1)).toHaveLength(1);
    const tree: JsonObject = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    };
    expect(check(tree, { children: [{ children: [{ children: 1 }] }] })).toHaveLength(1);
  });
});

describe('a check that does not end is given up, and is an issue', () => {
  const nested = (depth: number): Json => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const doubling = (keyword: string): JsonObject => ({
    $ref: '#/$defs/node',
    $defs: {
      node: {
        [keyword]: [
          { properties: { a: { $ref: '#/$defs/node' } } },
          { properties: { a: { $ref: '#/$defs/node' } } },
        ],
      },
    },
  });

  it.each(['allOf', 'anyOf', 'oneOf'])('%s that doubles with each level of the value', (keyword) => {
    const value = nested(200);
    // Of anyOf the first form fits, and the others are not looked at.
    const issues = check(doubling(keyword), value);
    if (keyword !== 'anyOf') expect(issues).toMatchObject([{ path: [], keyword: 'unchecked' }]);
    expect(check(doubling('allOf'), nested(5))).toEqual([]);
  });

  it('an object with 200,000 names is not listed again for every keyword', () => {
    const wide = Object.fromEntries(Array.from({ length: 200_000 }, (_, id) => [`name ${id}`, 1]));
    const schema = {
      allOf: Array.from({ length: 40 }, (_, id) => ({ patternProperties: { [`^x${id}`]: true } })),
    };
    expect(check(schema, wide)).toMatchObject([{ keyword: 'unchecked' }]);
    expect(check({ additionalProperties: { type: 'integer' } }, wide)).toEqual([]);
  });

  it('$dynamicRef that doubles with each level of the value', () => {
    const schema: JsonObject = {
      $dynamicAnchor: 'node',
      allOf: [
        { properties: { a: { $dynamicRef: '#node' } } },
        { properties: { a: { $dynamicRef: '#node' } } },
      ],
    };
    expect(check(schema, nested(200))).toMatchObject([{ keyword: 'unchecked' }]);
  });

  it('a plan of many tasks that are each dear to check is refused, and not checked to its end', () => {
    const inputSchema = { type: 'object', ...doubling('allOf') };
    const tool = { name: 's.t', description: '', inputSchema, effect: 'read', trusted: false } as never;
    const tasks = Array.from({ length: 2_000 }, (_, n) => ({
      id: `t${n}`,
      operation: 's.t',
      args: nested(18) as JsonObject,
    }));
    const compiled = compile(tasks, {
      tools: new Map([['s.t', tool]]),
      check,
      mode: 'planned',
      order: [],
      maxTasks: 10_000,
      done: new Map(),
      missing: new Map(),
    });
    expect(compiled).toMatchObject({
      ok: false,
      diagnostics: expect.arrayContaining([
        expect.objectContaining({
          code: 'invalid-args',
          message: expect.stringContaining('could not be checked'),
        }),
      ]),
    });
  });

  it('100,000 rows of which none fits give one issue, and soon', () => {
    const schema: JsonObject = {
      $defs: { row: { anyOf: [{ type: 'string' }, { type: 'object', required: ['a', 'b'] }] } },
      items: { $ref: '#/$defs/row' },
    };
    const rows = Array.from({ length: 100_000 }, () => ({ a: 1 }));
    expect(check(schema, rows).length).toBeGreaterThan(0);
    expect(check(schema, rows.slice(0, 5_000)).length).toBeGreaterThan(0);
  });
});

describe('a long text costs work by its length', () => {
  const wide = (count: number, name: string): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, id) => [`${name}${id}`, 1]));
  const deep = (levels: number, name: string): Json =>
    Array.from({ length: levels }).reduce<Json>((inner) => ({ [name]: inner }), 1);
  const everyLevel: JsonObject = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', required: ['z'], additionalProperties: { $ref: '#/$defs/node' } } },
  };

  it.each<[string, JsonObject]>([
    ['an address', { $id: `http://acme.example/${'a/../'.repeat(10_000)}`, $defs: { a: { $id: 'a' } } }],
    ['a pointer', { $ref: `#/${'a/'.repeat(10_000)}` }],
    ['a constant', { const: 'k'.repeat(2_000_000) }],
    ['a name', { properties: { ['k'.repeat(2_000_000)]: { type: 'string' } } }],
    ['many long names', { properties: wide(1_000, 'k'.repeat(2_000)) }],
    ['long values to choose from', { enum: ['a', 'b'].map((letter) => letter.repeat(1_000_000)) }],
  ])('in a schema: %s', (_name, schema) => {
    expect(check.problem(schema)).toBe('it is too large or too deep to be checked');
  });

  it('but the words that explain it may be long', () => {
    expect(check.problem({ type: 'string', description: 'k'.repeat(3_000_000) })).toBeUndefined();
  });

  it('names that a path must escape', () => {
    expect(check({ additionalProperties: { type: 'string' } }, wide(200, '~/'.repeat(30_000)))).toMatchObject(
      [{ keyword: 'unchecked' }],
    );
    expect(check({ additionalProperties: { type: 'string' } }, wide(200, '~/'))).toHaveLength(200);
  });

  it('paths: of a value that is deep and wrong at every level, the first error is told', () => {
    // All paths together would be 10 GB.
    expect(check(everyLevel, deep(1_000, 'k'.repeat(20_000)))).toHaveLength(1);
    expect(check(everyLevel, deep(100, 'k'))).toHaveLength(101);
  });

  it('errors that are compared with many choices', () => {
    const choice = { anyOf: [{ type: 'string' }, { type: 'boolean' }] };
    const schema = (count: number) => ({ items: { allOf: Array.from({ length: count }, () => choice) } });
    expect(check(schema(200), Array(25).fill(1))).toHaveLength(1);
    expect(check(schema(3), Array(25).fill(1))).toHaveLength(75);
  });

  it('a text that is measured again and again, and an object that is compared with another', () => {
    const text = 'x'.repeat(5_000_000);
    const lengths = { allOf: Array.from({ length: 700 }, () => ({ minLength: 1 })) };
    expect(check(lengths, text)).toMatchObject([{ keyword: 'unchecked' }]);
    const objects = Array(400).fill(wide(2_000, 'n'));
    expect(check({ items: { const: wide(2_000, 'n') } }, objects)).toMatchObject([{ keyword: 'unchecked' }]);
  });

  it('objects of many names that must differ: their names are sorted', () => {
    const table = wide(60_000, 'name ');
    expect(check({ uniqueItems: true }, [table, { ...table, other: 1 }])).toEqual([]);
    expect(
      check(
        { uniqueItems: true },
        Array(5)
          .fill(0)
          .map((_, id) => [id, table]),
      ),
    ).toMatchObject([{ keyword: 'unchecked' }]);
  });
});

describe('uniqueItems takes one pass', () => {
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, tags: ['x', { deep: id }] }));
  const schema = { type: 'array', uniqueItems: true };

  it('over 100,000 objects', () => {
    expect(check(schema, rows)).toEqual([]);
    const [issue] = check(schema, [...rows, { tags: ['x', { deep: 5 }], id: 5 }]);
    expect(issue?.message).toContain('items 5 and 100000 are equal');
  });

  it.each<[Json, boolean]>([
    [[1, '1', true, 'true', null, 'null', [1], ['1'], {}, []], true],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
    [[1, 1.0], false],
    [[0, -0], false],
    [['a', 'a'], false],
    [[null, null], false],
    [[{ a: 'x":1,"b' }, { a: 'x', b: 1 }], true],
    [[['a', 'b'], ['a,"1:b']], true],
    [['x'.repeat(20_000), 'x'.repeat(20_000)], false],
    [['x'.repeat(20_000), ['x'.repeat(20_000)], '[1]', [1], '{}', {}], true],
    [[{ '': '1:a' }, { '0:': 'a' }], true],
  ])('%j', (value, isUnique) => {
    expect(check(schema, value)).toHaveLength(isUnique ? 0 : 1);
    expect(check({ ...schema, uniqueItems: false }, value)).toEqual([]);
  });
});

it('formats end', () => {
  for (const format of [
    'email',
    'url',
    'uri',
    'uri-reference',
    'uri-template',
    'hostname',
    'date-time',
    'regex',
    'byte',
    'ipv6',
    'duration',
    'json-pointer',
  ])
    for (const text of ['a@', 'http://a:', 'http://', '/', ''].flatMap((start) =>
      ['a', 'a.', 'a-', ':@', '/', '%20', '{a}', '('].map((part) => `${start}${part.repeat(10_000)}!`),
    ))
      check({ type: 'string', format }, text);
  expect(check({ type: 'string', format: 'email' }, 'billing@acme.example')).toEqual([]);
  expect(check({ type: 'string', format: 'url' }, `https://acme.example/?q=${'a'.repeat(3_000)}`)).toEqual(
    [],
  );
});

/** Undefined if the schema refers to itself without end for this value. */
function verdictOf(validate: (value: Json) => unknown, value: Json): unknown {
  try {
    return validate(value);
  } catch {
    return undefined;
  }
}

describe('a schema that refers to itself without end for some values', () => {
  const schema: JsonObject = {
    $ref: '#/$defs/x',
    $defs: { x: { if: { maxItems: 1 }, else: { $ref: '#/$defs/x' }, items: { type: 'string' } } },
  };

  it('refuses those, and still checks the others', () => {
    expect(check(schema, [1, 2])).toMatchObject([{ keyword: 'unchecked' }]);
    expect(check(schema, [1])).toMatchObject([{ keyword: 'type' }]);
    expect(check(schema, ['a'])).toEqual([]);
    expect(check.problem(schema)).toBeUndefined();
  });
});

/** Within the limits it is ajv: the same values are refused, in the same words. */
it('gives the verdicts of ajv as it comes', () => {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const plain = new Ajv2020({ strict: false, allErrors: true, logger: false });
  const schema = fc.letrec<{ node: JsonObject }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonObject>(
        { type: 'string' }, { type: 'integer', minimum: 2 }, { type: ['string', 'null'] }, { enum: ['a', 1, { a: 1 }] }, { const: [1] },
        { type: 'string', minLength: 2, maxLength: 3 }, { pattern: '^a+$' }, { multipleOf: 2 }, { uniqueItems: true }, { minItems: 2 }, { maxProperties: 1 },
        { required: ['a'] }, { dependentRequired: { a: ['b'] } }, { additionalProperties: false, properties: { a: {} } },
      ),
      fc.tuple(tie('node'), tie('node')).map(([one, two]) => ({ properties: { a: one, b: two }, required: ['b'] })),
      tie('node').map((one) => ({ items: one })),
      tie('node').map((one) => ({ contains: one, maxContains: 1 })),
      tie('node').map((one) => ({ not: one })),
      tie('node').map((one) => ({ patternProperties: { '^a': one }, propertyNames: { maxLength: 2 } })),
      tie('node').map((one) => ({ $ref: '#/$defs/x', $defs: { x: one } })),
      fc.tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), tie('node'), tie('node')).map(([key, one, two]) => ({ [key]: [one, two] })),
      fc.tuple(tie('node'), tie('node'), tie('node')).map(([one, two, three]) => (Object.fromEntries([['if', one], ['then', two], ['else', three]]))),
      tie('node').map((one) => ({ allOf: [one], unevaluatedProperties: false, unevaluatedItems: false })),
    ),
  })).node; // biome-ignore format: a table
  const value = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>(null, true, 0, 1, 2, 3.5, '', 'a', 'aa', 'b'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'abc'), tie('node'), { maxKeys: 3, noNullPrototype: true }),
    ),
  })).node;
  const { default: Ajv } = createRequire(import.meta.url)('ajv') as typeof import('ajv');
  const older = new Ajv({ strict: false, allErrors: true, logger: false });
  const compiles = (rules: JsonObject) => {
    try {
      return older.compile(rules) !== undefined;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(schema, fc.array(value, { minLength: 1, maxLength: 4 }), (rules, values) => {
      // A `$ref` within a part points to the root, where it may not be found.
      let validate: ReturnType<typeof plain.compile>;
      try {
        validate = plain.compile(rules);
      } catch {
        // A schema that the newest draft refuses is read as draft 7, where that can be.
        expect(check.problem(rules) === undefined).toBe(compiles(rules));
        return;
      }
      for (const one of values) {
        const verdict = verdictOf(validate, one);
        const issues = check(rules, one);
        if (verdict !== undefined) expect(issues.length === 0).toBe(verdict);
      }
    }),
    { numRuns: 120 },
  );
});

describe('mistakes are collected up to a number', () => {
  const forms = Array.from({ length: 1_000 }, (_, i) => ({ const: i }));
  const values = Array.from({ length: 15_000 }, () => 'x');

  it('of a list whose items each fit none of many forms, only the first is told', () => {
    const issues = check({ type: 'array', items: { anyOf: forms } }, values);
    expect(issues).toMatchObject([{ path: [0], keyword: 'anyOf' }]);
  });

  it('of objects that each miss many fields', () => {
    const required = Array.from({ length: 2_000 }, (_, i) => `field${i}`);
    const issues = check(
      { type: 'array', items: { required } },
      values.map(() => ({})),
    );
    expect(issues).toMatchObject([{ path: [0], keyword: 'required' }]);
  });

  // All its parts are checked, because nested code takes V8 seconds to parse. The verdict is the same.
  it.each<[string, JsonObject]>([
    ['allOf', { allOf: Array.from({ length: 200 }, () => ({ minLength: 1 })) }],
    ['not', { allOf: Array.from({ length: 200 }, () => ({ not: { maxLength: 0 } })) }],
  ])('a wide schema finds the same on a large value: %s', (_, wide) => {
    const rows = Array.from({ length: 21_000 }, (_, id) => (id === 20_000 ? '' : 'x'));
    expect(check({ prefixItems: [wide] }, rows)).toEqual([]);
    expect(check({ prefixItems: [wide] }, rows.toReversed().slice(999))).toMatchObject([{ path: [0] }]);
  });

  it('where the first one needs too many, the check is given up', () => {
    expect(check({ type: 'array', contains: { anyOf: forms } }, values)).toMatchObject([
      { keyword: 'unchecked' },
    ]);
  });
});
