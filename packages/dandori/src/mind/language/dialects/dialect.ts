import type { Stop } from '../../../model/stop.ts';
import type { RunState } from '../../../run/state/state.ts';
import type { Thought } from '../../mind.ts';
import type { Extraction } from '../../parsing/extract-actions.ts';
import type { ModelOutput, NativeCall } from '../call.ts';
import type { LanguageMindOptions } from '../options.ts';
import { pastOf } from '../past.ts';
import type { PromptInput } from '../prompt.ts';
import type { Written } from '../transcript.ts';
import type { Window } from '../window.ts';
import type { ModelMessage, NativeTool, ResponseFormat } from '../wire/wire.ts';
import { jsonDialect } from './json.ts';
import { toolsDialect } from './native.ts';

/**
 * How a model is asked and answers: the prompt, the request options, and how actions are read from its
 * output. The driver knows nothing of dialects: actions are the same in each.
 */
export interface Dialect {
  write(thought: PromptInput, custom?: string, window?: Window): DialectPrompt & Written<ModelMessage>;
  send(thought: Omit<Thought, 'signal'>, options: LanguageMindOptions): RequestOptions;
  /** Reads the output while it is written, for `onAction` and `onText`. Tells nothing after the call was stopped. */
  listen(thought: Thought, stop: Stop): Listener;
  /** Whether text without actions is an answer in the form that was asked for. */
  readonly isProseExpected: boolean;
  /** Reads the complete output. This result counts. */
  read(output: ModelOutput, thought: Thought): Extraction;
}

export interface DialectPrompt {
  readonly instructions: string;
  readonly messages: readonly ModelMessage[];
}

/**
 * Request options besides the prompt. The same for every call of a run that may call tools, because they are
 * part of the cached prefix. A closing call offers only `answer`.
 */
export interface RequestOptions {
  readonly responseFormat?: ResponseFormat;
  readonly tools?: readonly NativeTool[];
}

export interface Listener {
  text(piece: string): void;
  callStarted?(id: string, name: string): void;
  callPiece?(id: string, piece: string): void;
  call?(call: NativeCall): void;
  /** The request has ended. It may be sent again. */
  end?(): void;
}

export type DialectName = 'json' | 'tools' | 'auto';

/**
 * The dialect of the next call. `auto` is json until an output is unusable, then tools. It depends only on
 * the journal, so that a resumed run keeps its dialect.
 */
export function dialectFor(name: DialectName, state: RunState): Dialect {
  if (name !== 'auto') return name === 'json' ? jsonDialect : toolsDialect;
  return pastOf(state).hasWrittenUnusable ? toolsDialect : jsonDialect;
}
