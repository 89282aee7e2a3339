import { describe, expect, it } from 'vitest';
import type { LanguageMindOptions } from '../../../src/mind/language/options.ts';
import { toUsage } from '../../../src/mind/language/usage.ts';

describe('what a call cost', () => {
  it.each<[string, LanguageMindOptions, number | undefined]>([
    ['a well-known model', { provider: 'openai', name: 'gpt-4.1-mini' }, 0.4 + 1.6],
    ['a dated name of it', { provider: 'openai', name: 'gpt-4.1-mini-2025-04-14' }, 0.4 + 1.6],
    ['a dated name at Anthropic', { provider: 'anthropic', name: 'claude-haiku-4-5-20251001' }, 1 + 5],
    [
      'the price from the configuration',
      { provider: 'openai', name: 'gpt-4.1', price: { input: 1, output: 2 } },
      3,
    ],
    ['an unknown model', { provider: 'openai', name: 'gpt-next' }, undefined],
    [
      'a known name at another address',
      { provider: 'openai', name: 'gpt-4.1', baseUrl: 'http://x' },
      undefined,
    ],
    ['a model at home', { provider: 'ollama', name: 'gpt-4.1' }, undefined],
  ])('%s', (_, options, cost) => {
    expect(toUsage(reported(1_000_000, 1_000_000), options)?.cost).toEqual(
      cost === undefined ? undefined : expect.closeTo(cost),
    );
  });

  it('is less for input from the cache', () => {
    const options: LanguageMindOptions = { provider: 'google', name: 'gemini-2.5-flash' };
    expect(toUsage(reported(1_000_000, 0, 1_000_000), options)?.cost).toBeCloseTo(0.03);
  });

  it('is not made up where the provider says nothing', () => {
    expect(toUsage(reported(undefined, undefined), { provider: 'openai', name: 'gpt-5' })).toBeUndefined();
    expect(toUsage(undefined, { provider: 'openai', name: 'gpt-5' })).toBeUndefined();
  });

  it.each([
    ['zeros', 0, 0],
    ['less than nothing read', -1_000_000, 5],
    ['less than nothing written', 100, -5],
    ['what is written alone', undefined, 5],
  ])('nor where it says what cannot be, so that it is counted here: %s', (_, input, output) => {
    expect(toUsage(reported(input, output), { provider: 'ollama', name: 'small' })).toBeUndefined();
  });
});

function reported(
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  cachedInputTokens?: number,
) {
  return { inputTokens, outputTokens, cachedInputTokens };
}
