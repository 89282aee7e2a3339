import fc from 'fast-check';
import type { Schema } from './document.ts';

const PLANS = [
  '- { operation: shop.look, args: { item: tea } }',
  'goal: two\ntasks:\n  - { id: a, operation: shop.look, args: { item: tea } }\n  - { id: b, operation: shop.take, args: { item: "${a.item}" } }',
  '- { operation: shop.tak, args: {} }',
  'tasks: &t [*t]',
  'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]',
  '- - - - :',
  '{"tasks":[{"id":"__proto__","operation":"constructor","args":{"toString":1}}]}',
  '!!js/function "function () {}"',
  '%YAML 9.9\n---\n- ?',
  '- { operation: shop.look, args: { item: "${t9.x" }, after: [t1], expect: "][", timeout: 1e400 }',
];

/** What a field of this name is likely to hold, so that requests come further than the first check. */
const LIKELY: Readonly<Record<string, readonly unknown[]>> = {
  plan: PLANS,
  question: ['q1', 'q1', 'q1', 'q2', 'Q1'],
  answer: ['whole', 'whole', 'whole', 'skimmed', 'approve', 'reject', true, null, 1e308, { tasks: [] }, [[]]],
  operation: ['shop.look', 'shop.take', 'shop.wait', 'shop.', 'result.read', 'task.generate_list', 'answer'],
  args: [{ item: 'tea' }, { item: 'milk' }, { item: 5 }, {}, { item: '${t1.item}' }, { item: '${' }],
  id: ['t1', 't2', 'a b', '', '__proto__', '${t1}'],
  after: [['t1'], ['t9'], []],
  expect: ['item', '][', { type: 'object' }, { $ref: '#/nowhere' }, { type: 'strange' }, { pattern: '(' }],
  goal: ['look at tea', '100 + 200を計算', ' ', '\u0000', '<script>alert(1)</script>'],
  before: ['20200101-000000000-none', '../x', ''],
  at: [1, 2, 3, 99_999],
};

/** Strings that programs stumble over. */
export const odd = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ maxLength: 30 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '',
      '\u0000',
      '\ud800',
      '\udfff\ud800',
      '\u202e\u200b\ufeff',
      '𝒳👩‍👩‍👧‍👦',
      'e\u0301'.repeat(50),
      '../../../../etc/passwd',
      '%s%n%x',
      "'; DROP TABLE runs; --",
      '${t1}',
      '__proto__',
      'constructor',
      'Infinity',
      '-0',
      '1e999',
      '9007199254740993',
      'x'.repeat(300),
      'あ'.repeat(20_000),
    ),
  },
);

const json = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: fc.constantFrom(null, -1, 1e308, Number.MIN_VALUE, [], {}, [[[[]]]], '') },
);

/** A value that fits the schema, or nearly. */
export function valueFor(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const likely = LIKELY[name];
  const fitting = plainly(schema);
  return fc.oneof(
    ...(likely === undefined ? [] : [{ weight: 12, arbitrary: fc.constantFrom(...likely) }]),
    { weight: 8, arbitrary: fitting },
    { weight: 1, arbitrary: json },
  );
}

function plainly(schema: Schema): fc.Arbitrary<unknown> {
  const { type, anyOf, oneOf } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one) => valueFor(one)));
  if (typeof type === 'object') return fc.oneof(...type.map((one) => plainly({ ...schema, type: one })));
  const least = schema.minimum ?? schema.exclusiveMinimum ?? -5;
  const most = Math.max(least, Math.min(schema.maximum ?? 1e6, least + 1e6));
  switch (type) {
    case 'string':
      return odd.map((text) => text.slice(0, schema.maxLength));
    case 'integer':
      return fc.integer({ min: Math.ceil(least), max: Math.floor(most) });
    case 'number':
      return fc.double({ min: least, max: most, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schema.items === undefined ? json : valueFor(schema.items), { maxLength: 3 });
    case 'object':
      return objectOf(schema);
    default:
      return json;
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valueFor(schema, name)]),
  );
  const whole = fc.record(fields, { requiredKeys: [...required] });
  const strange = fc.dictionary(
    fc.oneof(odd, fc.constantFrom(...Object.keys(properties), 'by', 'userId')),
    json,
    {
      maxKeys: 2,
    },
  );
  return fc.oneof(
    { weight: 12, arbitrary: whole },
    {
      weight: 1,
      arbitrary: fc.tuple(whole, strange).map(([one, more]) => ({ ...(one as object), ...more })),
    },
    { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
  );
}
