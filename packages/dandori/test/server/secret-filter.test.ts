import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/model/redact.ts';
import { createSecretFilter } from '../../src/server/live-updates.ts';

describe('text that comes in pieces', () => {
  it('shows nothing of a secret that begins like another one', () => {
    const { pass } = createSecretFilter(['key-123', 'key-123-456']);
    expect(['it is key-123', '-456', ' and key-123', ' too'].map(pass)).toEqual([
      'it is ',
      '[secret]',
      ' and ',
      '[secret] too',
    ]);
  });

  it('is the same as the whole without secrets, wherever it is cut', () => {
    const letters = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b', 'x'), maxLength: most });
    fc.assert(
      fc.property(fc.array(letters(4)), fc.array(letters(3)), (pieces, secrets) => {
        const { pass } = createSecretFilter(secrets);
        const shown = [...pieces, ' '].map(pass).join('');
        const whole = [...pieces, ' '].join('');
        expect(shown).toBe(redact(whole, secrets));
      }),
    );
  });
});
