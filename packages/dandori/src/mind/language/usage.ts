import type { LanguageModelUsage } from 'ai';
import type { Usage } from '../../model/decision.ts';
import { stringifyJson } from '../../model/json.ts';
import type { RunState } from '../../run/state/state.ts';
import type { Spoken } from './call.ts';
import type { DialectPrompt, Sent } from './dialects/dialect.ts';
import type { LanguageMindOptions, Price } from './options.ts';
import prices from './prices.json' with { type: 'json' };

const MILLION = 1_000_000;
/** Tokens of a decision with a few actions, or a short answer. */
const USUAL_OUTPUT = 500;
/** Tokens that say whose message it is, where it begins and where it ends. */
const AROUND_A_MESSAGE = 4;
/** No model is known that may not write as much. */
const SURELY_WRITTEN = 4_096;

/**
 * Undefined where the provider says nothing. There is always a prompt, so that none or less than none of it is nothing
 * said: some servers at home fill the fields with zeros, and a limit must hold there too.
 */
export function toUsage(
  reported: LanguageModelUsage | undefined,
  options: LanguageMindOptions,
): Usage | undefined {
  if (reported === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = reported;
  if (!(inputTokens > 0 && outputTokens >= 0)) return undefined;
  const cached = inputTokenDetails.cacheReadTokens;
  const usage: Usage = {
    inputTokens,
    outputTokens,
    ...(cached !== undefined && { cachedInputTokens: cached }),
  };
  return priced(usage, options);
}

/**
 * Counted here, where the provider says nothing, as many servers at home do: limits must hold there too. Marked, so that
 * nobody takes it for the provider's word. Undefined where no word came back, as nothing may have been read either.
 */
export async function estimateUsage(
  { instructions, messages }: DialectPrompt,
  { text, thoughts, calls }: Pick<Spoken, 'text' | 'thoughts' | 'calls'>,
  options: LanguageMindOptions,
): Promise<Usage | undefined> {
  const said = [text, thoughts, ...calls.map((call) => written(call.arguments))].join('');
  if (said === '') return undefined;
  const weigh = await loadWeigh();
  const inputTokens = weighPrompt({ instructions, messages }, weigh);
  return priced({ inputTokens, outputTokens: weigh(said), estimated: true }, options);
}

/** What goes to the model. */
export interface Outgoing {
  readonly prompt: DialectPrompt;
  readonly sent: Sent;
}

/** What a call takes at most, as far as that is known: without `max_output_tokens` a usual decision is reckoned with. */
export async function weighCall(
  outgoing: Outgoing,
  options: LanguageMindOptions,
): Promise<{ readonly tokens: number; readonly cost?: number }> {
  const inputTokens = await weighInput(outgoing);
  const outputTokens = options.maxOutputTokens ?? USUAL_OUTPUT;
  const { cost } = priced({ inputTokens, outputTokens }, options);
  return { tokens: inputTokens + outputTokens, ...(cost !== undefined && { cost }) };
}

/**
 * How much the model may write so that the limits of the run hold, whatever it would like to write. Undefined where it
 * may write more than every model can: a number that is too large for one, its provider refuses.
 */
export async function outputLimit(
  { settings: { limits }, usage }: RunState,
  outgoing: Outgoing,
  options: LanguageMindOptions,
): Promise<number | undefined> {
  const { maxOutputTokens } = options;
  if (limits.tokens === undefined && limits.cost === undefined) return maxOutputTokens;
  const inputTokens = await weighInput(outgoing);
  const { input, output } = options.price ?? knownPrice(options) ?? { input: 0, output: 0 };
  const rooms = [maxOutputTokens ?? Number.POSITIVE_INFINITY];
  if (limits.tokens !== undefined)
    rooms.push(limits.tokens - usage.inputTokens - usage.outputTokens - inputTokens);
  if (limits.cost !== undefined && output > 0)
    rooms.push(((limits.cost - (usage.cost ?? 0)) * MILLION - inputTokens * input) / output);
  const room = Math.max(1, Math.floor(Math.min(...rooms)));
  return maxOutputTokens === undefined && room > SURELY_WRITTEN ? undefined : room;
}

/** Native tools are read as the instructions are. */
async function weighInput({ prompt, sent: { tools = {} } }: Outgoing): Promise<number> {
  const weigh = await loadWeigh();
  const described = await Promise.all(
    Object.entries(tools).map(async ([name, { description, inputSchema }]) => {
      const schema = 'jsonSchema' in inputSchema ? await inputSchema.jsonSchema : {};
      return stringifyJson([name, description, schema]);
    }),
  );
  return weighPrompt(prompt, weigh) + weigh(described.join('\n'));
}

/** Message by message, as most of them have been weighed before. */
function weighPrompt({ instructions, messages }: DialectPrompt, weigh: Weigh): number {
  const texts = messages.map(({ content }) =>
    typeof content === 'string' ? content : stringifyJson(content),
  );
  return [instructions, ...texts].reduce((sum, text) => sum + weigh(text) + AROUND_A_MESSAGE, 0);
}

/** What a model wrote may be nested too deeply to be written again; it is only to be weighed. */
function written(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return stringifyJson(value) ?? '';
  } catch {
    return '';
  }
}

function priced(usage: Usage, options: LanguageMindOptions): Usage {
  const price = options.price ?? knownPrice(options);
  return price === undefined ? usage : { ...usage, cost: costOf(usage, price) };
}

function costOf({ inputTokens, outputTokens, cachedInputTokens = 0 }: Usage, price: Price): number {
  const fresh = Math.max(0, inputTokens - cachedInputTokens);
  const cached = cachedInputTokens * (price.cachedInput ?? price.input);
  return (fresh * price.input + cached + outputTokens * price.output) / MILLION;
}

/** At another address another price holds, whatever the model is called there. */
function knownPrice({ provider, name, baseUrl }: LanguageMindOptions): Price | undefined {
  if (baseUrl !== undefined) return undefined;
  if (provider !== 'openai' && provider !== 'anthropic' && provider !== 'google') return undefined;
  const table: Readonly<Record<string, Price>> = prices[provider];
  return table[name] ?? table[withoutDate(name)];
}

/** `gpt-4.1-2025-04-14`, `claude-haiku-4-5-20251001`, `…-latest`. */
function withoutDate(name: string): string {
  return name.replace(/-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/, '');
}

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
