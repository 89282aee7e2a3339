import type { Json } from '../../domain/json.ts';
import { type Goal, overlaps, type Span } from './goal.ts';
import type { Value } from './values.ts';
import type { Word } from './words.ts';

/** A value for a parameter, taken from the goal. */
export interface Taken {
  readonly value: Json;
  readonly spans: readonly Span[];
  readonly certainty: Certainty;
}

/**
 * `sure`: its form or its place in the sentence says that it belongs here. `likely`: it is written like a name.
 * `guess`: it is the best of what was left over.
 */
export type Certainty = 'sure' | 'likely' | 'guess';

/** What there is to take from. */
export interface Taking {
  readonly goal: Goal;
  readonly used: readonly Span[];
  /** Whether the tool's own words account for a word, so that it is no name. */
  readonly isExplained: (word: Word) => boolean;
  readonly requiresNothing: boolean;
}

/** Values of the goal that are no argument yet. */
export function open({ goal, used }: Taking): Value[] {
  return goal.values.filter((value) => !used.some((span) => overlaps(span, value)));
}

export function clear(value: Json, { start, end }: Span): Taken {
  return { value, spans: [{ start, end }], certainty: 'sure' };
}
