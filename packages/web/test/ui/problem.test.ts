import { expect, it } from 'vitest';
import { DandoriError } from '../../../dandori/src/model/error.ts';
import { refuseStopping } from '../../../dandori/src/server/problem.ts';
import { words } from '../../src/texts/words.ts';
import { problemWords } from '../../src/ui/problem.tsx';

it("says in the user's language that the server is stopping, without technical details", () => {
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

it('shows the message of the server for all other codes', () => {
  const error = new DandoriError('plan-invalid', 'There is no task x.', { fix: 'Name one.' });
  expect(problemWords(error, words.en)).toEqual({ what: 'There is no task x.', fix: 'Name one.' });
  expect(problemWords(new TypeError('Failed to fetch'), words.en).what).toBe('Failed to fetch');
});
