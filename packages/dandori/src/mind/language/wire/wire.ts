import type { Json, JsonObject } from '../../../model/json.ts';
import type { Stop } from '../../../model/stop.ts';
import type { ShownFile } from '../../mind.ts';

/** A message in our own format. Each wire converts it to its provider's format. */
export type ModelMessage = UserMessage | AssistantMessage | ToolMessage;

export interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  /** Tasks with pictures in their results. `withFiles` adds the pictures. */
  readonly shows?: readonly string[];
  readonly files?: readonly ShownFile[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly AssistantPart[];
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

export type AssistantPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      /** The arguments, or their text where they hold integers that a number can't. */
      readonly input: Json;
    };

export interface ToolResultPart {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: { readonly type: 'text'; readonly value: string };
}

/** A tool that the model can call natively. */
export interface NativeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** What the text of the output must be. */
export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json'; readonly name?: string; readonly schema?: JsonObject };

export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

/** As the provider counts it. */
export interface ReportedUsage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly cachedInputTokens: number | undefined;
}

export interface ModelRequest {
  /** The same object for all requests of a conversation, so that what they repeat is written once. */
  readonly conversation?: object | undefined;
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly NativeTool[] | undefined;
  readonly responseFormat?: ResponseFormat | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly reasoningEffort?: string | undefined;
  /** Chat completions tell the tokens of a stream only if they are asked to. */
  readonly includeUsage?: boolean | undefined;
}

/** A piece of the output, as it arrives. */
export type Part =
  | { readonly type: 'text' | 'thought'; readonly text: string }
  | { readonly type: 'call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'call-piece'; readonly id: string; readonly text: string }
  /** Its `input` counts, whatever its pieces were. */
  | { readonly type: 'call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'finish'; readonly reason: FinishReason; readonly usage: ReportedUsage | undefined };

/** The connection to a model. */
export interface Wire {
  /** Sends one request. Resolves at the end of the output; rejects if there is none, or it breaks off. */
  send(request: ModelRequest, { stop, onPart }: { stop: Stop; onPart: (part: Part) => void }): Promise<void>;
}

/** The most calls of one output. The reader compares each call with those before it. */
export const MOST_CALLS = 2_000;

/** The response is larger than a model writes. */
export class OutputTooLong extends Error {
  override readonly name = 'OutputTooLong';
}

/** The server refused the request, or broke off its response. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly statusCode: number;
  readonly responseBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;

  constructor(
    message: string,
    about: { statusCode: number; responseBody?: string; responseHeaders?: Readonly<Record<string, string>> },
  ) {
    super(message);
    this.statusCode = about.statusCode;
    this.responseBody = about.responseBody ?? '';
    this.responseHeaders = about.responseHeaders ?? {};
  }
}

/** The response is not in the format of its protocol. A retry may help. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
}

/** No key was given, and its variable is not set. */
export class MissingKey extends Error {
  override readonly name = 'MissingKey';
}
