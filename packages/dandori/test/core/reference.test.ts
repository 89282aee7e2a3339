import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inject, refsIn } from '../../src/core/inject.ts';
import { expressionProblem, parseTemplate, wholeRef, writeRef } from '../../src/core/reference.ts';
import type { Json, JsonObject } from '../../src/domain/json.ts';

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
};

function fill(value: Json): Json {
  const injected = inject({ value }, (task) => (Object.hasOwn(RESULTS, task) ? RESULTS[task] : undefined));
  if (!injected.ok) throw new Error(injected.problems.map(({ message }) => message).join('; '));
  return injected.args.value as Json;
}

describe('a Ref keeps the value that a tool gave', () => {
  it.each<[string, Json, Json]>([
    ['a number stays a number', '${t1.n}', 5],
    ['false is a value, not nothing', '${t1.flag}', false],
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
    ['a lonely dollar', '$5 and {t1}', '$5 and {t1}'],
    ['nested places', { a: [{ b: '${t1.n}' }] }, { a: [{ b: 5 }] }],
  ])('%s', (_, written, expected) => {
    expect(fill(written)).toEqual(expected);
  });

  it.each([
    ['a path that leads nowhere', '${t1.rows[7].city}', 'found nothing in the result of t1'],
    ['a null is nothing to pass on', '${t1.nothing}', 'found nothing'],
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
    const injected = inject({ a: '${t.constructor}', b: '${t.__proto__.x}' }, () => data);
    expect(injected).toEqual({ ok: true, args: { a: 1, b: 2 } });
  });

  it('a hostile key in the arguments does not change their prototype', () => {
    const args = JSON.parse('{"__proto__": {"admin": "${t1.n}"}}') as JsonObject;
    const injected = inject(args, () => ({ n: true }));
    if (!injected.ok) throw new Error('not filled');
    expect(JSON.stringify(injected.args)).toBe('{"__proto__":{"admin":true}}');
    expect((injected.args as { admin?: Json }).admin).toBeUndefined();
  });

  it('what a tool says is never read as a Ref itself', () => {
    const injected = inject({ a: '${t.x}', b: 'so: ${t.x}' }, (task) => ({
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

  it('any text can be written with the escape and comes back', () => {
    const part = fc.constantFrom('$', '{', '}', '${', '$${', 'a', "'", '`', '"', '\\', ' ');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        // A `$` right before `${` cannot be told from an escape: the one text that cannot be written.
        const text = parts.join('');
        fc.pre(!text.includes('$${'));
        const written = text.replaceAll('${', () => '$${');
        expect(fill(written)).toBe(text);
      }),
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

  it('is parsed in linear time', () => {
    const text = '$${'.repeat(100_000);
    const from = performance.now();
    expect(fill(text)).toBe('${'.repeat(100_000));
    expect(performance.now() - from).toBeLessThan(1_000);
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

describe('inject', () => {
  const plain = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('${'));

  it('gives back the same object where there is no Ref, so that the journal need not hold it again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), plain), (args) => {
        fc.pre(!JSON.stringify(args).includes('${'));
        const injected = inject(args as JsonObject, () => undefined);
        expect(injected.ok && injected.args === args).toBe(true);
      }),
    );
  });

  it('leaves everything but the Refs as it was', () => {
    fc.assert(
      fc.property(plain, plain, (other, value) => {
        const injected = inject({ other: other as Json, ref: '${t}' }, () => value as Json);
        expect(injected).toEqual({ ok: true, args: { other, ref: value } });
      }),
    );
  });

  it('tells everything that is missing at once, with its place', () => {
    const injected = inject({ a: '${x}', b: { c: ['${y}'] } }, () => undefined);
    expect(injected).toMatchObject({ ok: false, problems: [{ path: ['a'] }, { path: ['b', 'c', 0] }] });
  });

  it('finds the Refs of a value with their places', () => {
    expect(refsIn({ a: '${t1.x}', b: ['no', 'a ${t2}'], c: '$${t3}', d: '${broken' })).toEqual([
      { ref: { task: 't1', path: 'x' }, path: ['a'], whole: true },
      { ref: { task: 't2', path: '' }, path: ['b', 1], whole: false },
    ]);
  });
});
