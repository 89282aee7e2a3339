import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { atMostTokens, loadTokenCounter } from '../../../src/mind/language/usage.ts';
import { growth, LINEAR } from '../../plan/growth.ts';

const ENGLISH = 'The quick brown fox jumps over the lazy dog, and 42 people saw it. ';
const JAPANESE = '東京の天気は晴れで、気温は二十度です。明日は雨が降るでしょう。';
const ROWS = JSON.stringify(
  Array.from({ length: 900 }, (_, id) => ({ id, city: `city ${id}`, share: id / 7 })),
);

describe('how many tokens a text has', () => {
  it.each([
    ['English', ENGLISH],
    ['Japanese, of which a quarter of the characters would be half of the truth', JAPANESE],
    ['JSON', ROWS.slice(0, 20_000)],
  ])('%s is counted as the tokenizer does', async (_, text) => {
    const weigh = await loadTokenCounter();
    expect(weigh(text)).toBe(countTokens(text));
  });

  it.each([
    ['English', ENGLISH.repeat(1_000)],
    ['Japanese', JAPANESE.repeat(1_500)],
    ['JSON', ROWS],
  ])('a long text is weighed by samples, to a few hundredths: %s', async (_, text) => {
    const weigh = await loadTokenCounter();
    expect(weigh(text) / countTokens(text)).toBeGreaterThan(0.95);
    expect(weigh(text) / countTokens(text)).toBeLessThan(1.05);
  });

  it('a control token of the tokenizer is text like any other, so that no tool can end a run with it', async () => {
    expect((await loadTokenCounter())('<|endoftext|><|im_start|>')).toBeGreaterThan(5);
  });

  it('is never more than the bytes, so that what fits by bytes fits', async () => {
    const weigh = await loadTokenCounter();
    for (const text of ['', 'a', '😀', 'é', ENGLISH, JAPANESE, '\u0000\u0001', '{"a":[1,2,3]}'])
      expect(weigh(text)).toBeLessThanOrEqual(atMostTokens(text));
  });

  it.each(['a', 'あ', '=', ' ', '\n'])('a text of nothing but %j is no trap', async (character) => {
    const weigh = await loadTokenCounter();
    // Another text each time, or it would be remembered.
    let count = 0;
    expect(await growth((size) => weigh(character.repeat(size) + count++), 3_000)).toBeLessThan(LINEAR);
  });

  it('is remembered, as a prompt is what the one before was and a little more', async () => {
    const weigh = await loadTokenCounter();
    const time = (texts: readonly string[]) => {
      const { user } = process.cpuUsage();
      for (const text of texts) weigh(text);
      return process.cpuUsage().user - user;
    };
    const different = Array.from({ length: 50 }, (_, index) => `${index} ${ROWS.slice(0, 20_000)}`);
    const first = time(different);
    // The best of a few rounds, as a collection may fall into one.
    const again = Math.min(...Array.from({ length: 5 }, () => time(different)));
    expect(again).toBeLessThan(first / 5);
  });
});
