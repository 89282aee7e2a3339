import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/model/json.ts';
import { parsePieces } from '../../src/tools/mcp/json-pieces.ts';
import { rounds } from '../long.ts';

/** The value or `not JSON`, as one text in which every difference is seen, also the order of keys. */
function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse(), (_, value) => (typeof value === 'bigint' ? `${value}n` : value));
  } catch (error) {
    if (error instanceof SyntaxError) return 'not JSON';
    throw error;
  }
}

const { text } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('1', '-0', '1e999', '9007199254740993', '0.5', 'true', 'null'),
    fc.constantFrom('""', '"a"', '"\\\\"', '"\\""', '"日本"', '"[,]{}:"', ' 7 ', '\n"b"'),
    fc.array(tie('text')).map((items) => `[${items.join(',')}]`),
    fc.array(tie('text')).map((items) => `[ ${items.join(' ,\n')} ]`),
    fc
      .array(fc.tuple(fc.constantFrom('"a"', ' "b" ', '"__proto__"', '"1"', '"x,y"', '"\\"k"'), tie('text')))
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`),
  ),
}));

describe('a large answer that is parsed in pieces', () => {
  it('has the value that it has as a whole, or is no JSON either', () => {
    const damage = fc.option(
      fc.tuple(fc.nat(), fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', '1', '\\')),
    );
    fc.assert(
      fc.property(text, damage, fc.integer({ min: 1, max: 40 }), (whole, damaged, piece) => {
        const at = damaged === null ? 0 : damaged[0] % (whole.length + 1);
        const written = damaged === null ? whole : whole.slice(0, at) + damaged[1] + whole.slice(at + 1);
        const bytes = Buffer.from(written);
        expect(outcome(() => parsePieces(bytes, piece))).toBe(outcome(() => parseJson(written)));
        expect(bytes.toString()).toBe(written);
      }),
      { numRuns: rounds(20_000) },
    );
  });

  it('may be nested as deeply as it likes', () => {
    const depth = 20_000;
    let value = parsePieces(Buffer.from('{"a":['.repeat(depth) + ']}'.repeat(depth)), 1_000);
    for (let level = 0; level < depth; level++) [value = null] = (value as { a: [null] }).a;
    expect(value).toBe(null);
  });
});
