import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/model/redact.ts';

describe('a secret', () => {
  it('is taken out wherever it stands, in keys too', () => {
    const value = { a: 'key sk-1 here', b: ['sk-1sk-1', 7], 'header sk-1': { c: null } };
    expect(redact(value, ['sk-1'])).toEqual({
      a: 'key [secret] here',
      b: ['[secret][secret]', 7],
      'header [secret]': { c: null },
    });
  });

  it('leaves no rest behind where it begins like another one', () => {
    expect(redact('abcdef', ['abc', 'abcdef'])).toBe('[secret]');
  });

  it('may hold characters that mean something in a pattern', () => {
    expect(redact('x $& .* (a', ['.*', '$&', '(a'])).toBe('x [secret] [secret] [secret]');
  });

  it('that is empty, because a variable was not set, does not spoil the journal', () => {
    expect(redact({ a: 'text' }, [''])).toEqual({ a: 'text' });
  });

  it('costs no copy where there is none', () => {
    const value = { a: ['b', { c: 1 }] };
    expect(redact(value, ['zzz'])).toBe(value);
    expect(redact(value, [])).toBe(value);
  });

  it('is in no value that comes out', () => {
    const secret = fc.stringMatching(/^[A-Z]{4,8}$/);
    fc.assert(
      fc.property(fc.jsonValue(), secret, secret, (value, one, two) => {
        const spoiled = { [`k${one}`]: [value, `a${two}${one}b`], v: JSON.stringify(value) + one };
        const text = JSON.stringify(redact(spoiled, [one, two]));
        expect(text.includes(one) || text.includes(two)).toBe(false);
      }),
    );
  });
});
