import type { Usage } from '../../model/decision.ts';
import type { Failure } from '../../model/failure.ts';
import { Stop } from '../../model/stop.ts';
import type { Action } from '../../model/task.ts';
import { clip } from '../../model/text.ts';
import { lastDecision, type RunState } from '../../run/state/state.ts';
import type { Mind, Thinking, Thought } from '../mind.ts';
import { TOO_DEEP } from '../parsing/lenient-json.ts';
import { callModel, LONGEST_OUTPUT, type ModelOutput, openWire } from './call.ts';
import { type Dialect, type DialectPrompt, dialectFor } from './dialects/dialect.ts';
import { isAllowed } from './dialects/json.ts';
import { isExampleAnswer } from './example.ts';
import { extractValue } from './extract-value.ts';
import { toFailure } from './failure.ts';
import { withFiles, withoutFilesNext } from './files.ts';
import { DEFAULT_TIMEOUT, type LanguageMindOptions } from './options.ts';
import { isRefusal, pastOf } from './past.ts';
import { fittingWindow } from './prompt.ts';
import { sendable } from './transcript.ts';
import { DO_IT_NOW, judgeIdleAnswer, NOTHING_DONE } from './unfounded-answer.ts';
import {
  estimateUsage,
  isClosingReserved,
  type Outgoing,
  outputLimit,
  toUsage,
  weighCall,
  weighClosing,
  withinTokens,
} from './usage.ts';
import { isSurelyShort } from './window.ts';
import type { Wire } from './wire/wire.ts';

/**
 * A language model.
 *
 * M1  One thought is one model call. The driver retries, because it counts and journals each call.
 * M2  `think` never rejects. It ends at once when its signal is aborted, even if the connection stays open.
 * M3  After an abort, `onAction` and `onText` are not called again.
 */
export function createLanguageMind(options: LanguageMindOptions): Mind {
  let wire: Promise<Wire> | undefined;
  const name = nameOf(options);

  /** Makes one call within the time limit of the model. It ends as soon as it must stop: the connection may notice later. */
  function within<T>(outer: AbortSignal, call: (asking: Asking) => Promise<T>): Promise<T | Failed> {
    const { timeoutMs: timeout = DEFAULT_TIMEOUT, section = 'model' } = options;
    return new Promise((resolve) => {
      const stop = new Stop();
      const end = (result: T | Failed) => {
        clearTimeout(timer);
        outer.removeEventListener('abort', cancel);
        resolve(result);
      };
      const giveUp = (failed: Failed) => {
        end(failed);
        stop.stop('given up');
      };
      const cancel = () => giveUp(CANCELLED);
      const timer = setTimeout(() => {
        const message = `${name} did not finish within ${timeout / 1000} s (${section}.timeout).`;
        giveUp({ kind: 'failed', failure: { kind: 'model_error', message, retryable: true } });
      }, timeout);
      outer.addEventListener('abort', cancel, { once: true });
      wire ??= openWire(options);
      call({ options, wire, stop }).then(end, (error) =>
        end({ kind: 'failed', failure: toFailure(error, options) }),
      );
    });
  }

  return {
    name,
    async think(thought) {
      if (thought.signal.aborted) return CANCELLED;
      const thinking = await within(thought.signal, (asking) => ask(thought, asking));
      return thinking === CANCELLED ? thinking : { ...thinking, model: name };
    },
    extract: (request, signal) => within(signal, (asking) => extractValue(request, asking)),
    async weigh(thought) {
      const outgoing = await prepare(thought, options);
      const weight = await weighCall(outgoing, options);
      return isClosingReserved(thought)
        ? { ...weight, closing: await weighClosing(outgoing, options) }
        : weight;
    },
  };
}

/** `openai/gpt-5-mini`, whatever the AI SDK calls the API that it uses. */
function nameOf({ model, provider, name }: LanguageMindOptions): string {
  return `${model?.provider.split('.')[0] ?? provider}/${name}`;
}

interface Failed {
  readonly kind: 'failed';
  readonly failure: Failure;
}

interface Asking {
  readonly options: LanguageMindOptions;
  readonly wire: Promise<Wire>;
  readonly stop: Stop;
}

async function ask(thought: Thought, { options, wire, stop }: Asking): Promise<Thinking> {
  const outgoing = await prepare(thought, options);
  const { dialect, prompt, sent } = outgoing;
  const maxOutputTokens = await outputLimit(thought, outgoing, options);
  const output = await callModel({
    wire: await wire,
    options,
    maxOutputTokens,
    conversation: thought.state,
    prompt,
    sent,
    stop,
    listener: dialect.listen(thought, stop),
  });
  const usage = toUsage(output.usage, options) ?? (await estimateUsage(prompt, output, options));
  const thinking = conclude(output, thought, { options, dialect, usage });
  if (thinking.kind !== 'failed' || output.error === undefined) return thinking;
  return { ...thinking, failure: withoutFilesNext(thinking.failure, output.error, prompt.messages) };
}

/** The prompt in the dialect of the call. Old turns are shortened if the whole prompt would not fit. */
async function prepare(
  whole: Omit<Thought, 'signal'>,
  options: LanguageMindOptions,
): Promise<Outgoing & { dialect: Dialect }> {
  const thought = withinTokens(whole);
  const dialect = dialectFor(options.dialect ?? 'json', thought.state);
  const custom = thought.state.settings.instructions ?? options.instructions;
  const { instructions, messages } = await writeFitting(thought, custom, dialect);
  const prompt = {
    instructions: sendable(instructions),
    messages: withFiles(messages, whole),
  };
  return { dialect, prompt, sent: dialect.send(thought, options) };
}

/** Runs whose prompt did not fit as a whole. The window of a run never grows again. */
const shortened = new WeakSet<RunState>();

/** Most prompts fit as they are. That is seen from their length, without writing each turn a second time. */
async function writeFitting(
  thought: Omit<Thought, 'signal'>,
  custom: string | undefined,
  dialect: Dialect,
): Promise<DialectPrompt> {
  const { state } = thought;
  const whole = shortened.has(state) ? undefined : dialect.write(thought, custom);
  // After a failed call, a request is counted twice although the prompt has it once.
  if (whole !== undefined && !pastOf(state).hasFailed && isSurelyShort(whole.atMost, state)) return whole;
  const window = await fittingWindow(thought, custom);
  if (window.from === 0 && whole !== undefined) return whole;
  shortened.add(state);
  return dialect.write(thought, custom, window);
}

function conclude(
  output: ModelOutput,
  thought: Thought,
  { options, dialect, usage }: { options: LanguageMindOptions; dialect: Dialect; usage: Usage | undefined },
): Thinking {
  const counted = usage === undefined ? {} : { usage };
  // Some providers walk native arguments recursively. Only model output can be nested deeply enough to overflow.
  if (output.error instanceof RangeError) return { kind: 'failed', failure: unusable(TOO_DEEP), ...counted };
  if (output.isTooLong === true)
    return {
      kind: 'failed',
      failure: unusable(`it is longer than ${LONGEST_OUTPUT.toLocaleString('en')} characters`),
      ...counted,
    };
  if (output.error !== undefined) {
    return { kind: 'failed', failure: toFailure(output.error, options), ...counted };
  }
  const judgement = judgeOutput(output, thought, dialect);
  if ('failure' in judgement) return { kind: 'failed', failure: judgement.failure, ...counted };
  return { kind: 'decided', ...judgement, ...counted };
}

const CANCELLED = {
  kind: 'failed',
  failure: { kind: 'cancelled', message: 'The model was told to stop.' },
} as const;

/** Characters of an unusable output that are kept, for the next prompt and for people. */
const MAX_KEPT = 1000;

/** The call worked, but its output is unusable. The next prompt says so, because the model can correct it. */
export function unusable(reason: string, output = ''): Failure {
  const kept = clip(output.trim(), MAX_KEPT);
  return {
    kind: 'unusable_output',
    message: `The model's output could not be used: ${reason}`,
    // The prompt repeats both to the model. `message` is for people.
    params: { reason, ...(kept !== '' && { output: kept }) },
    retryable: false,
  };
}

export interface Decided {
  readonly actions: readonly Action[];
  readonly reasoning?: string;
  readonly repaired?: string;
}

const MAX_THOUGHTS = 2000;

/** The decision in an output that ended without an error, or why the output is unusable. */
export function judgeOutput(
  output: ModelOutput,
  thought: Thought,
  dialect: Pick<Dialect, 'read' | 'isProseExpected'>,
): Decided | { readonly failure: Failure } {
  const refusal = refusalOf(output);
  if (refusal !== undefined) return { failure: refusal };
  const extraction = dialect.read(output, thought);
  if (!extraction.ok) return { failure: unusable(extraction.reason, output.text) };
  const actions = extraction.actions.filter((action) => isAllowed(action, thought));
  if (actions.length === 0)
    return { failure: unusable('no more tools can be called now. Return one action: "answer"', output.text) };
  if (actions.some(isExampleAnswer))
    return { failure: unusable('it repeats the example. Answer what the user asked', output.text) };
  const isProse = extraction.isProse === true;
  const idle = judgeIdleAnswer(actions, { thought, isProse, isBroken: isProse && !dialect.isProseExpected });
  if (idle === 'ask_again') {
    const message = 'The model called no tool. It is asked once more.';
    return { failure: { ...unusable(DO_IT_NOW, output.text), message, code: NOTHING_DONE } };
  }
  const dropped = extraction.actions
    .filter((action) => !isAllowed(action, thought))
    .map(({ operation }) => operation);
  const notes = [
    extraction.repaired,
    dropped.length === 0 ? undefined : `left out, as only an answer was asked for: ${dropped.join(', ')}`,
  ];
  const repaired = notes.filter((note) => note !== undefined).join('; ');
  const reasoning = extraction.reasoning ?? clip(output.thoughts.trim(), MAX_THOUGHTS);
  return {
    actions: idle === 'not_achieved' ? actions.map(notAchieved) : actions,
    ...(reasoning !== '' && { reasoning }),
    ...(repaired !== '' && { repaired }),
  };
}

/** The run fails with the model's words. */
function notAchieved(action: Action): Action {
  return { ...action, args: { ...action.args, achieved: false } };
}

function refusalOf({ finishReason, text }: ModelOutput): Failure | undefined {
  if (finishReason === 'error')
    return { kind: 'model_error', message: 'The model stopped with an error.', retryable: true };
  if (finishReason !== 'content-filter') return undefined;
  const said = text.trim() === '' ? 'its content filter stopped the answer' : clip(text.trim(), MAX_THOUGHTS);
  return { kind: 'model_error', message: `The model refused: ${said}`, retryable: false };
}

/** Milliseconds. If the provider asks for a longer wait, the fallback takes over. */
const LONGEST_WAIT = 10_000;

/**
 * A mind with a fallback. The second mind takes over at once if a retry can't help or must wait too long,
 * otherwise after two failures in a row. The run then stays with it, so that its cache works. The journal
 * alone says which mind is asked.
 */
export function withFallback(first: Mind, second: Mind): Mind {
  const asked = (state: RunState) => (pastOf(state).hasTakenOver ? second : first);
  return {
    name: first.name,
    async think(thought) {
      if (pastOf(thought.state).hasTakenOver) return second.think(thought);
      const last = lastDecision(thought.state)?.failure;
      const isSecondTime = last?.kind === 'model_error' && !isRefusal(last);
      const thinking = await first.think(thought);
      return isGivenUp(thinking, isSecondTime) ? { ...thinking, next: second.name } : thinking;
    },
    async extract(request, signal) {
      const found = await first.extract?.(request, signal);
      const isLost = found === undefined || (found.kind === 'failed' && found.failure.kind === 'model_error');
      return (isLost ? await second.extract?.(request, signal) : found) ?? found ?? NO_MODEL;
    },
    weigh: async (thought) => (await asked(thought.state).weigh?.(thought)) ?? { tokens: 0 },
  };
}

const NO_MODEL = {
  kind: 'failed',
  failure: { kind: 'not_possible', message: 'extract needs a language model' },
} as const;

function isGivenUp(thinking: Thinking, isSecondTime: boolean): boolean {
  if (thinking.kind !== 'failed' || thinking.failure.kind !== 'model_error') return false;
  if (isRefusal(thinking.failure)) return false;
  const { retryable, retryAfter = 0 } = thinking.failure;
  return retryable !== true || retryAfter > LONGEST_WAIT || isSecondTime;
}
