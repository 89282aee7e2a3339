import type { Settings } from '../domain/settings.ts';

/** What a prompt may hold. */
export interface ContextLimits {
  /** Tokens of the whole prompt, above which old turns are compacted. */
  readonly tokens: number;
  /** Characters of one result, above which its digest is shown. */
  readonly result: number;
  /** Tools that are described; of more, those that fit the goal. */
  readonly tools: number;
}

export const DEFAULT_CONTEXT: ContextLimits = { tokens: 60_000, result: 8 * 1024, tools: 40 };

/** Runs from before these limits were journaled go on with the defaults. */
export function contextOf({ context }: Settings): ContextLimits {
  return { ...DEFAULT_CONTEXT, ...context };
}
