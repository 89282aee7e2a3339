import { type JSONValue, search } from '@jmespath-community/jmespath';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { TooMuchWork } from '../../src/model/work-budget.ts';
import { fillRefs, headOf } from '../../src/plan/fill-refs.ts';
import { query } from '../../src/plan/query.ts';
import { expressionProblem } from '../../src/plan/refs.ts';
import { pathTarget } from '../../src/plan/schema/path.ts';
import { rounds } from '../long.ts';

const piped = (step: string, times = 34) => Array.from({ length: times }, () => step).join(' | ');

/** What each makes is 2^34 values, or a text that no memory holds, from a plan of a few lines. */
const GROWING: readonly string[] = [
  piped('[@,@]'),
  piped('{a:@,b:@}'),
  piped('[@,@][]'),
  piped('[*].[@,@]'),
  piped('[*].[@,@][]'),
  piped('map(&[@,@], @)'),
  piped('merge({a:@},{b:@})'),
  piped('items({a:@,b:@})'),
  piped('values({a:@,b:@})'),
  piped('zip([@],[@])'),
  piped('reverse([@,@])'),
  piped('not_null([@,@])'),
  piped('to_array([@,@])'),
  piped('(`true` && [@,@])'),
  piped("group_by([{k:'a',v:@},{k:'a',v:@}], &k)"),
  piped("sort_by([{k:'a',v:@},{k:'b',v:@}], &k)"),
  `${piped('[@,@]')} | to_string(@)`,
  `to_string(@) | ${piped("join('', [@,@])")}`,
  `let $x = (${piped('[@,@]')}), $y = (${piped('[@,@]')}) in $x == $y`,
  "pad_left('a', `1e9`)",
  "pad_right('a', `900000000`)",
  "replace('aaaa', 'a', 'aa', `1000000000`)",
  `join('', ['a','b']) | ${piped("replace(@, 'a', '$`a$`b')", 3)} | replace(@, 'a', '$\\'a$\\'', \`1000\`)`,
];

describe('an expression that makes too much ends', () => {
  it.each(GROWING)('before the plan runs: %s', (expression) => {
    expect(expressionProblem(expression)).toMatch(/too large|too many steps/);
  });

  it.each(GROWING)('in a run whose plan was approved long ago: %s', (expression) => {
    for (const value of [[1, 2], { a: 'x' }, 'text'] as Json[]) {
      const injected = fillRefs({ value: `\${t | ${expression}}` }, () => value);
      // Some are no expression over this value; none goes on for ever, and none is filled in.
      expect(injected.ok).toBe(false);
    }
  });

  it('where it depends on the result, it fails with this result only', () => {
    const rows = Array.from({ length: 3_000 }, (_, id) => ({ id }));
    const square = 'map(&$, @)[].id';
    expect(expressionProblem(square)).toBeUndefined();
    expect(query([{ id: 1 }, { id: 2 }], square)).toEqual([1, 2, 1, 2]);
    expect(() => query(rows, square)).toThrow(TooMuchWork);
  });

  it('texts that are cut, counted or written out again and again', () => {
    const text = '"'.repeat(2_000_000);
    expect(() => query({ text }, `text | @${'[::-1]'.repeat(50)} | length(@)`)).toThrow(TooMuchWork);
    expect(() => query({ text }, `text | ${piped('to_string([@])', 8)} | length(@)`)).toThrow(TooMuchWork);
    expect(query({ text: `${'a'.repeat(3_000_000)}😀` }, 'length(text)')).toBe(3_000_001);
  });

  it('many Refs of one task share one limit', () => {
    const large = Array.from({ length: 100_000 }, (_, id) => id);
    const list = Array.from({ length: 2_000 }, () => '${t}');
    const injected = fillRefs({ list }, () => large);
    expect(injected).toMatchObject({
      ok: false,
      problems: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringContaining('it becomes too large') }),
      ]),
    });
    expect(fillRefs({ list: ['${t}', '${t}'] }, () => large).ok).toBe(true);
  });

  it('Refs that double a text again and again', () => {
    const text = 'x'.repeat(50_000_000);
    expect(fillRefs({ text: '${t}${t}' }, () => text)).toMatchObject({ ok: false });
    expect(fillRefs({ text: '${t}' }, () => text).ok).toBe(true);
  });

  it('trims a run of blanks in one pass', () => {
    const blanks = ' '.repeat(300_000);
    expect(query({ text: `${blanks}x${blanks}y${blanks}` }, 'trim(text)')).toBe(`x${blanks}y`);
  });
});

describe('an expression that is too deep or too long is refused, and not followed', () => {
  it.each([
    `${'!'.repeat(3_900)}@`,
    `${'['.repeat(1_900)}@${']'.repeat(1_900)}`,
    `@${'|@'.repeat(1_900)}`,
    `@${'|[@]'.repeat(500)}`,
    `'${'a'.repeat(5_000)}'`,
  ])('%s', (expression) => {
    expect(expressionProblem(expression)).toMatch(/deep|longer than/);
    expect(() => query({}, expression)).toThrow(/deep|longer than/);
  });
});

it('choices that double with each step are not followed through a schema', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  expect(pathTarget(schema, piped('(@||@)', 100)).kind).toBe('unknown');
  expect(pathTarget(schema, '(a || a)').kind).toBe('found');
});

it('the beginning of a value is what JSON begins with', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 1, max: 80 }), (value, length) => {
      const text = JSON.stringify(value);
      const head = headOf(value as Json, length);
      expect(head.replace(/…$/, '')).toBe(text.slice(0, length).replace(/[\uD800-\uDBFF]$/, ''));
    }),
  );
});

/** The library's own answer, for everything that is small. Only fields that objects inherit, and the order of texts in max and min, differ. */
describe('within the limits, expressions give what the library gives', () => {
  const EXPRESSIONS = [
    'a.b', 'a[0].b', '*.a', '[*].a', 'a[*].b[]', '[]', '[?a > `1`].b', '[?a == b]', 'a == b', 'a != b', 'a < b',
    '[::2]', '[-1]', 'b[1:]', 'b[::-1]', '{x: a, y: b[0]}', '[a, b]', 'a || b', 'a && b', '!a', 'a ? b : `1`',
    'length(b)', 'keys(@)', 'values(@)', 'sort(b)', 'sort_by(@, &a)', 'max_by(@, &a)', 'min_by(@, &a)',
    'sum(b)', 'avg(b)', 'abs(a)', 'ceil(a)', 'floor(a)', 'join(`"-"`, b)', 'reverse(b)', 'to_string(@)', "to_number(a || 'x')",
    'to_array(a)', 'type(a)', 'merge(@, {z: a})', 'not_null(a, b)', 'map(&a, @)', 'contains(b, a)', "contains(a, 'x')",
    'zip(b, b)', 'items(@)', 'from_items(items(@))', "group_by(@, &a)", "split(a, 'x')", "split(a, 'x', `1`)",
    "replace(a, 'x', 'yy')", "replace(a, 'x', '$&y', `2`)", "replace(a, 'x', 'y', `0`)", "replace(a, '', '-')", 'trim(a)',
    "trim(a, 'x ')", 'trim_left(a)', "trim_right(a, 'xy')", "pad_left(a, `5`, '-')", 'pad_right(a, `3`)',
    "find_first(a, 'x')", "find_last(a, 'x')", "starts_with(a, 'x')", "ends_with(a, 'x')", 'upper(a)', 'lower(a)',
    'let $v = a in b[*].[@, $v]', 'a + `1`', 'a - `1`', 'a * `2`', 'a / `2`', 'a % `2`', '-a', '$', '@', 'b[?@ == $.a]',
    'a | [0]', "a[?b == 'x'] | [0]", '[*].{k: a, v: b} | [].k', 'nothing(a)', 'sort(a, b)', '`[1,2]`[]', "'raw'",
  ]; // biome-ignore format: a table
  const leaf = fc.oneof(
    fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      1,
      2.5,
      -3,
      '',
      'x',
      ' x y ',
      'xx\nx  ',
      '日本x',
      '\u{1f600}',
    ),
  );
  const value = fc.letrec<{ node: Json }>((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }),
    ),
  })).node;

  it.each(EXPRESSIONS)('%s', (expression) => {
    const outcomeOf = (look: () => unknown) => {
      try {
        return { found: JSON.stringify(look() ?? null) };
      } catch (error) {
        return { thrown: error instanceof Error ? error.message : String(error) };
      }
    };
    fc.assert(
      fc.property(value, (data) => {
        expect(outcomeOf(() => query(data, expression))).toEqual(
          outcomeOf(() => search(data as JSONValue, expression)),
        );
      }),
      { numRuns: rounds(100) },
    );
  });
});

it('an integer beyond 2^53 is written out exactly', () => {
  const value = { id: 9_007_199_254_740_993n, list: [12_345_678_901_234_567_890n, 1] };
  expect(query(value, "join('-', ['id', to_string(id)])")).toBe('id-9007199254740993');
  expect(query(value, 'to_string(list)')).toBe('[12345678901234567890,1]');
});

describe('identifiers of 64 bits can be used like other numbers', () => {
  const rows: Json = [{ id: 2n ** 63n - 1n }, { id: 5 }, { id: 2n ** 53n + 1n }];
  it.each<[string, Json]>([
    ['sort_by(@, &id)[*].id', [5, 2n ** 53n + 1n, 2n ** 63n - 1n]],
    ['sort([*].id)', [5, 2n ** 53n + 1n, 2n ** 63n - 1n]],
    ['max_by(@, &id).id', 2n ** 63n - 1n],
    ['min_by([?id > `5`], &id).id', 2n ** 53n + 1n],
    ['min([*].id)', 5],
    ['type([2].id)', 'number'],
    ['abs([2].id)', 2n ** 53n + 1n],
    ['to_number([2].id)', 2n ** 53n + 1n],
    ["to_number('9007199254740993')", 2n ** 53n + 1n],
    ["to_number('-12.5')", -12.5],
  ])('%s', (expression, expected) => {
    expect(query(rows, expression)).toEqual(expected);
  });

  it.each(['sum([*].id)', 'avg([*].id)', '[2].id + `1`', '-[2].id', '[2].id * `2`'])(
    '%s is refused, because it would round',
    (expression) => {
      expect(() => query(rows, expression)).toThrow('cannot be done exactly: take the value itself');
    },
  );

  it('a hundred thousand of them are sorted', () => {
    const many = Array.from({ length: 100_000 }, (_, index) => ({ id: 2n ** 60n - BigInt(index) }));
    expect(query(many, 'sort_by(@, &id)[0].id')).toBe(2n ** 60n - 99_999n);
  });
});

describe('sorting and the largest value', () => {
  it('numbers are sorted by value and not as texts', () => {
    expect(query([10, 9, -1, 100, 2.5], 'sort(@)')).toEqual([-1, 2.5, 9, 10, 100]);
    expect(query([{ n: 10 }, { n: 9 }, { n: 100 }], 'sort_by(@, &n)[].n')).toEqual([9, 10, 100]);
  });

  it('texts are compared by code points, in every language, and equal ones keep their order', () => {
    const texts = ['\u{1f600}', '\uffee', 'Z', 'a', 'ä', 'B'];
    expect(query(texts, 'sort(@)')).toEqual(['B', 'Z', 'a', 'ä', '\uffee', '\u{1f600}']);
    expect(query(texts, '[max(@), min(@)]')).toEqual(['\u{1f600}', 'B']);
    const rows = Array.from({ length: 100 }, (_, id) => ({ id, city: id % 2 === 0 ? 'Osaka' : 'Kyoto' }));
    const sorted = query(rows, 'sort_by(@, &city)[].id') as number[];
    expect(sorted.slice(0, 3)).toEqual([1, 3, 5]);
    expect(sorted.slice(50, 53)).toEqual([0, 2, 4]);
  });

  it('the largest of 300,000 numbers is found', () => {
    const numbers = Array.from({ length: 300_000 }, (_, id) => id);
    expect(query(numbers, '[max(@), min(@)]')).toEqual([299_999, 0]);
  });
});

describe('functions that are slow for each unit of their input are paid for', () => {
  const names = Array.from({ length: 100_000 }, (_, id) => `name ${id}`);
  const object = Object.fromEntries(names.map((name) => [name, 1]));

  it.each<[string, Json]>([
    [`merge(${Array(100).fill('@').join(', ')})`, object],
    ['items(@) | from_items(@) | items(@) | from_items(@)', object],
    ['[group_by(@, &@), group_by(@, &@), group_by(@, &@), group_by(@, &@), group_by(@, &@)]', names],
    ['sort_by(@, &a)', Array.from({ length: 10_000 }, (_, id) => ({ a: 'x'.repeat(40_000) + id }))],
    [`[${Array(40).fill('*').join(',')}]`, object],

    ['rows[?$.object]', { rows: names, object }],
    ['rows[?!($.object)]', { rows: names, object }],
    ['rows[*].[$.object || @]', { rows: names, object }],
    ['rows[*].[$.object && @]', { rows: names, object }],
    ['rows[*].[$.object ? @ : @]', { rows: names, object }],
    ['[object == other, object == other]', { object, other: { ...object } }],
    [
      'rows[?$.one == $.other]',
      { rows: names, one: `${'x'.repeat(50_000)}a`, other: `${'x'.repeat(50_000)}b` },
    ],
    [
      'rows[?contains($.long, $.one)]',
      { rows: names, one: `${'x'.repeat(50_000)}a`, long: [`${'x'.repeat(50_000)}b`] },
    ],
    [`[${Array(20).fill('trim(@)').join(',')}]`, ' '.repeat(500_000)],
    ['trim(text, set)', { text: 'a'.repeat(100_000), set: `${'b'.repeat(100_000)}a` }],
    ['sort(@)', Array.from({ length: 30_000 }, (_, id) => '\u{1f600}'.repeat(100) + id)],
  ])('%s', (expression, value) => {
    expect(() => query(value, expression)).toThrow(/too many steps/);
  });
});
