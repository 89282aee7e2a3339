import type { Usage } from '../../model/decision.ts';
import { asText, stringifyJson } from '../../model/json.ts';
import { contextOf, type Provider } from '../../model/settings.ts';
import { costUsed, tokensUsed } from '../../run/limits.ts';
import type { ShownFile, Thought, Weight } from '../mind.ts';
import type { ModelOutput } from './call.ts';
import type { DialectPrompt, RequestOptions } from './dialects/dialect.ts';
import type { LanguageMindOptions, Price } from './options.ts';
import prices from './prices.json' with { type: 'json' };
import type { ReportedUsage } from './wire/wire.ts';

const MILLION = 1_000_000;
/** Tokens of a decision with a few actions or a short answer. */
const USUAL_OUTPUT = 500;
/** Tokens of the markup around a message. */
const AROUND_A_MESSAGE = 4;
/** Every known model may write this many tokens. */
const SURELY_WRITTEN = 4_096;

/**
 * Undefined if the provider reports nothing. Some local servers report zeros, which can't be true: there is
 * always a prompt.
 */
export function toUsage(
  reported: ReportedUsage | undefined,
  options: LanguageMindOptions,
): Usage | undefined {
  if (reported === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens: cached } = reported;
  if (!(inputTokens > 0 && outputTokens >= 0)) return undefined;
  const usage: Usage = {
    inputTokens,
    outputTokens,
    ...(cached !== undefined && { cachedInputTokens: cached }),
  };
  return priced(usage, options);
}

/**
 * Counts the tokens if the provider reports none, as many local servers do, so that limits still apply.
 * Marked as an estimate. Undefined without any output, because the prompt may not have been read either.
 */
export async function estimateUsage(
  { instructions, messages }: DialectPrompt,
  { text, thoughts, calls }: Pick<ModelOutput, 'text' | 'thoughts' | 'calls'>,
  options: LanguageMindOptions,
): Promise<Usage | undefined> {
  const said = [text, thoughts, ...calls.map((call) => written(call.arguments))].join('');
  if (said === '') return undefined;
  const count = await loadTokenCounter();
  const inputTokens = promptTokens({ instructions, messages }, count);
  return priced({ inputTokens, outputTokens: count(said), estimated: true }, options);
}

/** What is sent to the model. */
export interface Outgoing {
  readonly prompt: DialectPrompt;
  readonly sent: RequestOptions;
}

/** The most a call can use, as far as known. Without `max_output_tokens` it assumes an average output. */
export async function weighCall(
  outgoing: Outgoing,
  options: LanguageMindOptions,
): Promise<{ readonly tokens: number; readonly cost?: number }> {
  const inputTokens = await tokensOf(outgoing);
  const outputTokens = options.maxOutputTokens ?? USUAL_OUTPUT;
  const { cost } = priced({ inputTokens, outputTokens }, options);
  return { tokens: inputTokens + outputTokens, ...(cost !== undefined && { cost }) };
}

/** Before the first decision there is nothing to answer from, so the whole budget may go into it. */
export function isClosingReserved({ purpose, state }: Pick<Thought, 'purpose' | 'state'>): boolean {
  return (purpose === 'act' || purpose === 'generate') && state.decisions.length > 0;
}

/** A thought whose prompt is shortened to what is left of the tokens, so that the closing answer can be written. */
export function withinTokens<T extends Pick<Thought, 'purpose' | 'state'>>(thought: T): T {
  const { purpose, state } = thought;
  const { settings } = state;
  const context = contextOf(settings);
  const left = (settings.limits.tokens ?? Number.POSITIVE_INFINITY) - tokensUsed(state) - USUAL_OUTPUT;
  if (purpose !== 'conclude' || left >= context.tokens) return thought;
  const tokens = Math.max(1, left);
  return { ...thought, state: { ...state, settings: { ...settings, context: { ...context, tokens } } } };
}

/** What the closing answer would use after this call: the same prompt, what this call writes, and an answer. */
export async function weighClosing(
  outgoing: Outgoing,
  { maxOutputTokens: _, ...options }: LanguageMindOptions,
): Promise<Weight> {
  const inputTokens = (await tokensOf(outgoing)) + USUAL_OUTPUT;
  const { cost } = priced({ inputTokens, outputTokens: USUAL_OUTPUT }, options);
  return { tokens: inputTokens + USUAL_OUTPUT, ...(cost !== undefined && { cost }) };
}

/**
 * How many tokens the model may write within the limits of the run. Undefined above what every model
 * supports, because providers refuse a number that is too large for the model.
 */
export async function outputLimit(
  thought: Pick<Thought, 'purpose' | 'state'>,
  outgoing: Outgoing,
  options: LanguageMindOptions,
): Promise<number | undefined> {
  const { maxOutputTokens } = options;
  const { state } = thought;
  const { limits } = state.settings;
  if (limits.tokens === undefined && limits.cost === undefined) return maxOutputTokens;
  const inputTokens = await tokensOf(outgoing);
  const { input, output } = options.price ?? knownPrice(options) ?? { input: 0, output: 0 };
  const closing = isClosingReserved(thought) ? await weighClosing(outgoing, options) : { tokens: 0 };
  const rooms = [maxOutputTokens ?? Number.POSITIVE_INFINITY];
  if (limits.tokens !== undefined)
    rooms.push(limits.tokens - tokensUsed(state) - inputTokens - closing.tokens);
  if (limits.cost !== undefined && output > 0)
    rooms.push(
      ((limits.cost - costUsed(state) - (closing.cost ?? 0)) * MILLION - inputTokens * input) / output,
    );
  const room = Math.max(1, Math.floor(Math.min(...rooms)));
  return maxOutputTokens === undefined && room > SURELY_WRITTEN ? undefined : room;
}

/** Native tools count as part of the prompt. */
async function tokensOf({ prompt, sent: { tools = [] } }: Outgoing): Promise<number> {
  const count = await loadTokenCounter();
  const described = tools.map(({ name, description, inputSchema }) =>
    stringifyJson([name, description, inputSchema]),
  );
  return promptTokens(prompt, count) + count(described.join('\n'));
}

/** What providers count for a large picture or a page of a PDF, roughly. */
export const OF_A_PICTURE = 1_600;
/** Characters of base64 for a page of a PDF, at least. */
const OF_A_PAGE = 40_000;

function fileTokens({ type, data }: ShownFile): number {
  return type.startsWith('image/') ? OF_A_PICTURE : OF_A_PICTURE * Math.ceil(data.length / OF_A_PAGE);
}

/** Message by message, because most of them were counted before. */
function promptTokens({ instructions, messages }: DialectPrompt, count: TokenCounter): number {
  const texts = messages.map(({ content }) => asText(content));
  const files = messages.flatMap((message) => ('files' in message ? (message.files ?? []) : []));
  return [instructions, ...texts].reduce(
    (sum, text) => sum + count(text) + AROUND_A_MESSAGE,
    files.reduce((sum, file) => sum + fileTokens(file), 0),
  );
}

/** Model output may be nested too deeply to serialize. It is only counted here. */
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

/** The known prices do not apply to another address. */
function knownPrice({ provider, name, baseUrl }: LanguageMindOptions): Price | undefined {
  const listed: Partial<Record<Provider, Readonly<Record<string, Price>>>> = prices;
  const table = baseUrl === undefined ? listed[provider] : undefined;
  return table?.[name] ?? table?.[withoutDate(name)];
}

/** `gpt-4.1-2025-04-14`, `claude-haiku-4-5-20251001`, `…-latest`. */
function withoutDate(name: string): string {
  return name.replace(/-(?:latest|\d{4}-\d{2}-\d{2}|\d{8})$/, '');
}

export type TokenCounter = (text: string) => number;

/** Longer texts are estimated from samples. */
const LONGEST_WHOLE = 32_768;
const SAMPLES = 8;
const SAMPLE_LENGTH = 2_048;
/** Runs without a break, on which the tokenizer is quadratic. */
const LONG_RUN = /[\p{L}\p{M}]{120}|[^\s\p{L}\p{N}]{120}|\s{120}/gu;
/** Text that looks like a control token counts as text. */
const AS_TEXT = { disallowedSpecial: new Set<string>() };

/** An upper bound without a tokenizer: a token has at least one byte. Mostly that is enough. */
export const atMostTokens: TokenCounter = (text) => Buffer.byteLength(text);

let loading: Promise<TokenCounter> | undefined;

/**
 * Counts like the newer models of OpenAI; others are close enough. Loaded lazily: its table takes longer to
 * load than all of Dandori.
 */
export function loadTokenCounter(): Promise<TokenCounter> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) => {
    const count: TokenCounter = (text) => countTokens(text.replaceAll(LONG_RUN, '$& '), AS_TEXT);
    return remembered((text) => (text.length <= LONGEST_WHOLE ? count(text) : sampled(text, count)));
  });
  return loading;
}

/** Characters of the texts whose counts are cached: a few of the longest prompts. */
const REMEMBERED = 4_000_000;

/** A prompt repeats the previous one, so nearly all of its messages are in the cache. */
function remembered(count: TokenCounter): TokenCounter {
  const counts = new Map<string, number>();
  let kept = 0;
  return (text) => {
    const known = counts.get(text);
    if (known !== undefined) return known;
    const tokens = count(text);
    counts.set(text, tokens);
    kept += text.length;
    for (const oldest of counts.keys()) {
      if (kept <= REMEMBERED) break;
      counts.delete(oldest);
      kept -= oldest.length;
    }
    return tokens;
  };
}

/** Deterministic, otherwise the boundary of the window would move back and forth. */
function sampled(text: string, count: TokenCounter): number {
  const step = (text.length - SAMPLE_LENGTH) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = Math.round(sample * step);
    tokens += count(text.slice(from, from + SAMPLE_LENGTH));
  }
  return Math.round((tokens / (SAMPLES * SAMPLE_LENGTH)) * text.length);
}
