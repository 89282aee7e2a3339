import type { ModelMessage, OutputInterface, ToolSet } from 'ai';
import type { RunState } from '../../../run/state/state.ts';
import type { Thought } from '../../mind.ts';
import type { Extraction } from '../../parsing/extract.ts';
import type { Spoken, SpokenCall } from '../call.ts';
import type { LanguageMindOptions } from '../options.ts';
import type { Asked } from '../prompt.ts';
import type { Window } from '../window.ts';
import { jsonDialect } from './json.ts';
import { toolsDialect } from './native.ts';

/**
 * How we and a model understand each other: what it is shown, what is sent along with that, and how its actions are
 * read from what it says. The engine knows nothing of it: actions are the same, whichever way they came.
 */
export interface Dialect {
  write(thought: Asked, custom?: string, window?: Window): DialectPrompt;
  send(thought: Omit<Thought, 'signal'>, options: LanguageMindOptions): Promise<Sent>;
  /** Takes what the model says while it is being said, for `onAction` and `onText`. */
  listen(thought: Thought): Listener;
  /** The last word on what was said, once it is complete. */
  read(spoken: Spoken, thought: Thought): Extraction;
}

export interface DialectPrompt {
  readonly instructions: string;
  readonly messages: ModelMessage[];
}

/** What the provider is told of the form. The same for every call of a run: it belongs to the prefix that is cached. */
export interface Sent {
  readonly output?: OutputInterface<string, string, never>;
  readonly tools?: ToolSet;
}

export interface Listener {
  text(piece: string): void;
  callStarted?(id: string, name: string): void;
  callPiece?(id: string, piece: string): void;
  call?(call: SpokenCall): void;
}

export type DialectName = 'json' | 'tools' | 'auto';

/**
 * The dialect of the next call. `auto` is json until an output could not be used, and tools from then on. It follows
 * from the journal alone, so that a run that is taken up goes on in the dialect that it was in.
 */
export function dialectFor(name: DialectName, { decisions }: RunState): Dialect {
  if (name !== 'auto') return name === 'json' ? jsonDialect : toolsDialect;
  // What another model did not manage says nothing of the one that came after it.
  const first = decisions.findLastIndex(({ next }) => next !== undefined) + 1;
  const isLost = decisions.slice(first).some(({ failure }) => failure?.kind === 'unusable_output');
  return isLost ? toolsDialect : jsonDialect;
}
