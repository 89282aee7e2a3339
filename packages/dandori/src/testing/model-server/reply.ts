import type { RecordedRequest } from './request.ts';

/** How the scripted model reacts to one request. */
export type ModelReply =
  | ContentReply
  | ActionsReply
  | ToolCallsReply
  | RefusalReply
  | StatusReply
  | HangReply
  | RawReply;

/** Replies served in order, or one function that answers every request. */
export type ModelScript = readonly ScriptEntry[] | ReplyFunction;

/** A reply, or a function that makes the reply from the request. */
export type ScriptEntry = ModelReply | ReplyFunction;

/** `undefined` means that the request was not expected. */
export type ReplyFunction = (
  request: RecordedRequest,
  index: number,
) => ModelReply | undefined | Promise<ModelReply | undefined>;

export interface ContentReply extends AnswerSettings {
  /** Text is sent as it is; anything else is sent as JSON. */
  content: string | number | boolean | object;
  toolCalls?: readonly ReplyToolCall[];
}

export interface ActionsReply extends AnswerSettings {
  /** Elements in the format of the AI SDK's `Output.array`: `{"elements": [...]}`. */
  actions: readonly unknown[];
}

export interface ToolCallsReply extends AnswerSettings {
  toolCalls: readonly ReplyToolCall[];
}

export interface ReplyToolCall {
  name: string;
  /** A string is sent as it is, so that tests can script broken JSON. Anything else is sent as JSON. */
  arguments: unknown;
  id?: string;
}

export interface RefusalReply extends AnswerSettings {
  refusal: string;
}

export interface StatusReply extends ReplySettings {
  /** For instance 429, 500 or 503. */
  status: number;
  /** Seconds, or an HTTP date. */
  retryAfter?: number | string | Date;
  /** A string is sent as it is; anything else is sent as JSON. Default: an OpenAI error body. */
  body?: unknown;
}

/** Accepts the request and never answers. */
export interface HangReply extends ReplySettings {
  hang: true;
}

/** Sends this body unchecked, with status 200. */
export interface RawReply extends ReplySettings {
  raw: string;
  /** Default: an event stream if the request asked for one, otherwise JSON. */
  contentType?: string;
}

export interface ReplySettings {
  /** Time before the first byte, including headers. */
  latencyMs?: number;
  headers?: Readonly<Record<string, string>>;
  expect?: Expectation;
}

/**
 * Text or a pattern that the prompt must contain, or a check that throws or returns `false` if the request is
 * wrong.
 */
export type Expectation = string | RegExp | ((request: RecordedRequest) => unknown);

export interface AnswerSettings extends ReplySettings {
  /** Default: an estimate of one token per four characters. `null` reports no usage. */
  usage?: ReplyUsage | null;
  /** OpenAI's values (`stop`, `length`, `content_filter`). `null` ends the answer without a reason. */
  finishReason?: string | null;
  /** The visible thoughts of a reasoning model before its answer. */
  reasoning?: string;
  /** Sends this many characters of the answer, then breaks the connection. */
  cut?: number;
  /** Sends this many characters of the answer, then stays silent with the connection open. */
  stall?: number;
  chunkSize?: number;
  chunkDelayMs?: number;
  /**
   * Called after each event of a stream with the whole text so far. The next event is sent when the promise
   * resolves. So a test can stop a model in the middle of a word without depending on time.
   */
  hold?: (written: string) => unknown;
}

export interface ReplyUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}
