import type { Brief, Offer, Usage } from '../model/decision.ts';
import type { Purpose } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { Action } from '../model/task.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { RunState } from '../run/state/state.ts';

/** What a mind is given to decide on. */
export interface Thought {
  readonly purpose: Purpose;
  readonly brief?: Brief | undefined;
  /** Tools that it has to be told of with this decision. */
  readonly offer?: Offer | undefined;
  /** To be read only. */
  readonly state: RunState;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly missing: readonly MissingServer[];
  /** A finished task's result as text, in so many characters; without a limit in those that the run's settings allow. */
  readonly resultText: (task: string, limit?: number) => string;
  /** A finished task's result; undefined where it has none or where it is too large to be at hand. */
  readonly result: (task: string) => Json | undefined;
  readonly signal: AbortSignal;
  /** Live only, never journaled: the answer as it is written. */
  readonly onText?: (text: string) => void;
  /** Live only: an action, as soon as it is complete. */
  readonly onAction?: (action: Action) => void;
}

export type Thinking =
  | {
      readonly kind: 'decided';
      readonly actions: readonly Action[];
      readonly reasoning?: string;
      /** What had to be mended in the output, in words. */
      readonly repaired?: string;
      readonly model?: string;
      readonly usage?: Usage;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly model?: string;
      /** The model that this mind asks in its place from here on. */
      readonly next?: string;
      readonly usage?: Usage;
    };

/** What decides. One call is one decision; retries are the engine's business, as they are counted and journaled. */
export interface Mind {
  /** `built-in`, or `provider/model`. */
  readonly name: string;
  /** Must not throw or reject. Ends soon after `signal` is aborted. */
  think(thought: Thought): Promise<Thinking>;
  /** What one call for this thought can take at most. Where absent, nothing is known of it beforehand. */
  weigh?(thought: Omit<Thought, 'signal'>): Promise<{ readonly tokens: number; readonly cost?: number }>;
}
