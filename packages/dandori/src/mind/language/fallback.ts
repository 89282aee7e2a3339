import { lastDecision, type RunState } from '../../core/state.ts';
import type { Mind, Thinking } from '../../ports/mind.ts';

/**
 * Two minds, of which the second takes over where the first one's model cannot be had: at once where asking again is of
 * no use, else when it has failed twice in a row. The run then stays with it, for its cache and for one voice. Which of
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
  return thinking.failure.retryable !== true || isSecondTime;
}
