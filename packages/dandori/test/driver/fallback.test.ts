import { afterEach, describe, expect, it } from 'vitest';
import { createLanguageMind, withFallback } from '../../src/mind/language/mind.ts';
import type { LanguageMindOptions } from '../../src/mind/language/options.ts';
import type { ScriptEntry } from '../../src/testing/model-server/index.ts';
import { closeServers, createModelHouse, factsOf, optionsFor, say, serve } from './model-house.ts';

afterEach(closeServers);

const find = say('json', ['places.find', { q: 'Kyoto' }]);
const answer = say('json', ['answer', { text: 'Sunny.' }]);
const usage = { prompt_tokens: 1_000_000, completion_tokens: 0 };

/** The first model and the one that stands in for it, each behind its own server. */
async function createPair(
  first: readonly ScriptEntry[],
  second: readonly ScriptEntry[],
  options: Partial<LanguageMindOptions> = {},
) {
  const main = await serve(first);
  const other = await serve(second);
  const mind = withFallback(
    createLanguageMind(optionsFor(main, { name: 'first', price: { input: 1, output: 1 } })),
    createLanguageMind(optionsFor(other, { name: 'second', price: { input: 5, output: 5 }, ...options })),
  );
  return { main, other, ...(await createModelHouse([], {}, { mind })) };
}

describe('a fallback model', () => {
  it.each<[string, readonly ScriptEntry[], RegExp]>([
    ['at once where the key is wrong', [{ status: 401 }], /did not accept the API key/],
    ['at once where the first refuses', [{ refusal: 'No.' }], /refused: No/],
    ['at once where the first asks for an hour', [{ status: 429, retryAfter: 3600 }], /wait for 3600 s$/],
    ['at the second failure in a row', [{ status: 503 }, { status: 500 }], /failed \(500\)/],
  ])('takes over %s, and the journal says why', async (_, script, reason) => {
    const pair = await createPair(script, [find, answer]);
    const { state, events } = await pair.run();
    expect(state.end).toMatchObject({ outcome: 'answered', answer: 'Sunny.' });
    const failed = factsOf(events, 'decision_failed');
    expect(failed.at(-1)).toMatchObject({
      model: 'openai-compatible/first',
      next: 'openai-compatible/second',
      failure: { message: expect.stringMatching(reason) },
    });
    expect(factsOf(events, 'decision_made').map(({ model }) => model)).toEqual([
      'openai-compatible/second',
      'openai-compatible/second',
    ]);
    expect(pair.main.requests).toHaveLength(script.length);
  });

  it('is not used while the first recovers by itself', async () => {
    const pair = await createPair([{ status: 503 }, find, { status: 503 }, answer], []);
    expect((await pair.run()).state.end?.outcome).toBe('answered');
  });

  it('gets its own settings', async () => {
    const pair = await createPair([{ status: 401 }], [{ status: 401 }], { section: 'model.fallback' });
    const { events } = await pair.run();
    const [first, second] = factsOf(events, 'decision_failed').map(({ failure }) => failure.message);
    expect(first).toContain('Check model.api_key_env');
    expect(second).toContain('Check model.fallback.api_key_env');
  });

  it('is not used after an unusable output: the first model is told and tries again', async () => {
    const pair = await createPair([{ content: '' }, { content: '{}' }, answer], []);
    expect((await pair.run()).state.end?.outcome).toBe('answered');
  });

  it('is charged at its own price', async () => {
    const pair = await createPair(
      [{ ...find, usage } as ScriptEntry, { status: 401 }],
      [{ ...answer, usage } as ScriptEntry],
    );
    expect((await pair.run()).state.usage.cost).toBeCloseTo(1 + 5);
  });

  it('has as many attempts as the first, and then the run ends with its results', async () => {
    const down = { status: 500 };
    const pair = await createPair([find, down, down], [down, down, down]);
    expect((await pair.run()).state.end).toMatchObject({
      outcome: 'failed',
      failure: { message: expect.stringMatching(/second failed \(500\)/) },
      answer: expect.stringContaining('the city of Kyoto'),
    });
  });

  it('ends the run if it is unavailable too', async () => {
    const pair = await createPair([{ status: 401 }], [{ status: 404 }]);
    expect((await pair.run()).state.end).toMatchObject({
      outcome: 'failed',
      failure: { message: expect.stringMatching(/There is no openai-compatible\/second/) },
    });
  });

  it('has a dialect of its own, whatever failed with the first', async () => {
    const pair = await createPair([{ content: '' }, { status: 401 }], [answer], { dialect: 'auto' });
    expect((await pair.run()).state.end?.outcome).toBe('answered');
    expect(pair.other.requests[0]?.body.tools).toBeUndefined();
  });
});
