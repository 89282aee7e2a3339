import { tokensUsed } from '../core/budget.ts';
import type { FactOf } from '../domain/event.ts';
import type { Mind, Thought } from '../ports/mind.ts';

/**
 * What a call of the model can take at most is set aside before it is made, so that no limit is found out only when it
 * is broken. Undefined where it fits.
 */
export async function tooDear(
  thought: Omit<Thought, 'signal'>,
  mind: Mind,
): Promise<FactOf<'limit_reached'>['data'] | undefined> {
  const { limits } = thought.state.settings;
  if (mind.weigh === undefined || (limits.tokens === undefined && limits.cost === undefined))
    return undefined;
  const { tokens, cost = 0 } = await mind.weigh(thought);
  const tokensLeft = (limits.tokens ?? Number.POSITIVE_INFINITY) - tokensUsed(thought.state);
  if (tokens > tokensLeft) return { limit: 'tokens', needed: tokens, left: tokensLeft };
  const costLeft = (limits.cost ?? Number.POSITIVE_INFINITY) - (thought.state.usage.cost ?? 0);
  return cost > costLeft ? { limit: 'cost', needed: cost, left: costLeft } : undefined;
}
