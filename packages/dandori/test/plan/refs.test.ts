import { search } from '@jmespath-community/jmespath';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { writeText } from '../../src/model/task.ts';
import { fillRefs, refsIn } from '../../src/plan/fill-refs.ts';
import { plainPath } from '../../src/plan/plain-path.ts';
import { query } from '../../src/plan/query.ts';
import {
  expressionProblem,
  parseTemplate,
  type Template,
  wholeRef,
  writeRef,
  writeTemplate,
} from '../../src/plan/refs.ts';

const RESULTS: Record<string, Json> = {
  t1: {
    rows: [{ city: 'Tokyo', 'odd key': 1, 日本: 2, 'a}b': 3 }],
    n: 5,
    flag: false,
    nothing: null,
    text: 'x',
  },
  list: [1, 2, 3],
  'a-b': 'dash',
  empty: null,
  holes: [1, null, { x: null }],
};

function fill(value: Json): Json {
  const injected = fillRefs({ value }, (task) => (Object.hasOwn(RESULTS, task) ? RESULTS[task] : undefined));
  if (!injected.ok) throw new Error(injected.problems.map(({ message }) => message).join('; '));
  return injected.args.value as Json;
}

describe('a Ref keeps the value that a tool gave', () => {
  it.each<[string, Json, Json]>([
    ['a number stays a number', '${t1.n}', 5],
    ['false is a value, not nothing', '${t1.flag}', false],
    ['null is a value, not nothing', '${t1.nothing}', null],
    ['null in a list', '${holes[1]}', null],
    ['null behind a quoted key', '${t1."nothing"}', null],
    ['an object', '${t1.rows[0]}', { city: 'Tokyo', 'odd key': 1, 日本: 2, 'a}b': 3 }],
    ['the whole result', '${list}', [1, 2, 3]],
    ['the whole result where it is null', '${empty}', null],
    ['an index right after the id', '${list[1]}', 2],
    ['a negative index', '${list[-1]}', 3],
    ['an id with a dash', '${a-b}', 'dash'],
    ['inside a longer text it is text', 'in ${t1.rows[0].city}: ${t1.n}', 'in Tokyo: 5'],
    ['an object inside a text is JSON', 'rows ${list}!', 'rows [1,2,3]!'],
    ['two Refs side by side', '${t1.text}${t1.text}', 'xx'],
    ['blanks around', '${ t1 .n }', 5],
    ['a quoted key', '${t1.rows[0]."odd key"}', 1],
    ['a quoted key in Japanese', '${t1.rows[0]."日本"}', 2],
    ['a brace within a quoted key', '${t1.rows[0]."a}b"}', 3],
    ['braces of a multi-select', '${t1.{a: n, b: text}}', { a: 5, b: 'x' }],
    ['a pipe with a function', '${list | sum(@)}', 6],
    ['a raw string with a brace', "${t1 | join('}', ['a', text])}", 'a}x'],
    ['a literal in back-ticks', '${t1.rows[?city == `"Tokyo"`] | [0].city}', 'Tokyo'],
    ['an escape is a text', 'cost $${t1.n}', 'cost ${t1.n}'],
    ['an escape before a Ref', '$${x} ${t1.n}', '${x} 5'],
    ['a price: a dollar right before a Ref', 'it costs $$${t1.n}', 'it costs $5'],
    ['two dollars before a brace', '$$$${t1.n}', '$${t1.n}'],
    ['two dollars before a Ref', '$$$$${t1.n}', '$$5'],
    ['dollars that stand before nothing', '$$ $$$ $', '$$ $$$ $'],
    ['a lonely dollar', '$5 and {t1}', '$5 and {t1}'],
    ['nested places', { a: [{ b: '${t1.n}' }] }, { a: [{ b: 5 }] }],
  ])('%s', (_, written, expected) => {
    expect(fill(written)).toEqual(expected);
  });

  it.each([
    ['a path that leads nowhere', '${t1.rows[7].city}', 'found nothing in the result of t1'],
    ['a path that goes on behind a null', '${t1.nothing.x}', 'found nothing'],
    ['a key that is not there', '${t1.nobody}', 'found nothing'],
    ['an index behind the last', '${holes[3]}', 'found nothing'],
    ['a field of a list', '${list.length}', 'found nothing'],
    ['a letter of a text', '${t1.text[0]}', 'found nothing'],
    ['a null within a longer text', 'it is ${t1.nothing}', '${t1.nothing} is null'],
    ['a whole result that is null within a longer text', 'it is ${empty}', '${empty} is null'],
    ['a null that an expression gives', '${t1 | nothing}', 'found nothing'],
    ['no such task', '${nobody.x}', 'nobody has no result'],
    ['a function on the wrong type', '${t1 | sum(text)}', 'sum'],
  ])('%s stops the call and says so', (_, written, message) => {
    expect(() => fill(written)).toThrow(message);
  });

  it('names the Ref as it was written', () => {
    expect(() => fill('${list[9]}')).toThrow('${list[9]} found nothing');
    expect(() => fill('${list | [9]}')).toThrow('${list | [9]} found nothing');
  });

  it.each(['constructor', '__proto__', 'toString', 'rows[0].constructor', 'hasOwnProperty'])(
    'a Ref to %s finds nothing: what JavaScript gives every object is no data',
    (path) => {
      expect(() => fill(`\${t1.${path}}`)).toThrow('found nothing');
    },
  );

  it('a key of that name in the data is data', () => {
    const data = JSON.parse('{"constructor": 1, "__proto__": {"x": 2}}') as Json;
    const injected = fillRefs({ a: '${t.constructor}', b: '${t.__proto__.x}' }, () => data);
    expect(injected).toEqual({ ok: true, args: { a: 1, b: 2 } });
  });

  it('a hostile key in the arguments does not change their prototype', () => {
    const args = JSON.parse('{"__proto__": {"admin": "${t1.n}"}}') as JsonObject;
    const injected = fillRefs(args, () => ({ n: true }));
    if (!injected.ok) throw new Error('not filled');
    expect(JSON.stringify(injected.args)).toBe('{"__proto__":{"admin":true}}');
    expect((injected.args as { admin?: Json }).admin).toBeUndefined();
  });

  it('what a tool says is never read as a Ref itself', () => {
    const injected = fillRefs({ a: '${t.x}', b: 'so: ${t.x}' }, (task) => ({
      x: task === 't' ? '${other.secret}' : 'leaked',
    }));
    expect(injected).toEqual({ ok: true, args: { a: '${other.secret}', b: 'so: ${other.secret}' } });
  });
});

describe('the text of a Ref', () => {
  it.each([
    ['not closed', 'a ${t1.x', 'not closed'],
    ['no id', '${.x}', "does not begin with a task's id"],
    ['a number first', '${1t}', "does not begin with a task's id"],
    ['nothing', '${}', "does not begin with a task's id"],
    ['something odd behind the id', '${t1 x}', 'after the id comes'],
    ['bad JMESPath', '${t1.rows[}', 't1.rows['],
    ['an expression that is no value', '${t1.&x}', 'stands for no value'],
    ['a key in Japanese without quotes', '${t1.日本}', '日'],
  ])('%s is refused', (_, text, message) => {
    expect(parseTemplate(text)).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });

  it('text without ${ is itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!text.includes('${'));
        expect(parseTemplate(text)).toEqual({ ok: true, template: [text] });
      }),
    );
  });

  const text = fc
    .array(fc.constantFrom('$', '$', '{', '}', '${', '$${', 'a', "'", '`', '"', '\\', ' '), { minLength: 1 })
    .map((parts) => parts.join(''));
  const ref = fc.record({
    task: fc.constantFrom('t1', 'a-b', '_'),
    path: fc.constantFrom('', 'n', '[0].a', 'a."x}y"', '{a: n}', '@ | sum(@)', "@ | join('$${', @)"),
  });

  it('any text can be written so that it stays a text, whatever stands in it', () => {
    fc.assert(
      fc.property(text, (any) => {
        expect(fill(writeText(any))).toBe(any);
      }),
    );
  });

  it('any text and any Ref can stand side by side, and are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.option(text), ref)), fc.option(text), (pairs, last) => {
        const template: Template = [...pairs.flat(), last].filter((part) => part !== null);
        fc.pre(template.length > 0);
        expect(parseTemplate(writeTemplate(template))).toEqual({ ok: true, template });
      }),
      { numRuns: 1_000 },
    );
  });

  it('what is read and written again says the same', () => {
    const part = fc.constantFrom('$', '$', '{', '}', '${t1.n}', '${a-b}', 'x');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const parsed = parseTemplate(parts.join(''));
        if (parsed.ok) expect(parseTemplate(writeTemplate(parsed.template))).toEqual(parsed);
      }),
      { numRuns: 1_000 },
    );
  });

  it('no text makes the parser throw or hang', () => {
    const hostile = fc.array(
      fc.constantFrom('${', '}', '{', "'", '"', '`', '\\', 't1', '.', '[', ']', '|', '&', '$'),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const parsed = parseTemplate(parts.join(''));
        expect(typeof parsed.ok).toBe('boolean');
      }),
      { numRuns: 500 },
    );
  });

  it('a path that is too long is refused, and not repeated in full', () => {
    const parsed = parseTemplate(`\${t1.${'a[0].'.repeat(30_000)}a}`);
    expect(parsed).toMatchObject({
      ok: false,
      message: expect.stringContaining('longer than 4000 characters'),
    });
    expect(JSON.stringify(parsed).length).toBeLessThan(400);
  });

  it('is parsed and written in linear time', () => {
    for (const hostile of ['${'.repeat(100_000), '$'.repeat(200_000), `${'$'.repeat(200_000)}{`])
      expect(fill(writeText(hostile))).toBe(hostile);
  });

  it('is written back as it was read', () => {
    for (const text of ['${t1}', '${t1.a.b}', '${t1[0].a}', '${t1 | sum(a)}', '${a-b."x y"}']) {
      const parsed = parseTemplate(text);
      const ref = parsed.ok ? wholeRef(parsed.template) : undefined;
      expect(ref && writeRef(ref)).toBe(text);
    }
  });

  it('an expected outcome is checked as an expression', () => {
    expect(expressionProblem('length(rows) > `0`')).toBeUndefined();
    expect(expressionProblem('length(')).toEqual(expect.any(String));
  });
});

describe('a path of keys and indexes', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', 'let', 'in', 'null', 'length', 'constructor', '__proto__'),
    fc.string().filter((name) => !/["\\\p{Cc}]/u.test(name)),
  );
  const steps = fc.array(fc.oneof(key, fc.integer({ min: -3, max: 3 })), { minLength: 1, maxLength: 4 });
  const written = (path: readonly (string | number)[]) =>
    path
      .map((step, index) => {
        if (typeof step === 'number') return `[${step}]`;
        return `${index === 0 ? '' : '.'}${/^[A-Za-z_]\w*$/.test(step) ? step : `"${step}"`}`;
      })
      .join('');

  it('leads where JMESPath leads, but for a null that is there', () => {
    const value = fc.letrec<{ any: Json }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(1, null, 'text', false),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'let', 'null'), tie('any')) as fc.Arbitrary<Json>,
      ),
    })).any;
    fc.assert(
      fc.property(value, steps, (any, path) => {
        const expression = written(path);
        expect(plainPath(expression)).toEqual(path);
        const own = path.every((step) => typeof step === 'number' || !(step in {}));
        if (own) expect(query(any, expression) ?? null).toEqual(search(any as never, expression));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is never seen in what JMESPath would refuse', () => {
    const piece = fc.constantFrom(
      'a',
      '.',
      '[0]',
      '[',
      ']',
      '-1',
      '"',
      '"x"',
      '*',
      ' ',
      '|',
      '&',
      '@',
      '\\',
      '日',
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1 }), (pieces) => {
        const expression = pieces.join('');
        if (plainPath(expression) !== undefined) search({}, expression);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('fillRefs', () => {
  const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('${'));

  it('gives back the same object where there is no Ref, so that the journal need not hold it again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), plain), (args) => {
        fc.pre(!JSON.stringify(args).includes('${'));
        const injected = fillRefs(args as JsonObject, () => undefined);
        expect(injected.ok && injected.args === args).toBe(true);
      }),
    );
  });

  it('leaves everything but the Refs as it was', () => {
    fc.assert(
      fc.property(plain, plain, (other, value) => {
        const injected = fillRefs({ other: other as Json, ref: '${t}' }, () => value as Json);
        expect(injected).toEqual({ ok: true, args: { other, ref: value } });
      }),
    );
  });

  it('tells everything that is missing at once, with its place', () => {
    const injected = fillRefs({ a: '${x}', b: { c: ['${y}'] } }, () => undefined);
    expect(injected).toMatchObject({ ok: false, problems: [{ path: ['a'] }, { path: ['b', 'c', 0] }] });
  });

  it('finds the Refs of a value with their places', () => {
    expect(refsIn({ a: '${t1.x}', b: ['no', 'a ${t2}'], c: '$${t3}', d: '${broken' })).toEqual([
      { ref: { task: 't1', path: 'x' }, path: ['a'], whole: true },
      { ref: { task: 't2', path: '' }, path: ['b', 1], whole: false },
    ]);
  });
});
