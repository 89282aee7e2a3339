import type { Brief, Extracted, ExtractRequest, Offer, Usage } from '../model/decision.ts';
import type { Purpose } from '../model/event.ts';
import type { Failure } from '../model/failure.ts';
import type { Json } from '../model/json.ts';
import type { Action } from '../model/task.ts';
import type { MissingServer, Tool } from '../model/tool.ts';
import type { RunState } from '../run/state/state.ts';

/** A picture or a PDF. `data` is base64. */
export interface ShownFile {
  readonly name: string;
  readonly type: string;
  readonly data: string;
  /** The task whose result it is in. Files without a task are shown with the goal. */
  readonly task?: string;
}

/** The input of a decision. */
export interface Thought {
  readonly purpose: Purpose;
  readonly brief?: Brief | undefined;
  /** Tools to announce with this decision. */
  readonly offer?: Offer | undefined;
  /** Read-only. */
  readonly state: RunState;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly missing: readonly MissingServer[];
  /**
   * A finished task's result as text, at most `limit` characters. Default: the limit of the run's settings.
   */
  readonly resultText: (task: string, limit?: number) => string;
  /** A finished task's result; undefined if it has none or if it is too large to be in memory. */
  readonly result: (task: string) => Json | undefined;
  /** What a mind that can see is shown. */
  readonly files?: readonly ShownFile[] | undefined;
  readonly signal: AbortSignal;
  /** Live only, never journaled: gets the answer as it is written. */
  readonly onText?: (text: string) => void;
  /** Live only: gets each action as soon as it is complete. */
  readonly onAction?: (action: Action) => void;
}

export type Thinking =
  | {
      readonly kind: 'decided';
      readonly actions: readonly Action[];
      readonly reasoning?: string;
      /** What was repaired in the output. */
      readonly repaired?: string;
      readonly model?: string;
      readonly usage?: Usage;
    }
  | {
      readonly kind: 'failed';
      readonly failure: Failure;
      readonly model?: string;
      /** The fallback model that is asked from now on. */
      readonly next?: string;
      readonly usage?: Usage;
    };

/**
 * Decides what to do next: a language model, or the built-in planner. One call is one decision. The driver
 * retries, because it counts and journals each call.
 */
export interface Mind {
  /** `built-in`, or `provider/model`. */
  readonly name: string;
  /** Must not throw or reject. Must end soon after `signal` is aborted. */
  think(thought: Thought): Promise<Thinking>;
  /** Must not throw or reject. Without it, the operation `extract` fails. */
  extract?(request: ExtractRequest, signal: AbortSignal): Promise<Extracted>;
  /** The most one call for this thought can use. Without it, nothing is reserved. */
  weigh?(thought: Omit<Thought, 'signal'>): Promise<Weight & { readonly closing?: Weight }>;
}

/** The most that a model call can use. */
export interface Weight {
  readonly tokens: number;
  readonly cost?: number;
}
