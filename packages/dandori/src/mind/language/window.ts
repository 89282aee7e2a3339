import type { Decision } from '../../core/state.ts';
import { loadWeigh, type Weigh, weighAtMost } from './tokens.ts';

/** Which decisions of a run are told in full; what stands for those before is in `memory`. */
export interface Window {
  /** How many are told in short. */
  readonly from: number;
  /** How many there were when the boundary last moved. What is told in short is told as it was then. */
  readonly asOf: number;
}

export const WHOLE: Window = { from: 0, asOf: 0 };

export interface Telling {
  readonly decisions: readonly Decision[];
  /** What stands before them in any case: instructions, goal. */
  readonly base: string;
  /** A decision and what came of it, as the prompt tells it. Any writer of prompts may bring its own. */
  readonly tell: (decision: Decision) => string;
  /** Whether nothing about it can change any more. */
  readonly isSettled: (decision: Decision) => boolean;
  /** Tokens that the whole prompt may have. */
  readonly budget: number;
}

/** For what is told in short. */
const MEMORY_SHARE = 0.2;
/** However long the instructions are, the conversation gets this much. */
const LEAST_SHARE = 0.25;
/** What is kept when the boundary moves. Moving it seldom and far keeps the prompt the same in between. */
const KEPT_SHARE = 0.4;

/**
 * Where the conversation is cut so that it fits.
 *
 * W1  Depends on nothing but the decisions, so two calls, also in two processes, cut at the same place.
 * W2  The boundary never moves back, and moves only when the next decision would not fit.
 * W3  The last decision is always told in full.
 */
export async function windowFor(telling: Telling): Promise<Window> {
  // Where the bytes fit the tokens do, and most runs end before a tokenizer is needed.
  const roughly = fold(telling, weighAtMost);
  return roughly.from === 0 ? WHOLE : fold(telling, await loadWeigh());
}

function fold(telling: Telling, weigh: Weigh): Window {
  const { decisions, budget } = telling;
  const room = Math.max(budget * (1 - MEMORY_SHARE) - weigh(telling.base), budget * LEAST_SHARE);
  const weights = decisions.map((decision) => weighTurn(decision, weigh, telling));
  let from = 0;
  let asOf = 0;
  let sum = 0;
  for (const [index, weight] of weights.entries()) {
    sum += weight;
    if (sum <= room || index === from) continue;
    for (; from < index && sum > room * KEPT_SHARE; from++) sum -= weights[from] ?? 0;
    asOf = index + 1;
  }
  return { from, asOf };
}

/** By the way of weighing: what has been weighed and cannot change is not even told again. */
const turns = new Map<Weigh, WeakMap<Decision, number>>();

function weighTurn(decision: Decision, weigh: Weigh, { tell, isSettled }: Telling): number {
  const known = turns.get(weigh)?.get(decision);
  if (known !== undefined) return known;
  const weight = weigh(tell(decision));
  if (!isSettled(decision)) return weight;
  if (!turns.has(weigh)) turns.set(weigh, new WeakMap());
  turns.get(weigh)?.set(decision, weight);
  return weight;
}
