import type { LanguageModel } from 'ai';
import { shown } from '../../core/redact.ts';
import type { Usage } from '../../domain/usage.ts';
import type { Mind, Thinking, Thought } from '../../ports/mind.ts';
import { TOO_DEEP } from '../json/depth.ts';
import { callModel, LONGEST_OUTPUT, type Spoken } from './call.ts';
import { judge } from './decision.ts';
import { type Dialect, dialectFor } from './dialect.ts';
import { toFailure } from './failure.ts';
import { loadModel } from './model.ts';
import { DEFAULT_TIMEOUT, type LanguageMindOptions } from './options.ts';
import { fittingWindow } from './prompt.ts';
import { unusable } from './unusable.ts';
import { estimateUsage, type Outgoing, outputLimit, toUsage, weighCall } from './usage.ts';
import { wellFormed } from './well-formed.ts';

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
