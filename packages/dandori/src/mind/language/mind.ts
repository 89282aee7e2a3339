import type { LanguageModel } from 'ai';
import type { Usage } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import { shown } from '../../model/redact.ts';
import type { Action } from '../../model/task.ts';
import { lastDecision, type RunState } from '../../run/state/state.ts';
import type { Mind, Thinking, Thought } from '../mind.ts';
import type { Extraction } from '../parsing/extract.ts';
import { TOO_DEEP } from '../parsing/parse.ts';
import { callModel, LONGEST_OUTPUT, loadModel, type Spoken } from './call.ts';
import { type Dialect, dialectFor } from './dialects/dialect.ts';
import { isAllowed } from './dialects/json.ts';
import { toFailure } from './failure.ts';
import { DEFAULT_TIMEOUT, type LanguageMindOptions } from './options.ts';
import { fittingWindow } from './prompt.ts';
import { estimateUsage, type Outgoing, outputLimit, toUsage, weighCall } from './usage.ts';

/**
 * A mind that is a language model behind the AI SDK.
 *
 * M1  One thought is one call of the model. Retries are the engine's, which counts and journals them.
 * M2  `think` never rejects, and ends at once when its signal is aborted, even if the connection does not.
 * M3  After that nothing more is told through `onAction` and `onText`.
 */
export function createLanguageMind(options: LanguageMindOptions): Mind {
  let model: Promise<LanguageModel> | undefined;
  const name = `${options.provider}/${options.name}`;
  return {
    name,
    async think(thought) {
      if (thought.signal.aborted) return CANCELLED;
      const limit = new AbortController();
      const { timeout = DEFAULT_TIMEOUT } = options;
      const timer = setTimeout(() => limit.abort(), timeout);
      const signal = AbortSignal.any([thought.signal, limit.signal]);
      try {
        model ??= loadModel(options);
        const thinking = await Promise.race([
          ask(thought, { options, model, signal }),
          stopped(signal, { thought, options, timeout }),
        ]);
        return thinking === CANCELLED ? thinking : { ...thinking, model: name };
      } catch (error) {
        return { kind: 'failed', failure: await toFailure(error, options), model: name };
      } finally {
        clearTimeout(timer);
        // Whatever is still open of the call is of no use to anybody now.
        limit.abort();
      }
    },
    weigh: async (thought) => weighCall(await prepare(thought, options), options),
  };
}

interface Asking {
  readonly options: LanguageMindOptions;
  readonly model: Promise<LanguageModel>;
  readonly signal: AbortSignal;
}

async function ask(thought: Thought, { options, model, signal }: Asking): Promise<Thinking> {
  const outgoing = await prepare(thought, options);
  const { dialect, prompt, sent } = outgoing;
  const maxOutputTokens = await outputLimit(thought.state, outgoing, options);
  const spoken = await callModel({
    model: await model,
    options: { ...options, maxOutputTokens },
    prompt,
    sent,
    signal,
    listener: dialect.listen(thought),
  });
  const usage = toUsage(spoken.usage, options) ?? (await estimateUsage(prompt, spoken, options));
  return conclude(spoken, thought, { options, dialect, usage });
}

/** What the model is shown, in the dialect of the call; old turns in short where all of it would not fit. */
async function prepare(
  thought: Omit<Thought, 'signal'>,
  options: LanguageMindOptions,
): Promise<Outgoing & { dialect: Dialect }> {
  const dialect = dialectFor(options.dialect ?? 'json', thought.state);
  const custom = thought.state.settings.instructions ?? options.instructions;
  const window = await fittingWindow(thought, custom);
  const prompt = wellFormed(shown(dialect.write(thought, custom, window)));
  return { dialect, prompt, sent: await dialect.send(thought, options) };
}

async function conclude(
  spoken: Spoken,
  thought: Thought,
  { options, dialect, usage }: { options: LanguageMindOptions; dialect: Dialect; usage: Usage | undefined },
): Promise<Thinking> {
  const counted = usage === undefined ? {} : { usage };
  // The SDK goes through native arguments by recursion, and only what a model wrote can be that deep.
  if (spoken.error instanceof RangeError) return { kind: 'failed', failure: unusable(TOO_DEEP), ...counted };
  if (spoken.isTooLong === true)
    return {
      kind: 'failed',
      failure: unusable(`it is longer than ${LONGEST_OUTPUT.toLocaleString('en')} characters`),
      ...counted,
    };
  if (spoken.error !== undefined) {
    return { kind: 'failed', failure: await toFailure(spoken.error, options), ...counted };
  }
  const judgement = judge(spoken, thought, dialect.read);
  if ('failure' in judgement) return { kind: 'failed', failure: judgement.failure, ...counted };
  return { kind: 'decided', ...judgement, ...counted };
}

const CANCELLED = {
  kind: 'failed',
  failure: { kind: 'cancelled', message: 'The model was told to stop.' },
} as const;

/** Resolves when the call must not go on. A connection may take its time to notice. */
function stopped(
  signal: AbortSignal,
  { thought, options, timeout }: { thought: Thought; options: LanguageMindOptions; timeout: number },
): Promise<Thinking> {
  return new Promise((resolve) => {
    const { provider, name, section = 'model' } = options;
    const message = `${provider}/${name} did not finish within ${timeout / 1000} s (${section}.timeout).`;
    const stop = () => {
      resolve(
        thought.signal.aborted
          ? CANCELLED
          : { kind: 'failed', failure: { kind: 'model_error', message, retryable: true } },
      );
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** A call that worked and gave nothing usable. The next prompt says so: the model can do better, unlike a network. */
export function unusable(reason: string): Failure {
  return {
    kind: 'unusable_output',
    message: `The model's output could not be used: ${reason}`,
    retryable: false,
  };
}

export interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
  readonly repaired?: string;
}

const MAX_THOUGHTS = 2000;

/** What a model that ended without an error has decided, or why that cannot be used. */
export function judge(
  spoken: Spoken,
  thought: Thought,
  read: (spoken: Spoken, thought: Thought) => Extraction,
): Decided | { readonly failure: Failure } {
  const refusal = refusalOf(spoken);
  if (refusal !== undefined) return { failure: refusal };
  const extraction = read(spoken, thought);
  if (!extraction.ok) return { failure: unusable(extraction.reason) };
  const actions = extraction.actions.filter((action) => isAllowed(action, thought));
  if (actions.length === 0)
    return { failure: unusable('no more tools can be called now. Return one action: "answer"') };
  const dropped = extraction.actions
    .filter((action) => !isAllowed(action, thought))
    .map(({ operation }) => operation);
  const notes = [
    extraction.repaired,
    dropped.length === 0 ? undefined : `left out, as only an answer was asked for: ${dropped.join(', ')}`,
  ];
  const repaired = notes.filter((note) => note !== undefined).join('; ');
  const reasoning = extraction.reasoning ?? clip(spoken.thoughts);
  return { actions, ...(reasoning !== '' && { reasoning }), ...(repaired !== '' && { repaired }) };
}

function refusalOf({ finishReason, text }: Spoken): Failure | undefined {
  if (finishReason === 'error')
    return { kind: 'model_error', message: 'The model stopped with an error.', retryable: true };
  if (finishReason !== 'content-filter') return undefined;
  const said = text.trim() === '' ? 'its content filter stopped the answer' : clip(text);
  return { kind: 'model_error', message: `The model refused: ${said}`, retryable: false };
}

function clip(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MAX_THOUGHTS ? trimmed : `${trimmed.slice(0, MAX_THOUGHTS)}…`;
}

/** Milliseconds. Who is told to come back later than this asks somebody else in the meantime. */
const LONGEST_WAIT = 10_000;

/**
 * Two minds, of which the second takes over where the first one's model cannot be had: at once where asking again is of
 * no use or not allowed for long, else when it has failed twice in a row. The run then stays with it, for its cache and for one voice. Which of
 * them it is follows from the journal alone.
 */
export function withFallback(first: Mind, second: Mind): Mind {
  const asked = (state: RunState) => (hasTakenOver(state) ? second : first);
  return {
    name: first.name,
    async think(thought) {
      if (hasTakenOver(thought.state)) return second.think(thought);
      const isSecondTime = lastDecision(thought.state)?.failure?.kind === 'model_error';
      const thinking = await first.think(thought);
      return isGivenUp(thinking, isSecondTime) ? { ...thinking, next: second.name } : thinking;
    },
    weigh: async (thought) => (await asked(thought.state).weigh?.(thought)) ?? { tokens: 0 },
  };
}

function hasTakenOver({ decisions }: RunState): boolean {
  return decisions.some(({ next }) => next !== undefined);
}

function isGivenUp(thinking: Thinking, isSecondTime: boolean): boolean {
  if (thinking.kind !== 'failed' || thinking.failure.kind !== 'model_error') return false;
  const { retryable, retryAfter = 0 } = thinking.failure;
  return retryable !== true || retryAfter > LONGEST_WAIT || isSecondTime;
}

/**
 * The same with no half of a character that takes two code units, as is left where a text was cut or a model broke off.
 * That is no text, and some providers refuse a request that holds it, each time it is sent.
 */
export function wellFormed<T>(value: T): T {
  return mended(value) as T;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mended);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), mended(item)]));
}
