import type { RecordedRequest } from './request.ts';

/** What the scripted model does with one request. */
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

/** A reply, or a function that writes the reply after it has seen the request. */
export type ScriptEntry = ModelReply | ReplyFunction;

/** `undefined` says that the request was not expected. */
export type ReplyFunction = (
  request: RecordedRequest,
  index: number,
) => ModelReply | undefined | Promise<ModelReply | undefined>;

export interface ContentReply extends AnswerSettings {
  /** Text goes out as it is; anything else goes out as JSON text. */
  content: string | number | boolean | object;
  toolCalls?: readonly ReplyToolCall[];
}

export interface ActionsReply extends AnswerSettings {
  /** Elements, wrapped the way the AI SDK wants them for `Output.array`: `{"elements": [...]}`. */
  actions: readonly unknown[];
}

export interface ToolCallsReply extends AnswerSettings {
  toolCalls: readonly ReplyToolCall[];
}

export interface ReplyToolCall {
  name: string;
  /** A string goes out as it is, so that broken JSON can be scripted; anything else as JSON text. */
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
  /** A string goes out as it is; anything else as JSON. The default is an OpenAI error body. */
  body?: unknown;
}

/** Accepts the request and never answers. */
export interface HangReply extends ReplySettings {
  hang: true;
}

/** Writes this body with status 200, whatever it is. */
export interface RawReply extends ReplySettings {
  raw: string;
  /** The default follows the request: an event stream when it asked for one, else JSON. */
  contentType?: string;
}

export interface ReplySettings {
  /** Time before the first byte, the headers included. */
  latencyMs?: number;
  headers?: Readonly<Record<string, string>>;
  expect?: Expectation;
}

/**
 * Text or a pattern that the prompt must hold, or a check that throws (or gives `false`) when the request
 * is wrong.
 */
export type Expectation = string | RegExp | ((request: RecordedRequest) => unknown);

export interface AnswerSettings extends ReplySettings {
  /** The default is an estimate of one token for four characters; `null` reports no usage at all. */
  usage?: ReplyUsage | null;
  /** OpenAI's words (`stop`, `length`, `content_filter`); `null` ends the answer without a reason. */
  finishReason?: string | null;
  /** What a reasoning model thinks aloud before it answers. */
  reasoning?: string;
  /** Sends this many characters of the answer, then breaks the connection. */
  cut?: number;
  /** Sends this many characters of the answer, then stays silent with the connection open. */
  stall?: number;
  chunkSize?: number;
  chunkDelayMs?: number;
  /**
   * Asked after each event of a stream with the whole text so far; the next one goes out when this resolves. So a test
   * can hold a model in the middle of a word for as long as it likes, and depend on no time.
   */
  hold?: (written: string) => unknown;
}

export interface ReplyUsage {
  prompt_tokens: number;
  completion_tokens: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}
