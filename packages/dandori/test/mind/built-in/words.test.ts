import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wordsOf } from '../../../src/mind/built-in/goal.ts';

/** No stop word and no word with a meaning. */
const LETTERS = [...'xqzXQ'];

it('the words of a goal in English are those of the segmenter, although it is rarely created', () => {
  const segmenter = new Intl.Segmenter('ja', { granularity: 'word' });
  const signs = [...' \t\n!"#$%&()*+-./:;,<=>?@[]^`{|}~\\\'’é漢0123456789'];
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...LETTERS, ...LETTERS, ...signs), maxLength: 40 }),
      (text) => {
        const words = wordsOf(text).filter((word) => !/\p{Script=Han}/u.test(word.text));
        const segments = [...segmenter.segment(text)]
          .filter(({ segment }) => /\p{L}/u.test(segment) && !/\p{Script=Han}/u.test(segment))
          .map(({ segment, index }) => ({ text: segment, start: index }));
        expect(words.map(({ text: word, start }) => ({ text: word, start }))).toEqual(segments);
      },
    ),
    { numRuns: 2_000 },
  );
});
