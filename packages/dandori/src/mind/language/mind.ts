import type { LanguageModel } from 'ai';
import type { Usage } from '../../domain/usage.ts';
import type { Mind, Thinking, Thought } from '../../ports/mind.ts';
import { ActionScanner } from '../json/scanner.ts';
import { callModel, type Spoken } from './call.ts';
import { isAllowed, judge } from './decision.ts';
import { toFailure } from './failure.ts';
import { loadModel } from './model.ts';
import { namedTools } from './offered.ts';
import { DEFAULT_TIMEOUT, type LanguageMindOptions } from './options.ts';
import { fitPrompt } from './prompt.ts';
import { estimateUsage, toUsage, weighCall } from './usage.ts';

/**
 * A mind that is a language model behind the AI SDK.
 *
 * M1  One thought is one call of the model. Retries are the engine's, which counts and journals them.
 * M2  `think` never rejects, and ends at once when its signal is aborted, even if the connection does not.
 * M3  After that nothing more is told through `onAction` and `onText`.
 */
export function createLanguageMind(options: LanguageMindOptions): Mind {
  let model: Promise<LanguageModel> | undefined;
  return {
    name: `${options.provider}/${options.name}`,
    async think(thought) {
      if (thought.signal.aborted) return CANCELLED;
      const limit = new AbortController();
      const { timeout = DEFAULT_TIMEOUT } = options;
      const timer = setTimeout(() => limit.abort(), timeout);
      const signal = AbortSignal.any([thought.signal, limit.signal]);
      try {
        model ??= loadModel(options);
        return await Promise.race([
          ask(thought, { options, model, signal }),
          stopped(signal, { thought, timeout }),
        ]);
      } catch (error) {
        return { kind: 'failed', failure: await toFailure(error, options) };
      } finally {
        clearTimeout(timer);
        // Whatever is still open of the call is of no use to anybody now.
        limit.abort();
      }
    },
    weigh: async (thought) => weighCall(await fitPrompt(thought, instructionsFor(thought, options)), options),
  };
}

/** What the user has set for themselves comes first. */
function instructionsFor(
  { state }: Pick<Thought, 'state'>,
  options: LanguageMindOptions,
): string | undefined {
  return state.settings.instructions ?? options.instructions;
}

interface Asking {
  readonly options: LanguageMindOptions;
  readonly model: Promise<LanguageModel>;
  readonly signal: AbortSignal;
}

async function ask(thought: Thought, { options, model, signal }: Asking): Promise<Thinking> {
  const scanner = new ActionScanner({
    onText: thought.onText,
    onAction: (action) => {
      if (isAllowed(action, thought)) thought.onAction?.(action);
    },
  });
  const prompt = await fitPrompt(thought, instructionsFor(thought, options));
  const spoken = await callModel({
    model: await model,
    options,
    prompt,
    tools: thought.state.settings.mode === 'direct' ? [] : namedTools(thought),
    signal,
    onText: (text) => scanner.push(text),
  });
  const usage = toUsage(spoken.usage, options) ?? (await estimateUsage(prompt, spoken, options));
  return conclude(spoken, thought, { options, usage });
}

async function conclude(
  spoken: Spoken,
  thought: Thought,
  { options, usage }: { options: LanguageMindOptions; usage: Usage | undefined },
): Promise<Thinking> {
  const counted = usage === undefined ? {} : { usage };
  if (spoken.error !== undefined) {
    return { kind: 'failed', failure: await toFailure(spoken.error, options), ...counted };
  }
  const judgement = judge(spoken, thought);
  if ('failure' in judgement) return { kind: 'failed', failure: judgement.failure, ...counted };
  return { kind: 'decided', ...judgement, model: `${options.provider}/${options.name}`, ...counted };
}

const CANCELLED = {
  kind: 'failed',
  failure: { kind: 'cancelled', message: 'The model was told to stop.' },
} as const;

/** Resolves when the call must not go on. A connection may take its time to notice. */
function stopped(
  signal: AbortSignal,
  { thought, timeout }: { thought: Thought; timeout: number },
): Promise<Thinking> {
  return new Promise((resolve) => {
    const stop = () => {
      resolve({
        kind: 'failed',
        failure: thought.signal.aborted
          ? CANCELLED.failure
          : {
              kind: 'model_error',
              message: `The model did not finish within ${timeout / 1000} s (model.timeout).`,
              retryable: true,
            },
      });
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
