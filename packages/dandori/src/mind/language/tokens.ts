/** How many tokens a text has. */
export type Weigh = (text: string) => number;

/** Longer texts are weighed by samples: nobody needs to know to the token how long a book is. */
const LONGEST_WHOLE = 32_768;
const SAMPLES = 8;
const SAMPLE_LENGTH = 2_048;
/** Letters or signs without a break, of which the tokenizer's time grows with the square. */
const LONG_RUN = /[\p{L}\p{M}]{120}|[^\s\p{L}\p{N}]{120}|\s{120}/gu;
/** Text that looks like a tokenizer's control token is text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** Never too few: what is written of a byte is at least a byte. Needs no tokenizer, and mostly that is enough to know. */
export const weighAtMost: Weigh = (text) => Buffer.byteLength(text);

let loading: Promise<Weigh> | undefined;

/**
 * Counts as the newer models of OpenAI do, which others come near enough to. Loaded when it is first needed: its table
 * takes longer to read than all of Dandori.
 */
export function loadWeigh(): Promise<Weigh> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const count: Weigh = (text) => countTokens(text.replaceAll(LONG_RUN, '$& '), AS_TEXT);
    return remembered((text) => (text.length <= LONGEST_WHOLE ? count(text) : sampled(text, count)));
  });
  return loading;
}

/** Characters of the texts whose weights are kept: a few prompts of the longest kind. */
const REMEMBERED = 4_000_000;

/** A prompt is what the one before was and a little more, so that nearly all of its messages have been weighed before. */
function remembered(weigh: Weigh): Weigh {
  const weights = new Map<string, number>();
  let kept = 0;
  return (text) => {
    const known = weights.get(text);
    if (known !== undefined) return known;
    const weight = weigh(text);
    weights.set(text, weight);
    kept += text.length;
    for (const oldest of weights.keys()) {
      if (kept <= REMEMBERED) break;
      weights.delete(oldest);
      kept -= oldest.length;
    }
    return weight;
  };
}

/** The same text always weighs the same, or the place where a conversation is cut would move to and fro. */
function sampled(text: string, count: Weigh): number {
  const step = (text.length - SAMPLE_LENGTH) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = Math.round(sample * step);
    tokens += count(text.slice(from, from + SAMPLE_LENGTH));
  }
  return Math.round((tokens / (SAMPLES * SAMPLE_LENGTH)) * text.length);
}
