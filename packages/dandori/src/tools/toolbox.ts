import type { Usage } from '../model/decision.ts';
import {
  type Failure,
  type FailureKind,
  type LostCause,
  type Message,
  toFailure,
  toMessage,
} from '../model/failure.ts';
import { type Json, type JsonObject, jsonObject } from '../model/json.ts';
import { type Option, preview, type Question } from '../model/question.ts';
import type { Stop } from '../model/stop.ts';
import { clip, type Language } from '../model/text.ts';
import type { Effect, MissingServer, Tool } from '../model/tool.ts';
import type { InputResponse, Inputs } from '../run/state/held-calls.ts';
import { wordIn } from '../views/texts/said.ts';

export interface Call {
  readonly operation: string;
  readonly args: JsonObject;
  /** The same for every attempt of a task, so that a tool can recognise a repeated call. */
  readonly key: string;
  readonly run: string;
  readonly task: string;
  readonly userId?: string;
  /** Of the user. What a tool says or asks is best in it. */
  readonly language?: Language;
  readonly signal: AbortSignal;
  /** The same as `signal`. Listening to it takes less time. */
  readonly stop?: Stop;
  readonly progress?: (message: string, fraction?: number) => void;
  /** What people answered to an earlier call of the same task that ended as `input_wanted`. */
  readonly inputs?: Inputs | undefined;
  /** Asks a person while the call is open; its timeout is suspended. Never rejects, and may never resolve. */
  readonly elicit?: (request: InputRequest) => Promise<InputResponse>;
  /**
   * A tool must use this for each call that it makes itself. It journals the call before and after `make`. If
   * the journal already has the outcome, it skips `make`. Never rejects.
   */
  readonly inner?: (call: MadeInside, make: () => Promise<CallOutcome>) => Promise<CallOutcome>;
  /**
   * Set if the call must have no effect and must say what it would do. It is sent only to a tool that has
   * `preview`.
   */
  readonly preview?: true | undefined;
  /** External content had no influence on the call and its arguments. Missing if that is not known. */
  readonly isClean?: boolean | undefined;
  /** A value as the journal stores it, without secrets. For journaled values derived from arguments. */
  readonly seal?: (value: Json) => Json;
}

/** A call that a tool makes itself. */
export interface MadeInside {
  readonly key: string;
  readonly operation: string;
  readonly args: JsonObject;
  readonly effect: Effect;
}

/** What a tool wants from a person: a form to fill in, or a page where the person does something. */
export interface InputRequest {
  readonly text: string;
  /** JSON Schema of the answer. */
  readonly form?: JsonObject;
  readonly url?: string;
}

/**
 * How a call ended.
 * `note`: what is unusual about a result that can still be used.
 * `usage`: what an own tool used of a language model, in `calls` calls.
 * `hasHeardStrangers`: of a sub-goal, or of a trusted method that called a tool that is not trusted and did not succeed.
 * `lost`: it was sent, and it is unknown whether it took effect (timeout, connection lost, process died).
 * `ambiguous`: nothing was done; a person must choose first.
 * `input_wanted`: it must be called again with a person's answer and with the unchanged `state`. A request
 * without a name asks the person to do something and expects no answer. `questions`: what a sub-goal asks.
 */
export type CallOutcome =
  | (UsedModel & { readonly kind: 'succeeded'; readonly result: Json; readonly note?: string })
  | (UsedModel & { readonly kind: 'failed'; readonly failure: Failure })
  | (Message & {
      readonly kind: 'lost';
      readonly cause: LostCause;
      /** It was told to stop but is still running. */
      readonly unstopped?: boolean;
      readonly hasHeardStrangers?: true;
    })
  | {
      readonly kind: 'ambiguous';
      readonly question: string;
      readonly options: readonly Option[];
      /** Instead of options: a JSON Schema of the wanted arguments. */
      readonly form?: JsonObject;
      /** The value of an option, or a value that fits the form. It is used if the question expires. */
      readonly default?: Json;
    }
  | {
      readonly kind: 'input_wanted';
      readonly requests: readonly (InputRequest & { readonly name?: string })[];
      readonly state?: string;
      readonly questions?: readonly Question[];
      readonly hasHeardStrangers?: true;
    };

interface UsedModel {
  readonly usage?: Usage;
  readonly calls?: number;
  readonly hasHeardStrangers?: true;
}

/** Why a call is stopped although its run goes on: another driver will continue. */
export const LEFT = { stopped: 'the driver stops', lost: 'the claim is lost' } as const;

/** What a tool answers to a call with `preview`. */
export const previewAnswer = preview.extend({
  /** Arguments that name exactly what the preview is about. They are added to those of the call. */
  args: jsonObject.optional(),
});

/** All tools, wherever they come from. */
export interface Toolbox {
  /** The tools as they are now. The same object while nothing has changed. */
  tools(): ReadonlyMap<string, Tool>;
  missing(): readonly MissingServer[];
  /** Must not throw or reject: every problem is an outcome. Ends soon after `signal` is aborted. */
  call(call: Call): Promise<CallOutcome>;
  close(): Promise<void>;
}

/** A failure is shown to the model. A stack trace of a megabyte must not displace everything else. */
const MAX_MESSAGE = 4_000;

export function failed(
  kind: FailureKind,
  message: string,
  more: { retryable?: boolean; retryAfter?: number } = {},
): CallOutcome {
  return { kind: 'failed', failure: { kind, message, ...more } };
}

export function lost(cause: LostCause, message: string): CallOutcome & { kind: 'lost' } {
  return { kind: 'lost', cause, message };
}

/** The call may have taken effect before it was told to stop. */
export function stopped(signal: AbortSignal, name: string): CallOutcome & { kind: 'lost' } {
  const { reason } = signal;
  const isTimeout = reason === 'timeout' || (reason instanceof Error && reason.name === 'TimeoutError');
  const cause = isTimeout ? 'timeout' : 'cancelled';
  const said = { code: 'call_stopped', params: { operation: name } } as const;
  return { kind: 'lost', cause, ...toMessage(said, wordIn('en')) };
}

export function notStarted(name: string): CallOutcome {
  const cause = { kind: 'cancelled', code: 'not_called', params: { operation: name } } as const;
  return { kind: 'failed', failure: toFailure(cause, wordIn('en')) };
}

/** The last step, after secrets are removed: half a secret would not be found. */
export function clipped(outcome: CallOutcome): CallOutcome {
  if (outcome.kind === 'lost') return { ...outcome, message: clip(outcome.message, MAX_MESSAGE) };
  if (outcome.kind === 'succeeded' && outcome.note !== undefined)
    return { ...outcome, note: clip(outcome.note, MAX_MESSAGE) };
  if (outcome.kind !== 'failed') return outcome;
  return { ...outcome, failure: { ...outcome.failure, message: clip(outcome.failure.message, MAX_MESSAGE) } };
}
