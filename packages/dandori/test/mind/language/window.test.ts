import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextTranscript } from '../../../src/mind/language/transcript.ts';
import { isSurelyShort, type Window, windowFor } from '../../../src/mind/language/window.ts';
import type { Decision } from '../../../src/run/state/state.ts';
import { Story } from './thought.ts';

const BUDGET = 1_000;
/** With this one word is one token. */
const words = (count: number) => 'word '.repeat(count).trimEnd();

function decisions(weights: readonly number[]): { list: Decision[]; tell: (decision: Decision) => string } {
  const list = weights.map(
    (_, number): Decision => ({
      number,
      purpose: 'act',
      brief: undefined,
      startedSeq: 0,
      reasoning: undefined,
      operations: [],
      proposed: [],
      diagnostics: undefined,
      failure: undefined,
    }),
  );
  return { list, tell: ({ number }) => words(weights[number] ?? 0) };
}

async function windows(weights: readonly number[], base = ''): Promise<Window[]> {
  const { list, tell } = decisions(weights);
  return Promise.all(
    list.map((_, index) =>
      windowFor({ decisions: list.slice(0, index + 1), base, tell, isSettled: () => true, budget: BUDGET }),
    ),
  );
}

describe('the window of turns that are told in full', () => {
  it('is everything while that fits', async () => {
    expect((await windows([100, 200, 300])).every(({ from }) => from === 0)).toBe(true);
  });

  it('moves rarely and far, never back, and always contains the last decision (W2, W3)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 0, max: 2_000 }),
        async (weights, base) => {
          const all = await windows(weights, words(base));
          const room = Math.max(BUDGET * 0.8 - base, BUDGET * 0.25);
          all.forEach(({ from }, index) => {
            const before = all[index - 1]?.from ?? 0;
            expect(from).toBeGreaterThanOrEqual(before);
            expect(from).toBeLessThanOrEqual(index);
            const sum = weights.slice(from, index + 1).reduce((one, other) => one + other, 0);
            if (from < index) expect(sum).toBeLessThanOrEqual(room);
            const unmoved = weights.slice(before, index + 1).reduce((one, other) => one + other, 0);
            if (from > before) expect(unmoved).toBeGreaterThan(room);
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is the same in another process (W1)', async () => {
    const weights = Array.from({ length: 40 }, (_, index) => 30 + ((index * 37) % 90));
    const again = decisions(weights);
    const live = (await windows(weights)).at(-1);
    expect(live?.from).toBeGreaterThan(10);
    expect(
      await windowFor({
        decisions: again.list,
        base: '',
        tell: again.tell,
        isSettled: () => true,
        budget: BUDGET,
      }),
    ).toEqual(live);
  });
});

it('a prompt surely fits if its text is short and shows no pictures', () => {
  const { state } = new Story();
  const transcript = new TextTranscript();
  transcript.addUserText('word '.repeat(100));
  expect(isSurelyShort(transcript.write([]).atMost, state)).toBe(true);
  expect(isSurelyShort(transcript.write(['word '.repeat(20_000)]).atMost, state)).toBe(false);
  transcript.show(['t1']);
  expect(isSurelyShort(transcript.write([]).atMost, state)).toBe(false);
});
