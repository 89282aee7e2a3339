import { lastDecision, type RunState } from '../../core/state.ts';
import type { Mind, Thinking } from '../../ports/mind.ts';

/** Milliseconds. Who is told to come back later than this asks somebody else in the meantime. */
const LONGEST_WAIT = 10_000;

/**
 * Two minds, of which the second takes over where the first one's model cannot be had: at once where asking again is of
 * no use or not allowed for long, else when it has failed twice in a row. The run then stays with it, for its cache and for one voice. Which of
 * them it is follows from the journal alone.
 */
export function withFallback(first: Mind, second: Mind): Mind {
  const asked = (state: RunState) => (hasTakenOver(state) ? second : first);
  return {
    name: first.name,
    async think(thought) {
      if (hasTakenOver(thought.state)) return second.think(thought);
      const isSecondTime = lastDecision(thought.state)?.failure?.kind === 'model_error';
      const thinking = await first.think(thought);
      return isGivenUp(thinking, isSecondTime) ? { ...thinking, next: second.name } : thinking;
    },
    weigh: async (thought) => (await asked(thought.state).weigh?.(thought)) ?? { tokens: 0 },
  };
}

function hasTakenOver({ decisions }: RunState): boolean {
  return decisions.some(({ next }) => next !== undefined);
}

function isGivenUp(thinking: Thinking, isSecondTime: boolean): boolean {
  if (thinking.kind !== 'failed' || thinking.failure.kind !== 'model_error') return false;
  const { retryable, retryAfter = 0 } = thinking.failure;
  return retryable !== true || retryAfter > LONGEST_WAIT || isSecondTime;
}
