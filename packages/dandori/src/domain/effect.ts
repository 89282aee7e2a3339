import * as z from 'zod';

/**
 * What a call does to the world, from harmless to irreversible. It decides what may overlap, what may be tried again
 * and what a person is asked about first.
 */
export const effect = z.enum(['read', 'idempotent', 'write', 'destructive']);
export type Effect = z.infer<typeof effect>;

/** Whether the first does more to the world than the second says. */
export function isWorse(one: Effect, other: Effect): boolean {
  return effect.options.indexOf(one) > effect.options.indexOf(other);
}

/** A repeated call of these does no harm: a read changes nothing, an idempotent call carries the same key. */
export function isRepeatable(of: Effect): boolean {
  return of === 'read' || of === 'idempotent';
}
