import { expect, it } from 'vitest';
import { DandoriError } from '../../../dandori/src/model/error.ts';
import { refuseStopping } from '../../../dandori/src/server/driving.ts';
import { words } from '../../src/texts/words.ts';
import { problemWords } from '../../src/ui/problem.tsx';

it('tells people that the server stops in their own language, and nothing of headers', () => {
  const error = (() => {
    try {
      return refuseStopping({ isStopping: true });
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(error).toMatchObject({ fix: expect.stringContaining('Idempotency-Key') });
  for (const say of [words.en, words.ja]) {
    const { what, fix } = problemWords(error, say);
    expect(`${what} ${fix}`).not.toMatch(/Idempotency|header/i);
  }
  expect(problemWords(error, words.ja).what).toContain('サーバー');
});

it('says what the server says where that is for people', () => {
  const error = new DandoriError('plan-invalid', 'There is no task x.', { fix: 'Name one.' });
  expect(problemWords(error, words.en)).toEqual({ what: 'There is no task x.', fix: 'Name one.' });
  expect(problemWords(new TypeError('Failed to fetch'), words.en).what).toBe('Failed to fetch');
});
